// The worker: one engine, one run at a time, in slices, so that a message is heard between two.
"use strict";

const SLICE_MS = 40, LOOK_MS = 120, LOOK_SHARE = 0.1, FIRST_EVENTS = 2000;
let engine = null, kit = null, running = null;
// A timer waits 4 ms at least once timers set timers, a tenth of a slice: a message to oneself does not wait.
const turn = new MessageChannel();
turn.port1.onmessage = () => running && slice();
const later = () => turn.port2.postMessage(null);

/** The kit: drives and chips, then the module, packed together; as text in the page, or beside it. */
async function unpacked({ base64, url }) {
  const packed = base64 === undefined ? new Uint8Array(await (await fetch(url)).arrayBuffer()) : ofBase64(base64);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const texts = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { texts, module: await WebAssembly.compile(bytes.subarray(4 + length)) };
}

function ofBase64(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** As written, with the edited file of the drive in place of the one that came with it. */
function laid(setup) {
  for (const [path, text] of Object.entries(kit.texts)) {
    if (path === setup.path && setup.toml !== null) continue;
    if (!laid.changed?.has(path)) continue;
    engine.files.put(path, new Held(new TextEncoder().encode(text)));
  }
  laid.changed = new Set();
  if (setup.toml !== null && setup.path) {
    engine.files.put(setup.path, new Held(new TextEncoder().encode(setup.toml)));
    laid.changed.add(setup.path);
  }
}

function asked(setup, file) {
  let workload = { kind: "fio_text", name: "job", text: setup.job };
  if (file) {
    engine.files.put(`traces/${file.name}`, new Dropped(file));
    workload = { kind: "trace", path: `traces/${file.name}`, options: {} };
  }
  return { drive: setup.drive, set: setup.set, workload, options: setup.options };
}

function answer(id, work) {
  try {
    postMessage({ id, answer: work() });
  } catch (error) {
    if (!(error instanceof InputError)) engine = new Engine(kit.module, kit.texts), laid.changed = new Set();
    postMessage({ id, error: error.message, fault: !(error instanceof InputError) });
  }
}

function begin({ id, setup, file }) {
  laid(setup);
  const about = engine.ask({ ask: "begin", ...asked(setup, file) });
  running = { id, events: FIRST_EVENTS, began: performance.now(), looked: 0, cost: 0, stop: false };
  later();
  return { about };
}

/** One slice of a run; a look at it now and then, which may take a part of the time and no more. */
function slice() {
  const run = running;
  if (!run) return;
  try {
    const before = performance.now();
    let done = run.stop;
    if (run.stop) engine.ask({ ask: "interrupt" });
    else done = engine.ask({ ask: "advance", events: run.events }).progress.done;
    const now = performance.now(), took = Math.max(now - before, 0.05);
    run.events = Math.round(Math.min(Math.max(run.events * Math.min(SLICE_MS / took, 4), 500), 2e7));
    if (done || now - run.looked > Math.max(LOOK_MS, run.cost / LOOK_SHARE)) {
      const sample = engine.ask({ ask: "look" });
      run.looked = performance.now();
      run.cost = run.looked - now;
      postMessage({ id: run.id, sample, wall_s: (run.looked - run.began) / 1e3, bytes: engine.bytes });
    }
    if (done) {
      running = null;
      postMessage({ id: run.id, result: engine.ask({ ask: "result" }), stopped: run.stop });
    } else {
      later();
    }
  } catch (error) {
    running = null;
    answer(run.id, () => { throw error; });
  }
}

onmessage = async ({ data }) => {
  if (data.kit) {
    try {
      kit = await unpacked(data.kit);
      engine = new Engine(kit.module, kit.texts);
      answer(data.id, () => engine.ask({ ask: "shelf" }));
    } catch (error) {
      postMessage({ id: data.id, error: `the engine did not start: ${error.message}` });
    }
  } else if (data.check) {
    answer(data.id, () => { laid(data.check); return engine.ask({ ask: "check", ...asked(data.check, null) }); });
  } else if (data.run) {
    if (running) answer(data.id, () => { throw new InputError("a run is in progress: expected it to be stopped first"); });
    else answer(data.id, () => begin({ id: data.id, setup: data.run, file: data.file }));
  } else if (data.stop && running) {
    running.stop = true;
  }
};
