// Upload speed, from progress over time.

const WINDOW_MS = 8_000;
// Less than this tells nothing yet.
const ENOUGH_MS = 1_500;

/** Average speed over the last few seconds, so that it does not flicker. */
export class Speed {
  #seen: { at: number; bytes: number }[] = [];

  /** Records the bytes uploaded at this time (Unix milliseconds). */
  see(at: number, bytes: number) {
    const last = this.#seen.at(-1);
    // A clock set back, or a new count: discard earlier samples.
    if (last !== undefined && (at < last.at || bytes < last.bytes)) this.#seen = [];
    this.#seen.push({ at, bytes });
    // The last one before the window stays: the window's edge is between it and the next.
    while (this.#seen.length > 2 && (this.#seen[1]?.at ?? at) <= at - WINDOW_MS) this.#seen.shift();
  }

  /** Bytes a second; `null` while that is not known. */
  get perSecond(): number | null {
    const first = this.#seen[0];
    const last = this.#seen.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < ENOUGH_MS) return null;
    const speed = ((last.bytes - first.bytes) * 1_000) / (last.at - first.at);
    return speed > 0 ? speed : null;
  }

  /** Discards all samples. */
  reset() {
    this.#seen = [];
  }
}

/** Seconds that `bytes` take, rounded so that the number does not jitter; `null` when unknown. */
export function secondsLeft(bytes: number, perSecond: number | null): number | null {
  if (perSecond === null) return null;
  const seconds = bytes / perSecond;
  if (seconds < 10) return Math.max(1, Math.ceil(seconds));
  if (seconds < 60) return Math.ceil(seconds / 5) * 5;
  return Math.ceil(seconds / 60) * 60;
}
