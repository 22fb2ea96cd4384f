// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

type Rgb = [number, number, number];

const tokens = readFileSync(new URL("../src/tokens.css", import.meta.url), "utf8");
const base = readFileSync(new URL("../src/base.css", import.meta.url), "utf8");

function hex(text: string): Rgb {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A token's colour in the light (0) or dark (1) theme. */
function token(name: string, theme: 0 | 1): Rgb {
  const found = tokens.match(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`));
  const text = found?.[theme + 1];
  if (text === undefined) throw new Error(`no colour --${name}`);
  return hex(text);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(linear) as Rgb;
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

/** The colour of `.glows`: with a minimum lightness in the light theme and a maximum in the dark one. */
function glow(presence: Rgb, theme: 0 | 1): Rgb {
  const [day, night] = ["max", "min"].map((which) =>
    Number(base.match(new RegExp(`oklch\\(from .*${which}\\(l, ([\\d.]+)\\) c h\\)`))?.[1]),
  ) as [number, number];
  const [light, a, b] = oklab(presence);
  return fromOklab([theme === 0 ? Math.max(light, day) : Math.min(light, night), a, b]);
}

const linear = (part: number) => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};
const times = (rows: number[][], [x, y, z]: Rgb): Rgb =>
  rows.map(([a = 0, b = 0, c = 0]) => a * x + b * y + c * z) as Rgb;

// The matrices of CSS Color 4.
function oklab(colour: Rgb): Rgb {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour.map(linear) as Rgb,
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt) as Rgb,
  );
}

function fromOklab(colour: Rgb): Rgb {
  const cones = times(
    [
      [1, 0.3963377774, 0.2158037573],
      [1, -0.1055613458, -0.0638541728],
      [1, -0.0894841775, -1.291485548],
    ],
    colour,
  );
  const parts = times(
    [
      [4.0767416621, -3.3077115913, 0.2309699292],
      [-1.2684380046, 2.6097574011, -0.3413193965],
      [-0.0041960863, -0.7034186147, 1.707614701],
    ],
    cones.map((cone) => cone ** 3) as Rgb,
  );
  // Out of gamut: clamp each part.
  return parts.map((part) => {
    const share = Math.min(1, Math.max(0, part));
    return 255 * (share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055);
  }) as Rgb;
}

const texts: [string, string][] = [
  ...["bg", "side", "card", "tint"].flatMap((ground): [string, string][] => [
    ["ink", ground],
    ["ink2", ground],
  ]),
  ["ink3", "bg"],
  ["ink3", "card"],
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
  ["bad", "card"],
  ["ink", "warn-soft"],
  ["ink2", "warn-soft"],
  ["accent", "card"],
  ["accent-strong", "tint"],
  // Links, saved and pending states, and warnings in the log.
  ["good", "card"],
  ["warn", "card"],
  ["warn", "bg"],
  ["bad", "bg"],
  ["ink", "accent-soft"],
];

// Icons, dots, bars and the focus outline.
const signs: [string, string][] = [
  // The borders of fields.
  ["field", "card"],
  ["field", "bg"],
  ["field", "tint"],
  ["accent", "card"],
  ["accent", "bg"],
  ["accent", "tint"],
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
  test.for(texts)("text in %s is readable on %s", ([text, ground]) => {
    expect(contrast(token(text, theme), token(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  test.for(signs)("a symbol in %s is visible on %s", ([sign, ground]) => {
    expect(contrast(token(sign, theme), token(ground, theme))).toBeGreaterThanOrEqual(3);
  });

  test("the selected option is lighter than the others and readable", () => {
    const [raised, tint] = [token("raised", theme), token("tint", theme)];
    expect(luminance(raised)).toBeGreaterThan(luminance(tint));
    expect(contrast(token("ink", theme), raised)).toBeGreaterThanOrEqual(4.5);
    if (theme === 1) expect(contrast(raised, tint)).toBeGreaterThanOrEqual(1.4);
  });

  // The glow is at most 36 % strong where words begin, the reader's preview 18 %.
  test.for([
    [255, 255, 255],
    [0, 0, 0],
    [255, 255, 0],
    [0, 255, 0],
    [0, 0, 255],
    [233, 30, 99],
    [255, 170, 60],
  ] as Rgb[])("text is readable on the glow of %s, %s, %s", (presence) => {
    const ground = mixed(token("card", theme), glow(presence, theme), 0.36);
    expect(contrast(token("ink2", theme), ground)).toBeGreaterThanOrEqual(4.5);
  });
});
