import { expect, test } from "vitest";

test("a desktop without a language setting uses English", async () => {
  Object.defineProperty(navigator, "language", { value: "C", configurable: true });
  expect(() => new Intl.NumberFormat(navigator.language)).toThrow(RangeError);
  await import("../src/language");
  expect(navigator.language).toBe("en");
});
