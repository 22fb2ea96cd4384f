// A short form of a time.

import type { Locale } from "../words/locale";

/** The time of day; with the day where it is not today's. All in Unix milliseconds. */
export function at(locale: Locale, time: number, now: number): string {
  return locale.day(time) === locale.day(now) ? locale.clock(time) : locale.moment(time);
}
