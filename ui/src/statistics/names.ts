// Names of the steps of a range: short below the chart, full in the note.

import type { Locale } from "../words/locale";
import type { Range } from "./ranges";

/** A step's names. */
export interface StepName {
  short: string;
  full: string;
}

/** The names of every step. */
export function names({ tag, words, clock }: Locale, { step, edges }: Range): StepName[] {
  const written = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(tag, options);
    return (at: number) => format.format(at);
  };
  const hour = written({ hour: "numeric" });
  const day = written({ day: "numeric", month: "short" });
  const fullDay = written({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
  const month = written({ month: "short" });
  const fullMonth = written({ month: "long", year: "numeric" });
  const between = words.home.calls.between;
  // More than one day by the hour: the day belongs to the name.
  const days = step === "hour" && edges.length > 26;

  return edges.slice(0, -1).map((from, n) => {
    const to = edges[n + 1] ?? from;
    if (step === "day") return { short: day(from), full: fullDay(from) };
    if (step === "month") return { short: month(from), full: fullMonth(from) };
    const full = between(clock(from), clock(to));
    return { short: hour(from), full: days ? `${day(from)}, ${full}` : full };
  });
}
