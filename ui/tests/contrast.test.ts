// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

type Rgb = [number, number, number];

const tokens = readFileSync(new URL("../src/tokens.css", import.meta.url), "utf8");

function hex(text: string): Rgb {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A token's colour by day (0) or by night (1). */
function token(name: string, theme: 0 | 1): Rgb {
  const found = tokens.match(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`));
  const text = found?.[theme + 1];
  if (text === undefined) throw new Error(`no colour --${name}`);
  return hex(text);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (bright + 0.05) / (dark + 0.05);
}

const mixed = (below: Rgb, above: Rgb, alpha: number): Rgb =>
  below.map((part, n) => part * (1 - alpha) + (above[n] ?? 0) * alpha) as Rgb;

const texts: [string, string][] = [
  ...["bg", "side", "card", "tint"].flatMap((ground): [string, string][] => [
    ["ink", ground],
    ["ink2", ground],
  ]),
  ["ink3", "bg"],
  ["ink3", "card"],
  ["on-lamp", "lamp"],
  ["on-lamp", "lamp-deep"],
  ["bad", "card"],
  ["ink", "warn-soft"],
  ["ink2", "warn-soft"],
  ["lamp", "card"],
  ["lamp-deep", "tint"],
  // Links, what is saved, what waits, and the loud lines of the log.
  ["good", "card"],
  ["warn", "card"],
  ["warn", "bg"],
  ["bad", "bg"],
  ["ink", "lamp-soft"],
];

// Signs, dots, bars and the outline of the focus.
const signs: [string, string][] = [
  ["lamp", "card"],
  ["lamp", "bg"],
  ["lamp", "tint"],
  ["good", "tint"],
  ["good", "side"],
  ["warn", "tint"],
  ["warn", "side"],
  ["warn", "warn-soft"],
  ["bad", "tint"],
  ["bad", "side"],
  ["ink3", "side"],
  ["ink3", "tint"],
];

describe.for([
  ["by day", 0],
  ["by night", 1],
] as const)("%s", ([, theme]) => {
  test.for(texts)("text in %s can be read on %s", ([text, ground]) => {
    expect(contrast(token(text, theme), token(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  test.for(signs)("a sign in %s can be seen on %s", ([sign, ground]) => {
    expect(contrast(token(sign, theme), token(ground, theme))).toBeGreaterThanOrEqual(3);
  });

  // The glow is at most 13 % strong where words begin, the reader's preview 10 %.
  test.for([
    [255, 255, 255],
    [0, 0, 0],
    [255, 255, 0],
    [0, 0, 255],
    [233, 30, 99],
  ] as Rgb[])("words can be read in the glow of %s, %s, %s", (presence) => {
    const ground = mixed(token("card", theme), presence, 0.13);
    expect(contrast(token("ink2", theme), ground)).toBeGreaterThanOrEqual(4.5);
  });
});
