// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  CHOICES,
  contrast,
  fromHex,
  night,
  paper,
  parse,
  shades,
  toHex,
  written,
} from "../src/presence/colour";

type Rgb = [number, number, number];

const rgb = (css: string) => (css.match(/\d+/g) ?? []).map(Number) as Rgb;

test("the reference backgrounds equal the card colours of the two themes", () => {
  const tokens = readFileSync(new URL("../src/tokens.css", import.meta.url), "utf8");
  const hex = (colour: Rgb) =>
    toHex({ red: colour[0], green: colour[1], blue: colour[2], alpha: 1 });
  expect(tokens).toContain(`--card: light-dark(${hex(paper)}, ${hex(night)})`);
});

test("each predefined status colour has enough contrast on both themes unchanged", () => {
  for (const [name, choice] of Object.entries(CHOICES)) {
    const { red, green, blue } = parse(choice) ?? { red: 0, green: 0, blue: 0 };
    for (const ground of [paper, night])
      expect(contrast([red, green, blue], ground), name).toBeGreaterThanOrEqual(3);
  }
});

describe("a presence colour", () => {
  test.for(["255,255,255,1", "0,0,0,1", "255,255,0,0.1", "24,28,35,1", "233,30,99,0.9", ""])(
    "%s is adjusted to have enough contrast on both themes",
    (rgba) => {
      const { day, night: dark } = shades(rgba);
      // Rounding to whole parts may cost a hair.
      expect(contrast(rgb(day), paper)).toBeGreaterThanOrEqual(2.95);
      expect(contrast(rgb(dark), night)).toBeGreaterThanOrEqual(2.95);
    },
  );

  test("with enough contrast is not changed", () => {
    expect(shades("163,95,0,1").day).toBe("rgb(163 95 0)");
  });

  test("is parsed as the service parses it", () => {
    expect(parse("233, 30,99 ,0.9")).toEqual({ red: 233, green: 30, blue: 99, alpha: 0.9 });
    for (const wrong of ["", "1,2,3", "256,0,0,1", "1,2,3,1.1", "1,2,3,-1", "a,b,c,1", "1,2,3,4,5"])
      expect(parse(wrong)).toBeNull();
  });

  test("survives the conversion to a colour field and back", () => {
    expect(written(fromHex("#084ccf", 0.55))).toBe("8,76,207,0.55");
    expect(toHex(fromHex("#00ff0a", 1))).toBe("#00ff0a");
  });
});
