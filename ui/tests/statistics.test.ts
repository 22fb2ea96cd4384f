import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { named, stacked } from "../src/parts/chart-draw";
import { added, all } from "../src/statistics/classes";
import { rangeOf } from "../src/statistics/ranges";
import Statistics from "../src/statistics/Statistics.svelte";
import { scenes } from "../src/testing/scenes/statistics";
import { colours, fakeCanvas } from "./canvas";
import { drawn, englishLeft, NOW, open, wrongIn } from "./framed";

fakeCanvas();

type Name = keyof typeof scenes;
const names = Object.keys(scenes) as Name[];
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const reads = (native: { asked: string[] }) =>
  native.asked
    .filter((asked) => asked.startsWith("statistics.read"))
    .map((asked) => JSON.parse(asked.slice("statistics.read(".length, -1)) as number[]);

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(names)("axe finds nothing in %s", async (name) => {
    const { container } = await open(Statistics, scenes[name], language);
    expect(await wrongIn(container, language)).toEqual([]);
  });
});

test.for(names)("no English word is left in the Chinese window in %s", async (name) => {
  await open(Statistics, scenes[name], "zh-CN");
  const kept = /Porchlight|CSV|\/[\w/{}]+/g;
  expect(englishLeft(kept)).toEqual([]);
});

test("calls that come while the window is hidden are read when it is seen again", async () => {
  const { native } = await open(Statistics, scenes.full);
  const before = reads(native).length;
  let hidden = true;
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  vi.setSystemTime(NOW + 5_000);
  native.tell("home-changed", null);
  await drawn();
  expect(reads(native).length).toBe(before);
  hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  expect(reads(native).length).toBe(before + 1);
  native.tell("home-changed", null);
  Reflect.deleteProperty(document, "hidden");
});

describe("the readers", () => {
  const table = () => screen.getByRole("table", { name: "Readers by day" });
  /** The day of the month, and its text. */
  const rows = () =>
    within(table())
      .getAllByRole("row")
      .slice(1)
      .map((row) => {
        const day = within(row).getByRole("rowheader").textContent?.match(/\d+/)?.[0];
        return `${day}: ${within(row).getByRole("cell").textContent}`;
      });

  test("are told for each day of the range, and today on the first page alone", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    expect(screen.queryByText("Readers by day")).toBeNull();
    const { read } = scenes.full.statistics;
    native.answer("statistics", {
      read: (edges: number[]) => ({
        ...read(edges),
        // 14, 16 and 20 November 2026.
        readers: [
          { day: 20_771, readers: { count: 7, more: false } },
          { day: 20_773, readers: { count: 1, more: true } },
          { day: 20_777, readers: { count: 0, more: true } },
        ],
      }),
    });
    await user.click(screen.getByRole("radio", { name: "7 days" }));
    await drawn();
    expect(rows()).toEqual([
      "14: 7 readers",
      "15: 0 readers",
      "16: at least 1 reader",
      "17: 0 readers",
      "18: 0 readers",
      "19: 0 readers",
      "20: unknown",
    ]);
    const chart = screen.getByRole("slider", { name: /^Readers by day/ });
    chart.focus();
    await user.keyboard("{Home}");
    expect(chart.getAttribute("aria-valuetext")).toMatch(/14.*: 7 readers$/);
    await user.click(screen.getByRole("radio", { name: "12 months" }));
    await drawn();
    expect(rows().length).toBeGreaterThan(334);
  });
});

describe("the pictures that were looked at most", () => {
  const card = (name = "Most viewed pictures") =>
    within(screen.getByRole("heading", { name }).closest("section") as HTMLElement);
  const views = () =>
    card()
      .getAllByText(/views?$/)
      .map(({ textContent }) => textContent);

  test("are those of the range that is chosen", async () => {
    const { user } = await open(Statistics, scenes.full);
    expect(views().slice(0, 3)).toEqual(["43 views", "22 views", "15 views"]);
    await user.click(screen.getByRole("radio", { name: "7 days" }));
    await drawn();
    expect(views().slice(0, 3)).toEqual(["301 views", "151 views", "101 views"]);
  });

  test("may be none in it", async () => {
    const { unmount } = await open(Statistics, scenes.quiet);
    card().getByText("No picture views in this period.");
    unmount();
    await open(Statistics, scenes.quiet, "zh-CN");
    card("热门图片").getByText("这段时间没有图片浏览。");
  });

  test("are saved day by day", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    await user.click(button("Export views as CSV"));
    await drawn();
    expect(screen.getByText("Saved as porchlight-views.csv")).toBeTruthy();
    const edges = reads(native)[0] ?? [];
    expect(native.asked).toContain(`statistics.saveCsv(${edges[0]}, ${edges.at(-1)}, "views")`);
  });
});

describe("the chart", () => {
  test("is drawn once there is room for it, in the colours of the theme, and again in another", async () => {
    const { container } = await open(Statistics, scenes.full);
    expect(container.querySelector(".uplot canvas")).not.toBeNull();
    expect(colours.length).toBeGreaterThan(10);
    colours.length = 0;
    document.documentElement.dataset.theme = "dark";
    await drawn();
    delete document.documentElement.dataset.theme;
    expect(colours.length).toBeGreaterThan(10);
  });

  test("is gone through with the arrow keys: each hour says its calls by class", async () => {
    const { user } = await open(Statistics, scenes.full);
    const chart = screen.getByRole("slider", { name: /over time/ });
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

  test("has its numbers in a table, too", async () => {
    const { native } = await open(Statistics, scenes.full);
    const rows = within(screen.getByRole("table", { name: "Requests by hour" })).getAllByRole(
      "row",
    );
    const edges = reads(native)[0] ?? [];
    expect(rows).toHaveLength(edges.length);
    const { steps } = await native.statistics.read(edges);
    const shown = rows
      .slice(1)
      .map((row) => Number(within(row).getAllByRole("cell")[0]?.textContent));
    expect(shown).toEqual(steps.map(all));
    expect(screen.getByText(String(all(added(steps))))).toBeTruthy();
  });

  test("can be loaded where the system has no language", async () => {
    const kept = navigator.language;
    Object.defineProperty(navigator, "language", { value: "C", configurable: true });
    expect(() => new Intl.NumberFormat(navigator.language)).toThrow();
    vi.resetModules();
    await import("../src/parts/chart-draw");
    expect(() => new Intl.NumberFormat(navigator.language)).not.toThrow();
    Object.defineProperty(navigator, "language", { value: kept, configurable: true });
  });

  test("stacks its parts, and draws none where there is nothing", () => {
    expect(stacked([{ values: [1, 0, 4] }, { values: [2, 0, 0] }, { values: [3, 5, 1] }])).toEqual([
      [1, null, 4],
      [3, null, null],
      [6, 5, 5],
    ]);
  });

  test("names only as many steps as fit", () => {
    expect(named(24, 1_000, 40)).toHaveLength(24);
    expect(named(24, 400, 48)).toEqual([0, 3, 6, 9, 12, 15, 18, 21]);
    expect(named(30, 300, 70)).toHaveLength(3);
  });
});

describe("the range", () => {
  const own = { from: "2026-11-01", to: "2026-11-02" };

  test("is today by the hour, until another is chosen", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    expect(reads(native)[0]).toEqual(rangeOf("today", NOW, own)?.edges);
    await user.click(screen.getByRole("radio", { name: "30 days" }));
    await drawn();
    expect(reads(native).at(-1)).toHaveLength(31);
    expect(screen.getByRole("heading", { name: "Requests by day" })).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: "12 months" }));
    await drawn();
    expect(reads(native).at(-1)).toHaveLength(13);
    expect(screen.getByRole("heading", { name: "Requests by month" })).toBeTruthy();
  });

  test("shows the numbers of what was chosen last, whichever answer comes last", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    const answers: (() => void)[] = [];
    const { read } = scenes.full.statistics;
    native.answer("statistics", {
      read: (edges: number[]) => new Promise((answer) => answers.push(() => answer(read(edges)))),
    });
    await user.click(screen.getByRole("radio", { name: "30 days" }));
    await user.click(screen.getByRole("radio", { name: "7 days" }));
    answers[0]?.();
    await drawn();
    // The answer belongs to an earlier choice.
    expect(screen.getByRole("heading", { name: "Requests by hour" })).toBeTruthy();
    answers[1]?.();
    await drawn();
    expect(reads(native).at(-1)).toHaveLength(8);
    const chart = screen.getByRole("slider", { name: /^Requests over time/ });
    expect(chart.getAttribute("aria-valuemax")).toBe("7");
  });

  test("of one's own is by the hour for two days, by the day for a year, then by the month", () => {
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
    // More months than there may be edges.
    expect(range("1970-01-01", "2026-11-01")).toBeNull();
  });

  test("of one's own that is none is said so, and not asked for", async () => {
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

describe("it is kept current", () => {
  test("when something happens, but not more than every two seconds", async () => {
    const { native } = await open(Statistics, scenes.full);
    native.tell("home-changed", null);
    await drawn();
    expect(reads(native)).toHaveLength(1);
    vi.setSystemTime(NOW + 2_500);
    native.tell("home-changed", null);
    native.tell("home-changed", null);
    await drawn();
    expect(reads(native)).toHaveLength(2);
  });

  test("but not for a time that is over", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    await user.click(screen.getByRole("radio", { name: "Custom…" }));
    const to = screen.getByLabelText("To") as HTMLInputElement;
    const from = screen.getByLabelText("From") as HTMLInputElement;
    for (const [field, day] of [
      [from, "2026-11-01"],
      [to, "2026-11-10"],
    ] as const) {
      field.value = day;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    await drawn();
    const before = reads(native).length;
    vi.setSystemTime(NOW + 60_000);
    native.tell("home-changed", null);
    await drawn();
    expect(reads(native)).toHaveLength(before);
  });

  test("and hears nothing any more once another place is shown", async () => {
    const { native, unmount } = await open(Statistics, scenes.full);
    unmount();
    await drawn();
    expect(native.listeners).toBe(0);
  });
});

describe("the paths", () => {
  const paths = () =>
    within(screen.getByRole("table", { name: "Most requested" }))
      .getAllByRole("rowheader")
      .map((cell) => cell.textContent?.trim());

  test("come with the most called first, and are sorted by each heading, both ways round", async () => {
    const { user } = await open(Statistics, scenes.full);
    expect(paths()[0]).toBe("/i/{hash}");
    const calls = screen.getByRole("columnheader", { name: "Requests" });
    expect(calls.getAttribute("aria-sort")).toBe("descending");
    await user.click(button("Requests"));
    expect(calls.getAttribute("aria-sort")).toBe("ascending");
    expect(paths()[0]).toBe("/images/add");
    await user.click(button("Path"));
    expect(paths()).toEqual([...paths()].toSorted());
    await user.click(button("Last request"));
    expect(paths()[0]).toBe("/i/{hash}");
  });
});

describe("saving", () => {
  test("says which file it was", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    await user.click(button("Export as CSV"));
    await drawn();
    expect(screen.getByText("Saved as porchlight-calls.csv")).toBeTruthy();
    const edges = reads(native)[0] ?? [];
    expect(native.asked).toContain(`statistics.saveCsv(${edges[0]}, ${edges.at(-1)}, "calls")`);
  });

  test("says nothing when the owner thought better of it", async () => {
    const { native, user } = await open(Statistics, scenes.full);
    native.answer("statistics", { saveCsv: null });
    await user.click(button("Export as CSV"));
    await drawn();
    expect(screen.queryByText(/Saved/)).toBeNull();
  });
});

test("a picture's link is copied, and nothing but its hash is asked with", async () => {
  const { native, user } = await open(Statistics, scenes.full);
  await user.click(button("Copy link to the picture with 43 views"));
  expect(native.asked).toContain('images.copyLinks(["00000000000000000000000000000001"], "own")');
  await drawn();
  expect(screen.getByText("Link copied")).toBeTruthy();
});

test("before the first call there is a lamp and what to do, not empty axes", async () => {
  await open(Statistics, scenes.empty);
  expect(screen.getByText(/No visits yet/)).toBeTruthy();
  expect(screen.queryByRole("slider")).toBeNull();
});
