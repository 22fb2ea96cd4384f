import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { hours, roundTop } from "../src/readers/hours";
import { lit, NOW } from "../src/testing/scenes";
import { open, text } from "./window";

describe("the calls of a day", () => {
  test("are counted, and described for those who do not see the chart", async () => {
    await open("on");
    const chart = screen.getByRole("img", { name: /calls in the last 24 hours/ });
    expect(chart.getAttribute("aria-label")).toMatch(
      /^1,292 calls in the last 24 hours\. The busiest hour was .+ to .+, with 132\.$/,
    );
    expect(chart.querySelectorAll(".bar").length).toBe(24);
  });

  test("are read off one hour by pointing at it", async () => {
    const { container } = await open("on");
    const bar = container.querySelectorAll(".chart .bar")[20];
    if (bar === undefined) throw new Error("no bar");
    await fireEvent.pointerEnter(bar);
    expect(container.querySelector(".total")?.textContent).toContain("132");
  });

  test("may be none", async () => {
    await open("empty");
    expect(screen.getByRole("img", { name: "No calls in the last 24 hours." })).toBeTruthy();
    expect(text()).toContain("Nobody has asked for anything yet.");
  });

  test("end with the running hour", () => {
    const bars = hours(lit.callsByHour, NOW);
    expect(bars.at(-1)).toEqual({ start: Date.UTC(2026, 10, 20, 14), calls: 41 });
    expect(bars[0]?.start).toBe(Date.UTC(2026, 10, 19, 15));
  });

  test("are drawn to a round and even top", () => {
    const tops = [0, 1, 2, 3, 9, 10, 11, 41, 101, 132, 1_000, 48_211].map(roundTop);
    expect(tops).toEqual([2, 2, 2, 4, 10, 10, 20, 60, 200, 200, 1_000, 60_000]);
  });
});

describe("the paths", () => {
  test("have their counts and the time of the last call", async () => {
    await open("on");
    const rows = within(screen.getByRole("table", { name: "What they ask for" })).getAllByRole(
      "row",
    );
    expect(rows.length).toBe(7);
    const cells = [...(rows[1]?.children ?? [])].map((cell) => cell.textContent?.trim());
    expect(cells).toEqual(["/i/{hash}", "48,211", "3 seconds ago"]);
  });
});
