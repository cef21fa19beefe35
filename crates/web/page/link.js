// A setup as the fragment of a link, and back: the same text to the letter.
"use strict";

const SETUP_KEYS = ["v", "drive", "toml", "set", "job", "precondition", "seed", "seconds", "requests", "change"];

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function toFragment(setup) {
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(setup)));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return `#s=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The setup of a fragment; null where there is none. Throws where it is damaged. */
async function ofFragment(fragment) {
  if (!fragment.startsWith("#s=")) return null;
  try {
    const text = atob(fragment.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
    const setup = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const odd = Object.keys(setup).find((key) => !SETUP_KEYS.includes(key)) ?? SETUP_KEYS.find((key) => !(key in setup));
    const wrong = odd ?? Object.keys(setup).find((key) => !["v", "toml"].includes(key) && typeof setup[key] !== "string");
    if (setup.v !== 1 || wrong !== undefined) throw new Error(wrong ?? "v");
    return setup;
  } catch (error) {
    throw new Error(`the link's setup is damaged (${error.message}): expected a link as "Copy link" makes it`);
  }
}
