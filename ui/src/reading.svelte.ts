// A value read from the backend, and read again when it may
// have changed.

import type { Reason } from "./api/interface";
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
