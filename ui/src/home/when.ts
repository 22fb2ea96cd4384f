// A time as short as it can be said.

import type { Tongue } from "../words/tongue";

/** The time of day; with the day where it is not today's. All in Unix milliseconds. */
export function at(tongue: Tongue, time: number, now: number): string {
  return tongue.day(time) === tongue.day(now) ? tongue.clock(time) : tongue.moment(time);
}
