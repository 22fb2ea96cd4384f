// The newest lines of the log, read again when there are more and it is followed.

import { hear } from "../api/hearing";
import type { Native } from "../api/interface";
import type { LogLine } from "../api/types";
import { sentence } from "../notice.svelte";

/** The most lines that are read and shown. */
export const MOST_LINES = 1_000;

/** How loud each level is. */
const loudness = ["DEBUG", "INFO", "WARN", "ERROR"] as const;

/** A level by its name in the log. */
export type Level = (typeof loudness)[number];

/** The log of the place. */
export class LogState {
  lines = $state.raw<LogLine[]>([]);
  trouble = $state<string | null>(null);
  level = $state<Level>("INFO");
  wanted = $state("");
  following = $state(true);
  /** Lines as loud as the level, with the wanted text in them. */
  readonly shown = $derived.by(() => {
    const least = loudness.indexOf(this.level);
    const text = this.wanted.trim().toLowerCase();
    return this.lines.filter((line) => {
      const loud = loudness.indexOf(line.level as Level);
      // What has no known level is always worth a look.
      return (
        (loud === -1 || loud >= least) &&
        (text === "" || `${line.at} ${line.text}`.toLowerCase().includes(text))
      );
    });
  });

  readonly #native: Native;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Reads it now, and while it is followed whenever it has more; returns what ends that. */
  follow(): () => void {
    const again = () => {
      if (this.following && !document.hidden) void this.read();
    };
    const told = hear(this.#native, "log-changed", again);
    void told.begun.then(() => this.read());
    // What was written while nobody could see it.
    document.addEventListener("visibilitychange", again);
    return () => {
      document.removeEventListener("visibilitychange", again);
      told.end();
    };
  }

  /** Has it followed, from what it is now on, or rest. */
  rest(resting: boolean) {
    this.following = !resting;
    if (this.following) void this.read();
  }

  async read() {
    try {
      this.lines = (await this.#native.settings.log(MOST_LINES)) ?? [];
      this.trouble = null;
    } catch (thrown) {
      this.trouble = sentence(thrown);
    }
  }
}
