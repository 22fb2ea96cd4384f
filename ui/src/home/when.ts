// A short form of a time.

import type { Status } from "../api/types";
import type { Locale } from "../words/locale";

/** The time of day; with the day where it is not today's. All in Unix milliseconds. */
export function at(locale: Locale, time: number, now: number): string {
  return locale.day(time) === locale.day(now) ? locale.clock(time) : locale.moment(time);
}

/** When a status ends by itself, if it does. */
export function end(status: Status, locale: Locale, now: number): string | undefined {
  return status.until === null ? undefined : at(locale, status.until, now);
}
