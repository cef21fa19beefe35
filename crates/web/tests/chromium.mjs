// Chromium over its own pipe: no package is needed. `open(chromium, url, {width, height, dark})` gives a page.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function open(chromium, url, { width = 1280, height = 900, dark = false } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "lab-"));
  const words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe"];
  const child = spawn(chromium, [...words, `--user-data-dir=${profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map(), complaints = [], requests = [];
  let serial = 0, rest = "";
  const send = (method, params = {}, sessionId = undefined) => new Promise((done, failed) => {
    serial += 1;
    waiting.set(serial, [done, failed]);
    child.stdio[3].write(`${JSON.stringify({ id: serial, method, params, sessionId })}\0`);
  });
  const told = ({ method, params }) => {
    if (method === "Runtime.exceptionThrown") complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled") complaints.push(params.args.map((arg) => arg.value).join(" "));
    if (method === "Log.entryAdded") complaints.push(params.entry.text);
    if (method === "Network.requestWillBeSent") requests.push(params.request.url.slice(0, 200));
  };
  child.stdio[4].on("data", (data) => {
    const pieces = (rest + data).split("\0");
    rest = pieces.pop();
    for (const piece of pieces) {
      const message = JSON.parse(piece);
      if (message.id === undefined) { told(message); continue; }
      const [done, failed] = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) failed(new Error(message.error.message)); else done(message.result);
    }
  });
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await call(`${domain}.enable`);
  await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
  await call("Page.navigate", { url });
  const page = {
    complaints, requests, call,
    /** The value of an expression in the page; a promise's own. */
    async value(expression) {
      const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    /** Waits until an expression is true. */
    async until(expression, seconds = 60) {
      const end = Date.now() + seconds * 1000;
      while (!(await page.value(`Boolean(${expression})`).catch(() => false))) {
        if (Date.now() > end) throw new Error(`not within ${seconds} s: ${expression}`);
        await new Promise((done) => setTimeout(done, 50));
      }
    },
    async picture() { return Buffer.from((await call("Page.captureScreenshot", { captureBeyondViewport: true })).data, "base64"); },
    async close() {
      const over = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await over;
      // Its helper processes write a moment longer.
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
  return page;
}
