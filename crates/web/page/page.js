// The page: a form, a worker, and what comes back.
"use strict";

const $ = (id) => document.getElementById(id);
const FIELDS = ["drive", "set", "job", "precondition", "seed", "seconds", "requests", "change"];
const CHECK_AFTER_MS = 200;
let shelf = null, worker = null, serial = 0, runs = [], inProgress = null, waiting = new Map(), trace = null, picture = null;

// The worker: one question, one answer; samples of a run come in between.

function startWorker() {
  worker = new Worker(workerPlace());
  worker.onmessage = ({ data }) => {
    if (data.sample) { if (inProgress?.id === data.id) sampled(data); return; }
    if (data.result) { if (inProgress?.id === data.id) inProgress.done(data); return; }
    const answered = waiting.get(data.id);
    waiting.delete(data.id);
    if (inProgress?.id === data.id && data.error !== undefined && !answered) inProgress.failed(new Error(data.error));
    if (data.error !== undefined) answered?.[1](new Error(data.error));
    else answered?.[0](data.answer);
  };
  worker.onerror = (event) => wrong(`the worker ended: ${event.message}`);
}

function asked(message) {
  serial += 1;
  const id = serial;
  worker.postMessage({ ...message, id });
  return Object.assign(new Promise((done, failed) => waiting.set(id, [done, failed])), { id });
}

// The setup: texts as typed, in the form and in links.

function setupNow() {
  const drive = shelf.drives.find((found) => found.name === $("drive").value);
  const fields = Object.fromEntries(FIELDS.map((name) => [name, $(name).value]));
  return { v: 1, ...fields, toml: $("toml").value === drive.text ? null : $("toml").value };
}

function put(setup) {
  const drive = shelf.drives.find((found) => found.name === setup.drive);
  if (!drive) throw new Error(`${setup.drive}: unknown drive of this page`);
  for (const name of FIELDS) if (setup[name] !== undefined) $(name).value = setup[name];
  $("toml").value = setup.toml ?? drive.text;
  loadShown();
  changed();
}

function whole(name, text) {
  if (text.trim() === "") return null;
  if (!/^\d+$/.test(text.trim()) || Number(text) > Number.MAX_SAFE_INTEGER) throw new Error(`${name}: ${text}: expected a whole number`);
  return Number(text);
}

/** What the worker is asked: values as the engine takes them. */
function question(setup, extra = []) {
  const drive = shelf.drives.find((found) => found.name === setup.drive);
  const options = { seed: whole("seed", setup.seed) ?? 1, precondition: setup.precondition };
  const requests = whole("requests", setup.requests);
  if (requests !== null) options.limit_requests = requests;
  if (setup.seconds.trim() !== "") {
    const seconds = Number(setup.seconds);
    if (!(seconds > 0)) throw new Error(`seconds: ${setup.seconds}: expected a number above 0`);
    options.limit_ns = Math.round(seconds * 1e9);
  }
  const lines = setup.set.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return { drive: setup.drive, path: drive.path, toml: setup.toml, set: [...lines, ...extra], job: setup.job, options };
}

const changeOf = (setup) => (setup.change.trim() === "" ? [] : [setup.change.trim()]);

// Checks while typing.

let checkTimer = 0, checkSerial = 0;

function changed() {
  $("edited").textContent = setupNow().toml === null ? "as it came" : "edited";
  clearTimeout(checkTimer);
  checkTimer = setTimeout(check, CHECK_AFTER_MS);
}

async function check() {
  checkSerial += 1;
  const mine = checkSerial;
  try {
    const setup = setupNow();
    const found = await asked({ check: question(setup) });
    const keys = found.entries;
    if (changeOf(setup).length) await asked({ check: question(setup, changeOf(setup)) });
    if (mine !== checkSerial) return;
    $("keys").replaceChildren(...keys.map(([key, value]) => new Option(`${key}=${value}`)));
    said("check", true, `${found.title}: ${size(found.capacity_bytes)}; takes ${size(found.memory_bytes)} of memory`);
  } catch (error) {
    if (mine === checkSerial) said("check", false, error.message);
  }
}

function said(id, right, text) {
  $(id).className = right ? "says-right" : "says-wrong";
  $(id).textContent = text;
}

function wrong(text) {
  $("wrong").hidden = !text;
  $("wrong").textContent = text ?? "";
}

// Runs: one, or two side by side.

async function runAll() {
  wrong(null);
  const setup = setupNow(), change = changeOf(setup);
  $("run").disabled = true;
  $("stop").disabled = false;
  const kept = runs, fresh = [];
  try {
    for (const extra of change.length ? [[], change] : [[]]) {
      const run = { name: extra[0] ?? "as set", points: [], result: null, before: null, glance: null };
      const result = await one(setup, extra, run, () => { fresh.push(run); runs = fresh; });
      run.result = result.result;
      run.glance = result.result;
      redraw();
      if (result.stopped) break;
    }
    $("status").textContent += "; done";
  } catch (error) {
    if (!fresh.length) runs = kept; // The last good result stays.
    else runs = fresh.filter((run) => run.result);
    if (!runs.length) runs = kept;
    wrong(error.message);
    $("status").textContent = runs.length ? "the result before is shown" : "";
    redraw();
  }
  inProgress = null;
  $("run").disabled = false;
  $("stop").disabled = true;
  $("save").disabled = !runs.some((run) => run.result);
  table();
}

function one(setup, extra, run, begun) {
  return new Promise((done, failed) => {
    const answer = asked({ run: question(setup, extra), file: trace });
    inProgress = { id: answer.id, run, done, failed };
    $("status").textContent = `${run.name}: the drive is being made`;
    answer.then(begun, failed);
  });
}

function sampled({ sample, wall_s, bytes }) {
  const { progress, glance } = sample, { run } = inProgress;
  picture = sample.picture ?? picture;
  $("progress").value = progress.fraction ?? 0;
  const rate = progress.page_operations / wall_s;
  $("status").textContent = `${run.name}: ${progress.phase}, ${percent(progress.fraction)}, ${(progress.simulated_ns / 1e9).toFixed(2)} s simulated; ${short.format(rate)} page operations/s, ${size(bytes)} of memory`;
  if (glance) add(run, glance);
  redraw();
}

/** What happened since the look before. */
function add(run, glance) {
  const counts = new Map();
  for (const kind of Object.values(glance.histogram)) for (const [value, count] of kind) counts.set(value, (counts.get(value) ?? 0) + count);
  const now = {
    at: glance.simulated_ns / 1e9, counts, host: glance.waf_bytes?.host_written ?? 0,
    flash: glance.flash.units_programmed.total * glance.flash.mapping_unit_bytes,
  };
  const before = run.before ?? { at: 0, counts: new Map(), host: 0, flash: 0 };
  const since = [...counts].map(([value, count]) => [value, count - (before.counts.get(value) ?? 0)]).filter(([, count]) => count > 0);
  run.glance = glance;
  if (!since.length || now.at <= before.at) return;
  since.sort((a, b) => a[0] - b[0]);
  const all = since.reduce((sum, [, count]) => sum + count, 0);
  const quantile = (share) => {
    let seen = 0;
    return since.find(([, count]) => (seen += count) >= share * all)[0];
  };
  const waf = now.host > before.host ? (now.flash - before.flash) / (now.host - before.host) : null;
  run.points.push({ at: now.at, p50: quantile(0.5) / 1e3, p99: quantile(0.99) / 1e3, waf });
  run.before = now;
}

/** Requests a second from the run's own series; the last interval may not be over. */
function rates({ glance }) {
  const series = glance?.series;
  if (!series) return [];
  const reads = series.read_requests ?? [], writes = series.write_requests ?? [], all = series.time_ns.length;
  const points = [];
  for (let i = 0; i < Math.max(all - 1, Math.min(all, 1)); i += 1) {
    points.push([(series.time_ns[i] + series.width_ns[i] / 2 - series.time_ns[0]) / 1e9, ((reads[i] ?? 0) + (writes[i] ?? 0)) / (series.width_ns[i] / 1e9)]);
  }
  return points;
}

function redraw() {
  const shown = inProgress && !runs.includes(inProgress.run) && inProgress.run.points.length ? [...runs, inProgress.run] : runs;
  const lines = (values, name) => shown.map((run, i) => ({ points: values(run), colour: name, dashed: i > 0 }));
  const of = (key) => (run) => run.points.filter((point) => point[key] !== null).map((point) => [point.at, point[key]]);
  drawLines("iops", lines(rates, "--drive"));
  drawLines("latency", [...lines(of("p50"), "--read"), ...lines(of("p99"), "--write")], { log: true });
  drawLines("waf", lines(of("waf"), "--gc"));
  if (picture) { drawWear("wear", picture.cycles); drawBlocks("blocks", picture); }
  const pair = shown.length > 1 ? `solid: ${shown[0].name}, dashed: ${shown[1].name}` : "";
  $("key-iops").textContent = $("key-waf").textContent = pair;
  $("key-latency").innerHTML = "<i class=\"k-p50\"></i>p50<i class=\"k-p99\"></i>p99";
}

// Both results side by side.

const size = (bytes) => (bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(2)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`);
const percent = (part) => (part === null || part === undefined ? "..." : `${(100 * part).toFixed(0)} %`);
const ROWS = [
  ["requests", (r) => r.host.completed.total],
  ...["read", "write"].flatMap((kind) => [
    [`${kind}s a second`, (r) => r.host[kind].requests ? r.host[kind].iops : null],
    [`${kind}: mean, us`, (r) => us(r.host[kind].latency_ns.mean)],
    [`${kind}: p50, us`, (r) => us(r.host[kind].latency_ns.p50)],
    [`${kind}: p99, us`, (r) => us(r.host[kind].latency_ns.p99)],
    [`${kind}: p99.9, us`, (r) => us(r.host[kind].latency_ns.p999)],
    [`${kind}: longest, us`, (r) => us(r.host[kind].latency_ns.max)],
  ]),
  ["write amplification", (r) => r.waf],
  ["pages programmed", (r) => r.flash.programs.total],
  ["blocks erased", (r) => r.flash.erases.total],
  ["valid units in a victim", (r) => r.ftl.gc.valid_units_per_victim],
  ["energy, J", (r) => r.energy_j.total],
  ["simulated, s", (r) => r.simulated_ns / 1e9],
];
const us = (ns) => (ns === null || ns === undefined ? null : ns / 1e3);
const number = (value) => (value === null || value === undefined ? "" : value.toLocaleString("en", { maximumSignificantDigits: 5 }));

function table() {
  const done = runs.filter((run) => run.result);
  $("both").hidden = !done.length;
  if (!done.length) return;
  const cell = (kind, text) => Object.assign(document.createElement(kind), { textContent: text });
  const head = document.createElement("tr");
  head.append(cell("th", ""), ...done.map((run) => cell("th", run.name)), ...(done.length > 1 ? [cell("th", "difference")] : []));
  $("both").tHead.replaceChildren(head);
  $("both").tBodies[0].replaceChildren(...ROWS.flatMap(([name, of]) => {
    const values = done.map((run) => of(run.result) ?? null);
    if (values.every((value) => value === null)) return [];
    const row = document.createElement("tr"), head = cell("th", name);
    head.scope = "row";
    row.append(head, ...values.map((value) => cell("td", number(value))));
    if (values.length > 1) {
      const known = values[0] && values[1] !== null;
      row.append(cell("td", known ? `${values[1] >= values[0] ? "+" : ""}${(100 * (values[1] / values[0] - 1)).toFixed(1)} %` : ""));
    }
    return [row];
  }));
  $("remarks").replaceChildren(...done.flatMap((run) => run.result.remarks.map((remark) => cell("li", `${run.name}: ${remark.text}`))));
}

// The form's own doings.

function loadShown() {
  const known = shelf.generators.find((found) => found.text === $("job").value);
  $("load").value = known?.name ?? "";
}

function takeTrace(file) {
  trace = file ?? null;
  $("traced").textContent = trace ? `${trace.name}, ${size(trace.size)}; links do not hold it` : "";
  $("untrace").hidden = !trace;
  $("job").disabled = Boolean(trace);
  if (!trace) $("trace").value = "";
}

function showGuide(index) {
  const guide = GUIDES[index];
  [...$("guides").children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
  const paragraph = (text) => Object.assign(document.createElement("p"), { textContent: text });
  $("guide").replaceChildren(Object.assign(document.createElement("h2"), { textContent: guide.title }), ...guide.text.map(paragraph), paragraph("Press Run."));
  $("guide").hidden = false;
  takeTrace(null);
  put({ seed: "1", seconds: "", requests: "", toml: null, ...guide.setup });
}

async function share() {
  try {
    if (trace) throw new Error("a link cannot hold a trace: expected a job, or send the file beside the link");
    const fragment = await toFragment(setupNow());
    history.replaceState(null, "", fragment);
    let copied = "the link is in the address bar";
    try { await navigator.clipboard.writeText(location.href); copied = "the link is copied"; } catch { /* not allowed here */ }
    said("shared", true, `${copied}: ${fragment.length} letters that hold all of it`);
  } catch (error) { said("shared", false, error.message); }
}

function save() {
  const documents = runs.filter((run) => run.result).map((run) => run.result);
  const text = JSON.stringify(documents.length > 1 ? documents : documents[0], null, 1);
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "run.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function listen() {
  for (const name of ["set", "job", "precondition", "seed", "seconds", "requests", "change", "toml"]) $(name).addEventListener("input", () => { if (name === "job") loadShown(); changed(); });
  $("drive").addEventListener("change", () => { $("toml").value = shelf.drives.find((found) => found.name === $("drive").value).text; changed(); });
  $("load").addEventListener("change", () => {
    const found = shelf.generators.find((generator) => generator.name === $("load").value);
    if (found) { $("job").value = found.text; changed(); }
  });
  $("restore").addEventListener("click", () => { $("toml").value = shelf.drives.find((found) => found.name === $("drive").value).text; changed(); });
  $("form").addEventListener("submit", (event) => { event.preventDefault(); if (!$("run").disabled) runAll(); });
  $("form").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("form").requestSubmit(); });
  $("stop").addEventListener("click", () => worker.postMessage({ stop: true }));
  $("share").addEventListener("click", share);
  $("save").addEventListener("click", save);
  $("trace").addEventListener("change", () => takeTrace($("trace").files[0]));
  $("untrace").addEventListener("click", () => takeTrace(null));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    $("drop").addEventListener(kind, (event) => {
      event.preventDefault();
      $("drop").classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) takeTrace(event.dataTransfer.files[0]);
    });
  }
  new ResizeObserver(redraw).observe($("results"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("hashchange", fromLink);
}

async function fromLink() {
  try {
    const setup = await ofFragment(location.hash);
    if (setup) { takeTrace(null); put(setup); }
    return Boolean(setup);
  } catch (error) { wrong(error.message); return false; }
}

async function start() {
  startWorker();
  shelf = await asked({ kit: kitPlace() });
  $("drive").replaceChildren(...shelf.drives.map((drive) => new Option(`${drive.name}: ${drive.title}`, drive.name)));
  $("load").replaceChildren(new Option("as typed", ""), ...shelf.generators.map((found) => new Option(`${found.name}: ${found.title}`, found.name)));
  $("version").textContent = `Floatgate ${shelf.version}`;
  $("guides").replaceChildren(...GUIDES.map((guide, i) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: guide.title });
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => showGuide(i));
    return button;
  }));
  listen();
  put({ ...GUIDES[0].setup, seed: "1", seconds: "", requests: "", toml: null });
  await fromLink();
  $("drive").disabled = $("run").disabled = false;
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start().catch((error) => wrong(error.message));
