// The sentences in the sources of the process: its string literals that read as words of a
// language, but for those of tests, of the log, and of what only a programmer meets.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A string literal, with `{}` for variable parts, and its file. */
export interface Literal {
  text: string;
  file: string;
}

// Comments, and every form of literal, so that none is taken for another.
const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"([\s\S]*?)"\1|b?"((?:\\[\s\S]|[^"\\])*)"|b?'(?:\\[^']+|[^'\\])'/g;

/** Calls whose text only reaches the log or a programmer. */
const unheard =
  /(?:tracing::(?:error|warn|info|debug|trace)|panic|unreachable|assert|assert_eq|assert_ne|debug_assert|include_str|concat|env)!\s*\($|\.(?:expect|expect_err)\($/;

interface Found {
  text: string;
  at: number;
}

/** The source with every literal and comment blanked out, and the literals. */
function lexed(source: string): { code: string; found: Found[] } {
  const found: Found[] = [];
  const code = source.replace(tokens, (whole, _, raw, plain, at: number) => {
    const text = raw ?? plain?.replace(/\\\n\s*/g, "").replace(/\\(["'\\])/g, "$1");
    if (text !== undefined && !whole.startsWith("b")) found.push({ text, at });
    return whole.replace(/[^\n]/g, " ");
  });
  return { code, found };
}

/** Where the bracket that opens at `at` is closed. */
function closing(code: string, at: number): number {
  let depth = 0;
  for (let n = at; n < code.length; n++) {
    if ("([{".includes(code[n] ?? "")) depth++;
    else if (")]}".includes(code[n] ?? "") && --depth === 0) return n;
  }
  return code.length;
}

/** The parts of the source whose text is never shown. */
function silent(code: string): [from: number, to: number][] {
  const parts: [number, number][] = [];
  for (const test of code.matchAll(/#\[cfg\(test\)\]/g)) {
    const body = code.indexOf("{", test.index);
    const end = code.indexOf(";", test.index);
    if (body >= 0 && (end < 0 || body < end)) parts.push([test.index, closing(code, body)]);
  }
  for (const open of code.matchAll(/\(/g)) {
    if (unheard.test(code.slice(Math.max(0, open.index - 40), open.index + 1)))
      parts.push([open.index, closing(code, open.index)]);
  }
  // Attributes, but for those that hold the sentence of an error.
  for (const attribute of code.matchAll(/#!?\[(?!error\b)/g)) {
    const open = code.indexOf("[", attribute.index);
    parts.push([open, closing(code, open)]);
  }
  return parts;
}

/** What varies is `{}`, whatever it is called. */
function normal(text: string): string {
  return text
    .replaceAll("{{", "\u0001")
    .replaceAll("}}", "\u0002")
    .replace(/\{[^{}]*\}/g, "{}")
    .replaceAll("\u0001", "{")
    .replaceAll("\u0002", "}");
}

/** All of them below `folder`. */
export function literals(root: string, folder: string): Literal[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".rs") && !/(^|\/)tests(\.rs$|\/)/.test(name))
    .flatMap((name) => {
      const { code, found } = lexed(readFileSync(join(root, folder, name), "utf8"));
      const parts = silent(code);
      return found
        .filter(({ at }) => !parts.some(([from, to]) => from <= at && at <= to))
        .map(({ text }) => ({ text: normal(text), file: `${folder}/${name}` }));
    });
}

/** Whether it reads as words of a language rather than as a name, a path or a query. */
export function readsAsWords(text: string): boolean {
  if (/^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|VACUUM|ALTER|DROP|ATTACH|BEGIN)\b/.test(text))
    return false;
  const parts = text.split(/\s+/);
  const words = parts.filter((part) => /^["'`(,;:]*[A-Za-z][a-z'’-]+["'`),;:.?!]*$/.test(part));
  const varies = /\{\}|`/.test(text) && parts.length > 1;
  return words.length >= 2 || (words.length === 1 && varies);
}
