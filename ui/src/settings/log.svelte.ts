// The newest lines of the log, read again when there are more while following.

import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { LogLine } from "../api/types";
import { reason } from "../notice.svelte";

/** The most lines that are read and shown. */
export const MOST_LINES = 1_000;

/** The severity of each level. */
const severityOrder = ["DEBUG", "INFO", "WARN", "ERROR"] as const;

/** A level by its name in the log. */
export type Level = (typeof severityOrder)[number];

/** The log of the place. */
export class LogState {
  lines = $state.raw<LogLine[]>([]);
  trouble = $state<Reason | null>(null);
  level = $state<Level>("INFO");
  wanted = $state("");
  following = $state(true);
  /** Lines at or above the level that contain the filter text. */
  readonly shown = $derived.by(() => {
    const least = severityOrder.indexOf(this.level);
    const text = this.wanted.trim().toLowerCase();
    return this.lines.filter((line) => {
      const severity = severityOrder.indexOf(line.level as Level);
      // Lines without a known level are always shown.
      return (
        (severity === -1 || severity >= least) &&
        (text === "" || `${line.at} ${line.text}`.toLowerCase().includes(text))
      );
    });
  });

  readonly #native: Native;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Reads now, and while following whenever there are new lines; returns a function that stops it. */
  follow(): () => void {
    const again = () => {
      if (this.following && !document.hidden) void this.read();
    };
    const subscription = subscribe(this.#native, "log-changed", again);
    void subscription.ready.then(() => this.read());
    // Catch up with lines written while the page was hidden.
    document.addEventListener("visibilitychange", again);
    return () => {
      document.removeEventListener("visibilitychange", again);
      subscription.end();
    };
  }

  /** Turns following on, from the current lines on, or off. */
  rest(resting: boolean) {
    this.following = !resting;
    if (this.following) void this.read();
  }

  async read() {
    try {
      this.lines = (await this.#native.logLines(MOST_LINES)) ?? [];
      this.trouble = null;
    } catch (thrown) {
      this.trouble = reason(thrown);
    }
  }
}
