// The files of the Worker as the one module that people get, joined as the service does it.

import { readFileSync } from "node:fs";

const FILES = ["answers", "store", "worker"];

export function bundle(): string {
  const texts = FILES.map((name) => {
    const text = readFileSync(new URL(`../../src/${name}.js`, import.meta.url), "utf8");
    const own = text.replace(/^import [^;]*;\n/gm, "");
    return name === "worker" ? own : own.replace(/^export /gm, "");
  });
  return texts.join("\n");
}
