// The search field: what can be typed, and the result.

import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { ALL, parseSearch } from "../src/images/search";
import { hash } from "../src/testing/scenes/images";
import { button, drawn, NOW, open, text } from "./images";

const local = (...parts: [number, number, number]) => new Date(...parts).getTime();
const span = (from: number | null, to: number | null) => ({ ...ALL, from, to });

describe("a search", () => {
  test.for([
    ["", span(null, null)],
    ["2026", span(local(2026, 0, 1), local(2027, 0, 1))],
    ["2026-11", span(local(2026, 10, 1), local(2026, 11, 1))],
    ["2026-12", span(local(2026, 11, 1), local(2027, 0, 1))],
    [" 2026-11-20 ", span(local(2026, 10, 20), local(2026, 10, 21))],
    ["2026/11/3", span(local(2026, 10, 3), local(2026, 10, 4))],
    ["2028-02-29", span(local(2028, 1, 29), local(2028, 2, 1))],
    ["2026-11-01..2026-11-20", span(local(2026, 10, 1), local(2026, 10, 21))],
    ["2026-11-20 .. 2026-11-01", span(local(2026, 10, 1), local(2026, 10, 21))],
    ["2025..2026-02", span(local(2025, 0, 1), local(2026, 2, 1))],
    ["2026-11..", span(local(2026, 10, 1), null)],
    ["..2026-11", span(null, local(2026, 11, 1))],
  ] as const)("for %s finds days in the local time zone", ([written, wanted]) => {
    expect(parseSearch(written, NOW)).toEqual(wanted);
  });

  test("understands today and yesterday in both languages", () => {
    const now = new Date(2026, 2, 1, 9).getTime();
    const today = span(local(2026, 2, 1), local(2026, 2, 2));
    const yesterday = span(local(2026, 1, 28), local(2026, 2, 1));
    expect(parseSearch("today", now)).toEqual(today);
    expect(parseSearch("今天", now)).toEqual(today);
    expect(parseSearch("Yesterday", now)).toEqual(yesterday);
    expect(parseSearch("昨天", now)).toEqual(yesterday);
    expect(parseSearch("yesterday..today", now)).toEqual(span(yesterday.from, today.to));
  });

  const whole = "0123456789abcdef0123456789abcdef";
  test.for([
    [`https://light.example.org/i/${whole}`, whole],
    [`https://light.example.org/images/${whole.toUpperCase()}?w=640`, whole],
    [`/i/${whole}.webp#top`, whole],
  ] as const)("for %s finds a picture by its link", ([written, wanted]) => {
    expect(parseSearch(written, NOW)).toEqual({ ...ALL, hash: wanted });
  });

  test.for([
    ["a", "a"],
    ["00FF", "00ff"],
    ["20261120", "20261120"],
    [whole, whole],
    [`${whole}.webp`, whole],
  ] as const)("for %s finds names and hashes", ([written, wanted]) => {
    expect(parseSearch(written, NOW)).toEqual({ ...ALL, hash: wanted, name: wanted });
  });

  test.for([
    ["Harbour", "harbour"],
    ["harbour.JPEG", "harbour"],
    [".png", ".png"],
    ["2026-13", "2026-13"],
    ["2026-02-30", "2026-02-30"],
    ["1492-10-12", "1492-10-12"],
    ["..", ".."],
    ["2026..2031-13", "2026..2031-13"],
    [`${whole}0`, `${whole}0`],
  ] as const)("for %s finds names", ([written, wanted]) => {
    expect(parseSearch(written, NOW)).toEqual({ ...ALL, name: wanted });
  });
});

describe("the search field", () => {
  test("searches once the user stops typing", async () => {
    const { native, user } = await open("full");
    await user.type(
      screen.getByRole("searchbox", { name: "Search by name, date or link" }),
      "2026-11-19",
    );
    await screen.findByText(/^\d+ found$/);
    const wanted = JSON.stringify(span(local(2026, 10, 19), local(2026, 10, 20)));
    expect(native.calls).toContain(`images(${wanted}, 0, 200)`);
    expect(document.querySelectorAll("[data-index]").length).toBe(16);
  });

  test("finds one picture by its address", async () => {
    const { user } = await open("full");
    await user.click(screen.getByRole("searchbox"));
    await user.paste(`https://light.example.org/i/${hash(17)}`);
    await screen.findByText("1 found");
    expect(document.querySelectorAll("[data-index]").length).toBe(1);
  });

  test("finds pictures by a part of their name", async () => {
    const { native, user } = await open("full");
    await user.type(screen.getByRole("searchbox"), "HARB{Enter}");
    await screen.findByText("484 found");
    expect(native.calls).toContain(`images(${JSON.stringify({ ...ALL, name: "harb" })}, 0, 200)`);
    const cell = document.querySelector("[data-index]");
    expect(cell?.getAttribute("aria-label")).toMatch(/^evening harbour, Picture added/);
  });

  test("offers to show everything if nothing matches", async () => {
    const { user } = await open("full");
    await user.type(screen.getByRole("searchbox"), "2031{Enter}");
    await drawn();
    expect(text()).toContain("No pictures found.");
    await user.click(button("Show all pictures"));
    await screen.findByText("2,417 in total");
    expect((screen.getByRole("searchbox") as HTMLInputElement).value).toBe("");
  });
});
