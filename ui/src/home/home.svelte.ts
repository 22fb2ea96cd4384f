// The status, kept current while the window is open: the first page
// shows it, and the side bar in short.

import { createContext } from "svelte";
import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { Home } from "../api/types";
import { reason } from "../notice.svelte";

/** The status. */
export class HomeState {
  /** `null` until it is there. */
  home = $state.raw<Home | null>(null);
  /** When that was asked for, in Unix milliseconds. */
  readAt = $state(0);
  /** Why the last read failed, if it did. */
  trouble = $state<Reason | null>(null);

  readonly #native: Native;
  #reading: Promise<void> | null = null;
  #stale = false;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Reads it, and again on changes; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.#native, "home-changed", () => void this.read());
    // Subscribe before reading, so that no change is missed.
    void subscription.ready.then(() => this.read());
    return subscription.end;
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
        const startedAt = Date.now();
        this.home = await this.#native.home();
        this.readAt = startedAt;
        this.trouble = null;
      } catch (thrown) {
        this.trouble = reason(thrown);
      }
    } while (this.#stale);
  }
}

/** `getHomeState` must be called during component initialisation. */
export const [getHomeState, setHomeState] = createContext<HomeState>();
