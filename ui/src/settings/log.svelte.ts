// The newest lines of the log, read again when there are more while following.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { LogLine } from "../api/types";
import { Reading } from "../reading.svelte";

/** The most lines that are read and shown. */
export const MOST_LINES = 1_000;

/** The severity of each level. */
const severityOrder = ["DEBUG", "INFO", "WARN", "ERROR"] as const;

/** A level by its name in the log. */
export type Level = (typeof severityOrder)[number];

/** The log of the place. */
export class LogState extends Reading<LogLine[]> {
  level = $state<Level>("INFO");
  wanted = $state("");
  following = $state(true);
  /** Lines at or above the level that contain the filter text. */
  readonly shown = $derived.by(() => {
    const least = severityOrder.indexOf(this.level);
    const text = this.wanted.trim().toLowerCase();
    return (this.value ?? []).filter((line) => {
      const severity = severityOrder.indexOf(line.level as Level);
      // Lines without a known level are always shown.
      return (
        (severity === -1 || severity >= least) &&
        (text === "" || `${line.at} ${line.text}`.toLowerCase().includes(text))
      );
    });
  });

  constructor(native: Native) {
    super(async () => (await native.logLines(MOST_LINES)) ?? []);
  }

  /** Reads now, and while following whenever there are new lines; returns a function that stops it. */
  override follow(native: Native): () => void {
    const again = () => {
      if (this.following && !document.hidden) void this.read();
    };
    const subscription = subscribe(native, "log-changed", again);
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
}
