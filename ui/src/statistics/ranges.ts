// Time ranges of the statistics, in the local time zone.

import { dateOf, daysBetween, hoursOfDay, midnight, monthStart } from "../days";

/** The options. */
export type RangeKind = "week" | "month" | "year" | "custom";

/** A range, and the steps that it is counted in. */
export interface Range {
  step: "hour" | "day" | "month";
  /** Where each step begins, and where the last one ends; Unix milliseconds. */
  edges: number[];
}

/** The first and the last day of a custom range, as in date fields. */
export interface Days {
  from: string;
  to: string;
}

// The backend accepts at most 400 edges.
const MOST_EDGES = 400;
const HOURLY_DAYS = 2;

/** The edges of a range; `null` if a custom range is invalid. */
export function rangeOf(kind: RangeKind, now: number, own: Days): Range | null {
  switch (kind) {
    case "week":
      return { step: "day", edges: daysBetween(midnight(now, -6), now) };
    case "month":
      return { step: "day", edges: daysBetween(midnight(now, -29), now) };
    case "year":
      return { step: "month", edges: months(monthStart(now, -11), now) };
    case "custom": {
      const [from, to] = [dateOf(own.from), dateOf(own.to)];
      return from === null || to === null || to < from ? null : ownRange(from, to);
    }
  }
}

/** From the day of `from` to the end of the day of `to`, in the finest steps that fit. */
function ownRange(from: number, to: number): Range | null {
  const days = daysBetween(from, to);
  if (days.length - 1 <= HOURLY_DAYS) {
    const edges = days.slice(0, -1).flatMap((day) => hoursOfDay(day).slice(0, -1));
    return { step: "hour", edges: [...edges, midnight(to, 1)] };
  }
  if (days.length <= MOST_EDGES) return { step: "day", edges: days };
  // Whole months, limited to the first and the last chosen day.
  const inside = months(monthStart(from, 1), monthStart(to, -1));
  const edges = [from, ...inside, midnight(to, 1)];
  return edges.length <= MOST_EDGES ? { step: "month", edges } : null;
}

/** The beginnings of months from that of `from` to the end of that of `to`. */
function months(from: number, to: number): number[] {
  const edges = [monthStart(from)];
  for (let n = 1; (edges.at(-1) ?? to) <= to; n++) edges.push(monthStart(from, n));
  return edges;
}
