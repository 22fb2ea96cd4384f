import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { named, stacked } from "../src/parts/chart-draw";
import { added, all } from "../src/statistics/classes";
import { rangeOf } from "../src/statistics/ranges";
import Statistics from "../src/statistics/Statistics.svelte";
import { scenes } from "../src/testing/scenes/statistics";
import { createLocale } from "../src/words/locale";
import { colours, fakeCanvas } from "./canvas";
import { drawn, englishLeft, NOW, open, wrongIn } from "./framed";
import { ownDays } from "./statistics";

fakeCanvas();

type Name = keyof typeof scenes;
const names = Object.keys(scenes) as Name[];
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const reads = (native: { calls: string[] }) =>
  native.calls
    .filter((call) => call.startsWith("statistics("))
    .map((call) => JSON.parse(call.slice("statistics(".length, -1)) as number[]);

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(names)("axe reports no violations in %s", async (name) => {
    const { container } = await open(Statistics, scenes[name], language);
    expect(await wrongIn(container, language)).toEqual([]);
  });
});

test.for(names)("the Chinese window has no English words in %s", async (name) => {
  await open(Statistics, scenes[name], "zh-CN");
  const kept =
    /Porchlight’s database failed: [\w ,]+|Porchlight|CSV|Worker|WebP|[kMG]B|\/[\w/{}]+/g;
  expect(englishLeft(kept)).toEqual([]);
});

test("requests during a hidden window are read when it is shown again", async () => {
  const { native } = await open(Statistics, scenes.full);
  const before = reads(native).length;
  let hidden = true;
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  vi.setSystemTime(NOW + 5_000);
  native.emit("home-changed", null);
  await drawn();
  expect(reads(native).length).toBe(before);
  hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  expect(reads(native).length).toBe(before + 1);
  native.emit("home-changed", null);
  Reflect.deleteProperty(document, "hidden");
});

describe("the most viewed pictures", () => {
  const card = (name = "Most viewed") =>
    within(screen.getByRole("heading", { name }).closest("section") as HTMLElement);
  const views = () =>
    card()
      .getAllByText(/views?$/)
      .map(({ textContent }) => textContent);

  test("are those of the chosen range", async () => {
    const { user } = await open(Statistics, scenes.full);
    expect(views().slice(0, 3)).toEqual(["301 views", "151 views", "101 views"]);
    await user.click(screen.getByRole("radio", { name: "30 days" }));
    await drawn();
    expect(views().slice(0, 3)).toEqual(["1,290 views", "645 views", "430 views"]);
  });

  test("can be none in the range", async () => {
    const { unmount } = await open(Statistics, scenes.quiet);
    card().getByText("No picture views in this period.");
    unmount();
    await open(Statistics, scenes.quiet, "zh-CN");
    card("热门图片").getByText("这段时间没有图片浏览。");
  });

  test("are exported by day", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    await user.click(button("Export…"));
    await user.click(screen.getByRole("menuitem", { name: "Picture views by day (CSV)" }));
    await drawn();
    expect(screen.getByText("Saved as porchlight-views.csv")).toBeTruthy();
    const edges = reads(native)[0] ?? [];
    expect(native.calls).toContain(`saveStatistics(${edges[0]}, ${edges.at(-1)}, "views")`);
  });
});

describe("the chart", () => {
  test("is drawn in the colours of the theme, and redrawn when the theme changes", async () => {
    const { container } = await open(Statistics, scenes.full);
    expect(container.querySelector(".uplot canvas")).not.toBeNull();
    expect(colours.length).toBeGreaterThan(10);
    colours.length = 0;
    document.documentElement.dataset.theme = "dark";
    await drawn();
    delete document.documentElement.dataset.theme;
    expect(colours.length).toBeGreaterThan(10);
  });

  test("describes the requests of each hour by class with the arrow keys", async () => {
    const { user } = await open(Statistics, scenes.full);
    await ownDays(user, "2026-11-20", "2026-11-20");
    const chart = screen.getByRole("slider", { name: /^Requests over time/ });
    chart.focus();
    await drawn();
    const value = () => chart.getAttribute("aria-valuetext") ?? "";
    const busiest = value();
    expect(busiest).toMatch(/^\d\d:00 to \d\d:00: \d+ requests, served \d+, redirected \d+/);
    await user.keyboard("{ArrowLeft}");
    expect(value()).not.toBe(busiest);
    await user.keyboard("{Home}");
    expect(value()).toMatch(/^00:00 to 01:00/);
    await user.keyboard("{ArrowLeft}");
    expect(value()).toMatch(/^00:00 to 01:00/);
    await user.keyboard("{End}");
    expect(value()).toMatch(/^23:00 to 00:00: 0 requests$/);
  });

  test("has its numbers in a table for screen readers", async () => {
    const { native } = await open(Statistics, scenes.full);
    const rows = within(screen.getByRole("table", { name: "Requests by day" })).getAllByRole("row");
    const edges = reads(native)[0] ?? [];
    expect(rows).toHaveLength(edges.length);
    const { steps } = await native.statistics(edges);
    const shown = rows
      .slice(1)
      .map((row) => Number(within(row).getAllByRole("cell")[0]?.textContent?.replace(",", "")));
    expect(shown).toEqual(steps.map(all));
    expect(screen.getByText(all(added(steps)).toLocaleString("en-GB"))).toBeTruthy();
  });

  test("can be loaded on a system without a language setting", async () => {
    const kept = navigator.language;
    Object.defineProperty(navigator, "language", { value: "C", configurable: true });
    expect(() => new Intl.NumberFormat(navigator.language)).toThrow();
    vi.resetModules();
    await import("../src/parts/chart-draw");
    expect(() => new Intl.NumberFormat(navigator.language)).not.toThrow();
    Object.defineProperty(navigator, "language", { value: kept, configurable: true });
  });

  test("stacks its parts, and omits empty ones", () => {
    expect(stacked([{ values: [1, 0, 4] }, { values: [2, 0, 0] }, { values: [3, 5, 1] }])).toEqual([
      [1, null, 4],
      [3, null, null],
      [6, 5, 5],
    ]);
  });

  test("labels only as many steps as fit", () => {
    expect(named(24, 1_000, 40)).toHaveLength(24);
    expect(named(24, 400, 48)).toEqual([0, 3, 6, 9, 12, 15, 18, 21]);
    expect(named(30, 300, 70)).toHaveLength(3);
  });
});

describe("the range", () => {
  const own = { from: "2026-11-01", to: "2026-11-02" };

  test("is the last seven days by default", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    expect(reads(native)[0]).toEqual(rangeOf("week", NOW, own)?.edges);
    await user.click(screen.getByRole("radio", { name: "30 days" }));
    await drawn();
    expect(reads(native).at(-1)).toHaveLength(31);
    expect(screen.getByText("Requests by day", { selector: "summary" })).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: "12 months" }));
    await drawn();
    expect(reads(native).at(-1)).toHaveLength(13);
    expect(screen.getByText("Requests by month", { selector: "summary" })).toBeTruthy();
  });

  test("shows the numbers of the last choice, whatever the order of answers", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    const answers: (() => void)[] = [];
    const read = scenes.full.statistics;
    native.answer({
      statistics: (edges: number[]) =>
        new Promise((answer) => answers.push(() => answer(read(edges)))),
    });
    await user.click(screen.getByRole("radio", { name: "12 months" }));
    await user.click(screen.getByRole("radio", { name: "30 days" }));
    answers[0]?.();
    await drawn();
    // This answer belongs to an earlier choice.
    const chart = screen.getByRole("slider", { name: /^Requests over time/ });
    expect(chart.getAttribute("aria-valuemax")).toBe("7");
    answers[1]?.();
    await drawn();
    expect(reads(native).at(-1)).toHaveLength(31);
    expect(chart.getAttribute("aria-valuemax")).toBe("30");
  });

  test("uses hours up to two days, days up to a year, then months", () => {
    const range = (from: string, to: string) => rangeOf("custom", NOW, { from, to });
    expect(range("2026-11-01", "2026-11-02")).toMatchObject({ step: "hour" });
    expect(range("2026-11-01", "2026-11-02")?.edges).toHaveLength(49);
    expect(range("2026-11-01", "2026-11-03")?.edges).toHaveLength(4);
    expect(range("2025-11-01", "2026-10-31")?.edges).toHaveLength(366);
    const years = range("2020-01-15", "2026-11-20");
    expect(years?.step).toBe("month");
    expect(years?.edges.every((edge, n, edges) => n === 0 || edge > (edges[n - 1] ?? 0))).toBe(
      true,
    );
    expect(new Date(years?.edges[0] ?? 0).getDate()).toBe(15);
    expect(new Date(years?.edges.at(-1) ?? 0).getDate()).toBe(21);
    expect(range("2026-11-02", "2026-11-01")).toBeNull();
    expect(range("", "2026-11-01")).toBeNull();
    // More months than the allowed number of edges.
    expect(range("1970-01-01", "2026-11-01")).toBeNull();
  });

  test("shows that a custom range is invalid, without a request", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    await user.click(screen.getByRole("radio", { name: "Custom…" }));
    await drawn();
    const before = reads(native).length;
    const from = screen.getByLabelText("From") as HTMLInputElement;
    from.value = "2026-12-24";
    from.dispatchEvent(new Event("change", { bubbles: true }));
    await drawn();
    expect(screen.getByText(/not be after the end date/)).toBeTruthy();
    expect(reads(native)).toHaveLength(before);
  });
});

describe("the page is updated", () => {
  test("on events, at most every two seconds", async () => {
    const { native } = await open(Statistics, scenes.full);
    native.emit("home-changed", null);
    await drawn();
    expect(reads(native)).toHaveLength(1);
    vi.setSystemTime(NOW + 2_500);
    native.emit("home-changed", null);
    native.emit("home-changed", null);
    await drawn();
    expect(reads(native)).toHaveLength(2);
  });

  test("only for ranges that are not over", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    await ownDays(user, "2026-11-01", "2026-11-10");
    const before = reads(native).length;
    vi.setSystemTime(NOW + 60_000);
    native.emit("home-changed", null);
    await drawn();
    expect(reads(native)).toHaveLength(before);
  });

  test("until another page is opened", async () => {
    const { native, unmount } = await open(Statistics, scenes.full);
    unmount();
    await drawn();
    expect(native.listeners).toBe(0);
  });
});

describe("requests by path", () => {
  const items = () =>
    within(
      screen
        .getByRole("heading", { name: "What your blog asked for" })
        .closest("section") as HTMLElement,
    ).getAllByRole("listitem");

  test("have readable names beside the path, the most requested first", async () => {
    await open(Statistics, scenes.full);
    expect(items()[0]?.textContent).toMatch(/^Pictures/);
    expect(items()[0]?.title).toBe("/i/{hash}, last requested 3 seconds ago");
    expect(items()[1]?.textContent).toMatch(/^Status/);
  });

  test("have a name for each counted endpoint", () => {
    const endpoints = Object.keys(createLocale("en").words.statistics.paths.names);
    expect(endpoints).toHaveLength(15);
    expect(Object.keys(createLocale("zh").words.statistics.paths.names)).toEqual(endpoints);
  });

  test("are summed up by class in one line, without empty classes", async () => {
    await open(Statistics, scenes.firstDay);
    const line = within(screen.getByRole("list", { name: "How they were answered" }));
    expect(line.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "Served14",
    ]);
  });
});

describe("exporting", () => {
  test("shows the name of the file", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    await user.click(button("Export…"));
    await user.click(screen.getByRole("menuitem", { name: "Requests by hour (CSV)" }));
    await drawn();
    expect(screen.getByText("Saved as porchlight-calls.csv")).toBeTruthy();
    const edges = reads(native)[0] ?? [];
    expect(native.calls).toContain(`saveStatistics(${edges[0]}, ${edges.at(-1)}, "calls")`);
  });

  test("shows nothing if it was cancelled", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    native.answer({ saveStatistics: null });
    await user.click(button("Export…"));
    await user.click(screen.getByRole("menuitem", { name: "Requests by hour (CSV)" }));
    await drawn();
    expect(screen.queryByText(/Saved/)).toBeNull();
  });
});

test("copying a picture's link sends only its hash", async () => {
  const { native, user } = await open(Statistics, scenes.full);
  await user.click(button("Copy link to the picture with 301 views"));
  expect(native.calls).toContain('copyLinks(["00000000000000000000000000000001"], "own")');
  await drawn();
  expect(screen.getByText("Link copied")).toBeTruthy();
});

test("before the first request the page shows an empty state, not empty axes", async () => {
  await open(Statistics, scenes.empty);
  expect(screen.getByText(/No visits yet/)).toBeTruthy();
  expect(screen.queryByRole("slider")).toBeNull();
});
