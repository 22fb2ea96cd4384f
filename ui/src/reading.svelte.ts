// One thing that is read from the page's process, and read again when it may
// have changed.

import { sentence } from "./notice.svelte";

/** What was read last, and why it could not be read anew, if so. */
export class Reading<T> {
  /** `null` until it is there. */
  value = $state.raw<T | null>(null);
  /** Why it could not be read the last time, if so. */
  trouble = $state<string | null>(null);

  readonly #ask: () => Promise<T>;
  #reading: Promise<void> | null = null;
  #stale = false;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** Reads it now. Calls that come while it is being read are one further read. */
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
        // Shown even where a change overtook it: changes may be more frequent than
        // answers are quick.
        this.value = await this.#ask();
        this.trouble = null;
      } catch (thrown) {
        this.trouble = sentence(thrown);
      }
    } while (this.#stale);
  }
}
