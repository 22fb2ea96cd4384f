// @vitest-environment node
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dateOf, dateText, daysBetween, hoursOfDay, midnight, monthStart } from "../src/days";
import { clip, marks, nearest, sum } from "../src/presence/timeline";
import { rangeOf } from "../src/statistics/ranges";

const HOUR = 3_600_000;
const zone = process.env.TZ;

beforeAll(() => {
  process.env.TZ = "Europe/Berlin";
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

// In 2026 Berlin's clocks go forward on 29 March and back on 25 October.
const spring = Date.UTC(2026, 2, 29, 10);
const autumn = Date.UTC(2026, 9, 25, 10);

describe("with daylight saving time", () => {
  test("the tests run in the Berlin time zone", () => {
    expect(new Date(autumn).getTimezoneOffset()).toBe(-60);
    expect(new Date(spring).getTimezoneOffset()).toBe(-120);
  });

  test("a day has 23 or 25 hours", () => {
    expect(hoursOfDay(spring)).toHaveLength(24);
    expect(hoursOfDay(autumn)).toHaveLength(26);
    expect(hoursOfDay(spring + 24 * HOUR)).toHaveLength(25);
  });

  test("hours are ascending, from midnight to the next midnight", () => {
    const edges = hoursOfDay(autumn);
    expect(edges[0]).toBe(Date.UTC(2026, 9, 24, 22));
    expect(edges.at(-1)).toBe(Date.UTC(2026, 9, 25, 23));
    expect(edges.every((edge, n) => n === 0 || edge === (edges[n - 1] ?? 0) + HOUR)).toBe(true);
  });

  test("midnights are correct before and after a clock change", () => {
    const days = daysBetween(midnight(autumn, -6), autumn);
    expect(days).toHaveLength(8);
    expect(days.map((day) => new Date(day).getHours())).toEqual(Array(8).fill(0));
    expect((days[7] ?? 0) - (days[6] ?? 0)).toBe(25 * HOUR);
  });

  test("months begin on their first day", () => {
    expect(monthStart(autumn, 1)).toBe(Date.UTC(2026, 9, 31, 23));
    expect(monthStart(autumn, -9)).toBe(Date.UTC(2025, 11, 31, 23));
  });

  test("every step of a statistics range is a whole day or hour", () => {
    const none = { from: "", to: "" };
    const day = (at: number) => ({ from: dateText(at), to: dateText(at) });
    expect(rangeOf("custom", autumn, day(autumn))?.edges).toHaveLength(26);
    expect(rangeOf("custom", spring, day(spring))?.edges).toHaveLength(24);
    const month = rangeOf("month", autumn + 3 * 24 * HOUR, none)?.edges ?? [];
    expect(month).toHaveLength(31);
    expect(month.every((edge) => new Date(edge).getHours() === 0)).toBe(true);
    const two = rangeOf("custom", autumn, { from: "2026-10-24", to: "2026-10-25" });
    expect(two?.edges).toHaveLength(24 + 25 + 1);
  });

  test("the hour labels below a band match the clock of that day", () => {
    const [from, to] = [midnight(spring), midnight(spring, 1)];
    const six = marks(from, to).find(({ hour }) => hour === 6);
    // Six o'clock is five hours after midnight that day.
    expect(six?.share).toBeCloseTo(5 / 23);
    expect(marks(from, to).at(-1)?.share).toBe(1);
  });
});

describe("where a day begins at one o’clock", () => {
  beforeAll(() => {
    process.env.TZ = "America/Havana";
  });
  afterAll(() => {
    process.env.TZ = "Europe/Berlin";
  });

  // In 2026 Havana's clocks go from 0:00 to 1:00 on 8 March, and from 1:00 to 0:00 on 1 November.
  const short = Date.UTC(2026, 2, 8, 16);
  const long = Date.UTC(2026, 10, 1, 16);

  test("the tests run in Havana’s time zone", () => {
    expect(new Date(short).getTimezoneOffset()).toBe(240);
    expect(new Date(long).getTimezoneOffset()).toBe(300);
    expect(new Date(midnight(short)).getHours()).toBe(1);
  });

  test("a day has 23 or 25 hours, from its first to that of the next", () => {
    for (const [at, from, to] of [
      [short - 24 * HOUR, Date.UTC(2026, 2, 7, 5), Date.UTC(2026, 2, 8, 5)],
      [short, Date.UTC(2026, 2, 8, 5), Date.UTC(2026, 2, 9, 4)],
      [long, Date.UTC(2026, 10, 1, 4), Date.UTC(2026, 10, 2, 5)],
      [long + 24 * HOUR, Date.UTC(2026, 10, 2, 5), Date.UTC(2026, 10, 3, 5)],
    ] as const) {
      const edges = hoursOfDay(at);
      expect([edges[0], edges.at(-1)]).toEqual([from, to]);
      expect(edges).toHaveLength((to - from) / HOUR + 1);
      // Each moment of the day is of it, also in the hour that comes twice.
      for (let time = from; time < to; time += HOUR / 2) {
        expect([midnight(time), midnight(time, 1)]).toEqual([from, to]);
      }
    }
    expect(daysBetween(short - 24 * HOUR, short + 24 * HOUR)).toHaveLength(4);
    expect(dateText(dateOf("2026-03-08") ?? 0)).toBe("2026-03-08");
  });

  test("a band of the timeline and its hours are cut where the day is", () => {
    const [from, to] = [midnight(short), midnight(short, 1)];
    const shown = { application: "Zed", introduce: "", rgba: "", online: true };
    const period = { from: from - HOUR, to: to + HOUR, shown };
    const [piece] = clip([period], from, to);
    expect((piece?.to ?? 0) - (piece?.from ?? 0)).toBe(23 * HOUR);
    const hours = marks(from, to);
    expect(hours.map(({ hour }) => hour)).toEqual([1, 3, 6, 9, 12, 15, 18, 21, 24]);
    expect(hours.every(({ hour, at }) => new Date(at).getHours() === hour % 24)).toBe(true);
    expect([hours[0]?.share, hours[1]?.share, hours.at(-1)?.share]).toEqual([0, 2 / 23, 1]);
  });
});

test("a date field is read as a day in the local time zone", () => {
  expect(dateOf("2026-10-25")).toBe(Date.UTC(2026, 9, 24, 22));
  expect(dateText(dateOf("2026-10-25") ?? 0)).toBe("2026-10-25");
  expect(dateOf("2026-02-30")).toBeNull();
  expect(dateOf("")).toBeNull();
});

describe("the timeline", () => {
  const shown = (application: string, online = true) => ({
    application,
    introduce: "",
    rgba: "",
    online,
  });

  test("is cut to the day", () => {
    const pieces = clip(
      [
        { from: 0, to: 10, shown: shown("before") },
        { from: 5, to: 30, shown: shown("over the edge") },
        { from: 40, to: 70, shown: shown("over the end") },
        { from: 60, to: 80, shown: shown("after") },
      ],
      20,
      60,
    );
    expect(pieces.map(({ from, to }) => [from, to])).toEqual([
      [20, 30],
      [40, 60],
    ]);
  });

  test("merges adjacent equal periods and keeps gaps", () => {
    const pieces = clip(
      [
        { from: 0, to: 10, shown: shown("a") },
        { from: 10, to: 20, shown: shown("a") },
        { from: 25, to: 30, shown: shown("a") },
        // Away overrides what was shown before.
        { from: 30, to: 35, shown: shown("a", false) },
        { from: 35, to: 40, shown: shown("b", false) },
      ],
      0,
      100,
    );
    expect(pieces.map(({ from, to }) => [from, to])).toEqual([
      [0, 20],
      [25, 30],
      [30, 40],
    ]);
  });

  test("sums the time per program, and the time away separately", () => {
    const pieces = clip(
      [
        { from: 0, to: 10, shown: shown("a") },
        { from: 10, to: 40, shown: shown("b") },
        { from: 40, to: 60, shown: shown("a") },
        { from: 60, to: 65, shown: shown("b", false) },
      ],
      0,
      100,
    );
    const { shares, away } = sum(pieces);
    expect(shares.map(({ application, length }) => [application, length])).toEqual([
      ["a", 30],
      ["b", 30],
    ]);
    expect(away).toBe(5);
    expect(nearest(pieces, 45)).toBe(2);
    expect(nearest([], 45)).toBeNull();
  });
});
