// The speed of work, from its progress over time.

const WINDOW_MS = 8_000;
// Shorter samples are not meaningful.
const ENOUGH_MS = 1_500;

/** Average speed over the last few seconds, so that it does not flicker. */
export class Speed {
  #seen: { at: number; done: number }[] = [];

  /** Records how much is done at this time (Unix milliseconds): bytes, or pictures. */
  see(at: number, done: number) {
    const last = this.#seen.at(-1);
    // A clock set back, or a new count: discard earlier samples.
    if (last !== undefined && (at < last.at || done < last.done)) this.#seen = [];
    this.#seen.push({ at, done });
    // The last one before the window stays: the window's edge is between it and the next.
    while (this.#seen.length > 2 && (this.#seen[1]?.at ?? at) <= at - WINDOW_MS) this.#seen.shift();
  }

  /** How much a second; `null` while that is not known. */
  get perSecond(): number | null {
    const first = this.#seen[0];
    const last = this.#seen.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < ENOUGH_MS) return null;
    const speed = ((last.done - first.done) * 1_000) / (last.at - first.at);
    return speed > 0 ? speed : null;
  }

  /** Discards all samples. */
  reset() {
    this.#seen = [];
  }
}

/** Seconds that `rest` takes, rounded so that the number does not jitter; `null` when unknown. */
export function secondsLeft(rest: number, perSecond: number | null): number | null {
  if (perSecond === null) return null;
  const seconds = rest / perSecond;
  if (seconds < 10) return Math.max(1, Math.ceil(seconds));
  if (seconds < 60) return Math.ceil(seconds / 5) * 5;
  return Math.ceil(seconds / 60) * 60;
}
