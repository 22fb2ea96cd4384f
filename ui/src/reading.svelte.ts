// A value read from the backend, and read again when it may
// have changed.

import type { Events, Native, Reason } from "./api/interface";
import { subscribe } from "./api/subscribe";
import { reason } from "./notice.svelte";

/** The last value, and the error of the last read, if any. */
export class Reading<T> {
  /** `null` until it is there. */
  value = $state.raw<T | null>(null);
  /** Why the last read failed, if it did. */
  trouble = $state<Reason | null>(null);

  readonly #ask: () => Promise<T>;
  #reading: Promise<void> | null = null;
  #stale = false;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** Reads it now. Calls during a read are merged into one more read. */
  read(): Promise<void> {
    if (this.#reading !== null) {
      this.#stale = true;
      return this.#reading;
    }
    this.#reading = this.#readUntilFresh().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Reads it, and again on each of these events; returns a function that stops it. */
  follow(native: Native, ...topics: (keyof Events)[]): () => void {
    const all = topics.map((topic) => subscribe(native, topic, () => void this.read()));
    // Subscribe before reading, so that no change is missed.
    void Promise.all(all.map(({ ready }) => ready)).then(() => this.read());
    return () => {
      for (const { end } of all) end();
    };
  }

  async #readUntilFresh() {
    do {
      this.#stale = false;
      try {
        // Shown even if a change came meanwhile: changes may be more frequent than
        // answers are quick.
        this.value = await this.#ask();
        this.trouble = null;
      } catch (thrown) {
        this.trouble = reason(thrown);
      }
    } while (this.#stale);
  }
}
