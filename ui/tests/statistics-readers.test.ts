import { screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { Statistics as Numbers } from "../src/api/types";
import Statistics from "../src/statistics/Statistics.svelte";
import { FakeNative } from "../src/testing/fake-native";
import { scenes } from "../src/testing/scenes/statistics";
import { fakeCanvas } from "./canvas";
import { drawn, NOW, open } from "./framed";
import { ownDays } from "./statistics";

fakeCanvas();

describe("the readers", () => {
  const table = () => screen.getByRole("table", { name: "Readers" });
  /** The day of the month, and its text. */
  const rows = () =>
    within(table())
      .getAllByRole("row")
      .slice(1)
      .map((row) => {
        const day = within(row).getByRole("rowheader").textContent?.match(/\d+/)?.[0];
        return `${day}: ${within(row).getByRole("cell").textContent}`;
      });

  const chosen = async (statistics: Partial<Numbers>) => {
    const native = new FakeNative(scenes.full);
    const answer = scenes.full.statistics;
    native.answer({
      statistics: (edges: number[]) => ({ ...answer(edges), ...statistics }),
    });
    return open(Statistics, native);
  };
  const day = (day: number, count: number, more = false) => ({ day, readers: { count, more } });

  test("are shown for each day of the range, with today highlighted", async () => {
    // 14, 16 and 20 November 2026.
    const readers = [day(20_771, 7), day(20_773, 1, true), day(20_777, 0, true)];
    const { user } = await chosen({ readers });
    expect(rows()).toEqual([
      "14: 7 readers",
      "15: 0 readers",
      "16: at least 1 reader",
      "17: 0 readers",
      "18: 0 readers",
      "19: 0 readers",
      "20: unknown",
    ]);
    const chart = screen.getByRole("slider", { name: /^Readers over time/ });
    chart.focus();
    await user.keyboard("{Home}");
    expect(chart.getAttribute("aria-valuetext")).toMatch(/14.*: 7 readers$/);
    expect(screen.getByText("8+")).toBeTruthy();
  });

  test("are summed by month", async () => {
    const readers = [day(20_760, 7), day(20_758, 5), day(20_757, 4)];
    const { user } = await chosen({ readers });
    await user.click(screen.getByRole("radio", { name: "12 months" }));
    await drawn();
    const months = within(table()).getAllByRole("row").slice(-2);
    expect(months.map((row) => within(row).getByRole("cell").textContent)).toEqual([
      "4 readers",
      "12 readers",
    ]);
    expect(screen.getByText("16")).toBeTruthy();
  });

  test("are shown by day for a range in hours", async () => {
    const { user } = await open(Statistics, scenes.full);
    await ownDays(user, "2026-11-19", "2026-11-20");
    expect(rows()).toHaveLength(2);
    expect(screen.getByText("Requests by hour", { selector: "summary" })).toBeTruthy();
  });

  test("are compared with the days before if both numbers are known", async () => {
    const before = [day(20_764, 5), day(20_770, 5)];
    const { unmount } = await chosen({ readers: [...before, day(20_771, 15)] });
    expect(screen.getByText("50% more than in the 7 days before")).toBeTruthy();
    unmount();
    for (const [unknown, first] of [
      [[day(20_764, 5, true), day(20_771, 15)], 0],
      [[day(20_764, 5), day(20_771, 15, true)], 0],
      [[...before, day(20_771, 15)], NOW - 8 * 86_400_000],
      [[day(20_771, 15)], 0],
    ] as const) {
      const { unmount } = await chosen({ readers: [...unknown], first });
      expect(screen.queryByText(/days before/)).toBeNull();
      unmount();
    }
  });

  test("can be zero, with a link to set up the blog", async () => {
    await open(Statistics, scenes.quiet);
    expect(screen.getByText("No readers in this period.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Add to your blog…" })).toBeTruthy();
  });

  test("of the first day are shown beside days without counts", async () => {
    await open(Statistics, scenes.firstDay);
    expect(screen.getByText("· 3 today")).toBeTruthy();
    expect(rows().at(-1)).toBe("20: 3 readers");
  });
});

describe("the four numbers", () => {
  const tiles = () =>
    [...document.querySelectorAll("li.card")].map((tile) =>
      [...tile.children].map(({ textContent }) => textContent).join(" "),
    );

  test("are requests, bytes sent, space used, and bytes saved", async () => {
    const native = new FakeNative(scenes.full);
    const none = { good: 0, redirected: 0, refused: 0, failed: 0, hungUp: 0 };
    native.answer({
      statistics: (edges: number[]) => ({
        ...scenes.full.statistics(edges),
        steps: [{ ...none, good: 1_990, redirected: 9, failed: 1 }],
        sent: 318_000_000,
      }),
    });
    await open(Statistics, native);
    expect(tiles()).toEqual([
      "2,000 requests, 99.9% answered",
      "318 MB of pictures sent to readers",
      "1.2 GB used by 5,004 pictures",
      "70.9% smaller than the originals: 2.9 GB saved",
    ]);
  });

  test("are only those about pictures before the first request, and none without pictures", async () => {
    const { unmount } = await open(Statistics, scenes.emptyWithPictures);
    expect(tiles()).toHaveLength(2);
    unmount();
    await open(Statistics, scenes.empty);
    expect(tiles()).toEqual([]);
  });
});
