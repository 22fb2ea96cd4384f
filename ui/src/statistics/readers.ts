// The readers of a range: per step, in total, and compared with the time before.

import type { ReaderCount } from "../api/types";
import { dayNumber, daysBetween } from "../days";
import type { Range } from "./ranges";
import type { Counted } from "./statistics.svelte";

/** The readers of a range. Someone who comes on two days counts on both. */
export interface Readers {
  /** The steps: days where the range is counted in hours. */
  range: Range;
  /** The readers of each step. */
  steps: ReaderCount[];
  all: ReaderCount;
  /** How many days the range has. */
  days: number;
  /** The relative change from the same number of days before; `null` if one of the two numbers
   *  is not known. */
  change: number | null;
  /** The readers of today, if the range contains it. */
  today: ReaderCount | null;
  /** The step that contains today; -1 for none. */
  running: number;
}

/** Sums the readers of a range. */
export function readersOf({ range, statistics }: Counted, now: number): Readers {
  const byDay = new Map(statistics.readers.map(({ day, readers }) => [day, readers]));
  const sum = (first: number, end: number) => {
    const sum: ReaderCount = { count: 0, more: false };
    for (let day = first; day < end; day++) {
      const of = byDay.get(day);
      sum.count += of?.count ?? 0;
      sum.more ||= of?.more ?? false;
    }
    return sum;
  };

  const [from, to] = [range.edges[0] ?? 0, range.edges.at(-1) ?? 0];
  const bars: Range =
    range.step === "hour" ? { step: "day", edges: daysBetween(from, to - 1) } : range;
  const numbers = bars.edges.map(dayNumber);
  const steps = numbers.slice(0, -1).map((day, n) => sum(day, numbers[n + 1] ?? day));
  const [first, end] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const days = end - first;
  const all = sum(first, end);
  const before = sum(first - days, first);
  const counted = dayNumber(statistics.first ?? now) <= first - days;
  const known = counted && before.count > 0 && !before.more && !all.more;
  const today = dayNumber(now);
  return {
    range: bars,
    steps,
    all,
    days,
    change: known ? all.count / before.count - 1 : null,
    today: today >= first && today < end ? sum(today, today + 1) : null,
    running: numbers.findIndex((day, n) => day <= today && today < (numbers[n + 1] ?? day)),
  };
}
