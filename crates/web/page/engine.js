// The module, and questions to it in JSON.
"use strict";

/** Bad input: the message is the command's own. */
class InputError extends Error {}

/** A broken invariant: the module is at its end, and a new one must be made. */
class Fault extends Error {}

class Engine {
  /** `module` is compiled; `texts` are the drives and chips that come with it, by path. */
  constructor(module, texts) {
    this.files = new Files(texts);
    this.said = "";
    const memory = () => this.calls.memory;
    const calls = wasiCalls(this.files, memory, (text) => { this.said += text; });
    const imports = {};
    for (const { module: room, name } of WebAssembly.Module.imports(module)) {
      (imports[room] ??= {})[name] = calls[name] ?? (() => WASI_NOSYS);
    }
    this.calls = new WebAssembly.Instance(module, imports).exports;
    this.calls._initialize?.();
  }

  /** The answer to a question. Throws InputError, or Fault when nothing can be asked any more. */
  ask(question) {
    const asked = new TextEncoder().encode(JSON.stringify(question));
    let answer;
    try {
      const room = this.calls.lab_room(asked.length);
      new Uint8Array(this.calls.memory.buffer, room, asked.length).set(asked);
      const length = this.calls.lab_ask();
      const at = this.calls.lab_answer();
      answer = new TextDecoder().decode(new Uint8Array(this.calls.memory.buffer, at, length).slice());
    } catch (error) {
      throw new Fault(this.said.trim() || String(error));
    }
    const found = JSON.parse(answer);
    if (found.error !== undefined && Object.keys(found).length === 1) throw new InputError(found.error);
    return found;
  }

  /** Bytes that the module has taken of the machine. */
  get bytes() { return this.calls.memory.buffer.byteLength; }
}
