// `node page.mjs CHROMIUM PAGE`: what a user does with the page, told as JSON for tests/python/test_browser.py.
import { open } from "./chromium.mjs";

const [chromium, url] = process.argv.slice(2), told = {};
const JOB = "[w]\\nfilename=/dev/nvme0n1\\nioengine=libaio\\niodepth=8\\nrw=randwrite\\nnorandommap\\nbs=16k\\nnumber_ios=4000\\n";
const put = (id, text) => `{ const it = document.getElementById("${id}"); it.value = "${text}"; it.dispatchEvent(new Event("input")); it.dispatchEvent(new Event("change")); }`;
const ready = "document.documentElement.dataset.ready";
const over = "!document.getElementById('run').disabled";

const page = await open(chromium, url);
try {
  await page.until(ready, 120);
  told.ready_ms = Number(await page.value(ready));
  told.drives = await page.value("document.getElementById('drive').options.length");

  // A run of two, and its results beside each other; begun by the keyboard.
  await page.value(put("drive", "small-tlc") + put("set", "nand.pages_per_block=192\\nftl.op_ratio=0.2") + put("job", JOB) + put("change", "ftl.op_ratio=0.6"));
  await page.value("document.getElementById('job').focus()");
  const enter = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, modifiers: 2 };
  await page.call("Input.dispatchKeyEvent", { type: "rawKeyDown", ...enter });
  await page.call("Input.dispatchKeyEvent", { type: "keyUp", ...enter });
  await page.until("runs.length === 2 && runs[1].result && " + over, 120);
  told.columns = await page.value("document.getElementById('both').rows[0].cells.length");
  told.status = await page.value("document.getElementById('status').textContent");
  told.result = await page.value("JSON.stringify(runs[0].result)").then(JSON.parse);

  // The link brings every letter back.
  await page.value(put("toml", "title = \\\"\\u00fc \\u{1f4be}\\\"\\nbase = \\\"small-tlc\\\"\\n"));
  told.before = await page.value("JSON.stringify(setupNow())");
  await page.value("share().then(() => 0)");
  told.fragment = await page.value("location.hash.length");
  told.after = await page.value("ofFragment(location.hash).then((setup) => JSON.stringify(setup))");
  told.damaged = await page.value("ofFragment('#s=AAAA').then(() => '', (error) => error.message)");

  // Bad input: the engine's own message; the result before stays.
  await page.value("document.getElementById('restore').click()");
  const toml = await page.value("document.getElementById('toml').value");
  await page.value(`{ const it = document.getElementById("toml"); it.value = ${JSON.stringify(`${toml}\n[ftl.gcc]\nname = "greedy"\n`)}; it.dispatchEvent(new Event("input")); }`);
  await page.until("document.getElementById('check').className === 'says-wrong'");
  told.broken = await page.value("document.getElementById('check').textContent");
  await page.value("document.getElementById('run').click()");
  await page.until("!document.getElementById('wrong').hidden && " + over);
  told.refused = await page.value("document.getElementById('wrong').textContent");
  told.kept = await page.value("document.getElementById('both').rows.length");
  await page.value("document.getElementById('restore').click()");

  // Too large for a browser: refused, with a size that fits, which then does.
  await page.value(put("set", "nand.blocks_per_plane=6000\\nftl.op_ratio=0.2") + put("change", ""));
  await page.until("document.getElementById('check').textContent.includes('fits')");
  told.large = await page.value("document.getElementById('check').textContent");

  // Stopping ends a long run soon, with what it came to.
  await page.value(put("set", "nand.pages_per_block=192\\nftl.op_ratio=0.2") + put("job", JOB.replace("number_ios=4000", "time_based\\nruntime=36000")));
  await page.value("document.getElementById('run').click()");
  await page.until("inProgress?.run.points.length > 1");
  await page.value("document.getElementById('stop').click()");
  await page.until(over);
  told.interrupted = await page.value("runs[0].result.interrupted");
  // A trace that is dropped, as a file the browser reads piece by piece.
  const line = (at, op) => `${128166372003061629n + BigInt(at)},hm,0,${op},8192,4096,1331\\n`;
  await page.value(`takeTrace(new File(["${line(0, "Write")}${line(10000, "Read")}"], "two.csv"))`);
  await page.value("document.getElementById('run').click()");
  await page.until("inProgress === null && " + over);
  told.trace = await page.value("[document.getElementById('wrong').textContent, runs[0].result.host.completed.total].join('|')");
  told.complaints = page.complaints;
  told.requests = page.requests;
} finally {
  await page.close();
}
const phone = await open(chromium, url, { width: 390, height: 844 });
try {
  await phone.until(ready, 120);
  await phone.value("showGuide(0)");
  told.phone = await phone.value("[document.documentElement.scrollWidth, window.innerWidth]");
  told.unlabelled = await phone.value("[...document.querySelectorAll('input, select, textarea, button, canvas')].filter((it) => !(it.labels?.length || it.getAttribute('aria-label') || it.textContent.trim())).map((it) => it.id)");
} finally {
  await phone.close();
}
process.stdout.write(JSON.stringify(told));
