// One run of the module under Node: `node node.mjs MODULE ROOT < question`, a `begin` as in JSON; prints the result.
// ROOT has `drives/` and `chips/`. Tests compare what it prints with what the command writes.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const here = dirname(fileURLToPath(import.meta.url));
for (const name of ["wasi.js", "engine.js"]) vm.runInThisContext(readFileSync(join(here, name), "utf8"), name);
const { Engine, Held } = vm.runInThisContext("({ Engine, Held })");

function texts(root, below, found = {}) {
  for (const name of readdirSync(join(root, below))) {
    const path = `${below}/${name}`;
    if (statSync(join(root, path)).isDirectory()) texts(root, path, found);
    else if (name.endsWith(".toml")) found[path] = readFileSync(join(root, path), "utf8");
  }
  return found;
}

const [modulePath, root] = process.argv.slice(2);
const question = JSON.parse(readFileSync(0, "utf8"));
const module = await WebAssembly.compile(readFileSync(modulePath));
const engine = new Engine(module, { ...texts(root, "drives"), ...texts(root, "chips") });
for (const [path, from] of Object.entries(question.files ?? {})) engine.files.put(path, new Held(new Uint8Array(readFileSync(from))));
delete question.files;
try {
  const begun = performance.now();
  const about = engine.ask(question);
  let result = about;
  if (question.ask === "begin") {
    const begins = performance.now();
    let looks = 0;
    while (!engine.ask({ ask: "advance", events: 200000 }).progress.done) {
      // Looking must not change what is seen.
      if (process.env.LOOK && (looks += 1)) engine.ask({ ask: "look" });
    }
    result = engine.ask({ ask: "result" });
    result.timing = { open_ms: begins - begun, run_ms: performance.now() - begins, memory_bytes: engine.bytes, looks };
  }
  process.stdout.write(JSON.stringify(result));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.constructor.name === "InputError" ? 2 : 3;
}
