// Colours and font sizes are only in tokens.css, and the default presence colour is the same everywhere.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DEFAULT_COLOUR, written } from "../src/presence/colour";

const read = (path: string) => readFileSync(path, "utf8");
const TOKENS = read("src/tokens.css");

/** Not of the window: for tests and for looking at it alone. */
const ASIDE = /^(tokens\.css|preview\.ts|testing\/.*)$/;

/** A colour, or a size of type, written out. */
const WRITTEN = [
  /#[0-9a-f]{3,8}\b/gi,
  /\b(?:rgb|hsl|oklch|oklab|lab|lch)a?\(\s*[\d.]/gi,
  /\bfont(?:-size)?:[^;{}]*?\d(?:px|rem|em|pt)\b[^;{}]*/gi,
  /\d(?:px|rem|em|pt)(?:\s*\/\s*[\d.]+)?\s+(?:\$\{|var\(--(?:font|mono))/g,
  /\bcolor:\s*(?:black|white|gray|grey|red|green|blue)\b/gi,
];

/** What of a file is drawn: its style, and the strings of its script. */
function drawn(name: string): string {
  const source = read(`src/${name}`).replace(/\/\*[\s\S]*?\*\//g, "");
  if (name.endsWith(".css")) return source;
  const style = name.endsWith(".svelte") ? source.split("<style>")[1] : undefined;
  const script = source.split("<style>")[0]?.replace(/^\s*\/\/.*$/gm, "") ?? "";
  const strings = script.match(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g) ?? [];
  // A place within the page looks like a colour, too.
  return [style ?? "", ...strings.filter((one) => !/(url|href)/.test(one))].join("\n");
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.(svelte|css|ts)$/.test(name) && !ASIDE.test(name),
);

describe("only tokens.css", () => {
  test("defines colours and font sizes", () => {
    expect(files.length).toBeGreaterThan(150);
    const elsewhere = files.flatMap((name) =>
      WRITTEN.flatMap((wrong) => drawn(name).match(wrong) ?? []).map((one) => `${name}: ${one}`),
    );
    expect(elsewhere).toEqual([]);
  });

  test("defines five font sizes", () => {
    const sizes = [...TOKENS.matchAll(/--t-[a-z]+:[^;]*?([\d.]+)px/g)].map(([, size]) => size);
    expect(sizes.length).toBe(6);
    expect(new Set(sizes)).toEqual(new Set(["12", "14", "15", "22", "30"]));
  });
});

describe("the default presence colour", () => {
  const own = written(DEFAULT_COLOUR).replace(/,1$/, "");

  test.for([
    ["the window", "src/tokens.css", /--presence-default: (\d+ \d+ \d+);/],
    [
      "heartbeats",
      "../crates/service/src/presence/computer/content.rs",
      /Rgba::opaque\(([\d, ]+)\)/,
    ],
    ["the tray", "../src-tauri/desktop/tray_icon.rs", /AMBER: \[u8; 3\] = \[([\d, ]+)\]/],
    ["the custom element", "../edge/widget.js", /var\(--rgba, rgb\(([\d, ]+)\)\)/],
  ] as const)("is the same in %s", ([, path, form]) => {
    expect(form.exec(read(path))?.[1]?.replace(/[ ,]+/g, ",")).toBe(own);
  });
});
