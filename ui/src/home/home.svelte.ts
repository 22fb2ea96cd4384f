// What the first page shows, kept current while the window is open.

import { ending, type Native } from "./api/interface";
import type { Home } from "./api/types";
import { sentence } from "./notice.svelte";

/** The first page's state. */
export class HomeState {
  /** `null` until it is there. */
  home = $state.raw<Home | null>(null);
  /** Why it could not be read the last time, if so. */
  trouble = $state<string | null>(null);

  readonly #native: Native;
  #reading: Promise<void> | null = null;
  #stale = false;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Reads it, and again whenever it has changed; returns what ends that. */
  follow(): () => void {
    const listening = this.#native.onHomeChanged(() => void this.read());
    listening.then(
      () => this.read(),
      (thrown) => {
        this.trouble = sentence(thrown);
      },
    );
    return ending(listening);
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
        this.home = await this.#native.home();
        this.trouble = null;
      } catch (thrown) {
        this.trouble = sentence(thrown);
      }
    } while (this.#stale);
  }
}
