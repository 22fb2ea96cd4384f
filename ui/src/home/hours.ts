// The hours of the chart, and the scale that they are drawn to.

const HOUR_MS = 3_600_000;

/** The beginning of the hour of this time, both in Unix milliseconds. */
export const hourOf = (time: number) => time - (time % HOUR_MS);

/** One bar. */
export interface Hour {
  /** When it began, in Unix milliseconds. */
  start: number;
  calls: number;
}

/** The hours that the counts stand for; the last one is the hour of `now`. */
export function hours(byHour: number[], now: number): Hour[] {
  const running = hourOf(now);
  return byHour.map((calls, index) => ({
    start: running - (byHour.length - 1 - index) * HOUR_MS,
    calls,
  }));
}

/** The next even round number from `most` up, so that its half is whole too. */
export function roundTop(most: number): number {
  let tens = 1;
  while (tens * 10 < most) tens *= 10;
  for (const step of [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) {
    const top = step * tens;
    if (top >= most && top % 2 === 0) return top;
  }
  return 2;
}
