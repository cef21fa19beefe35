// Runs a command for WASI under Node, with the working directory as its own: `node wasi.mjs MODULE < questions`.
import { mkdirSync, readFileSync } from "node:fs";
import { WASI } from "node:wasi";

mkdirSync("tmp", { recursive: true });
const wasi = new WASI({ version: "preview1", args: ["portable"], preopens: { ".": ".", "/tmp": "tmp" }, returnOnExit: true });
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
