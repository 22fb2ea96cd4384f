// How everything stands, kept current while the window is open: the first place
// shows it, and the side bar in short.

import { createContext } from "svelte";
import { hear } from "../api/hearing";
import type { Native } from "../api/interface";
import type { Home } from "../api/types";
import { sentence } from "../notice.svelte";

/** The state of things. */
export class HomeState {
  /** `null` until it is there. */
  home = $state.raw<Home | null>(null);
  /** When that was asked for, in Unix milliseconds. */
  readAt = $state(0);
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
    const told = hear(this.#native, "home-changed", () => void this.read());
    // Nothing changes unheard between the two.
    void told.begun.then(() => this.read());
    return told.end;
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
        const asked = Date.now();
        this.home = await this.#native.home.read();
        this.readAt = asked;
        this.trouble = null;
      } catch (thrown) {
        this.trouble = sentence(thrown);
      }
    } while (this.#stale);
  }
}

/** `getHomeState` is for use while a component is made. */
export const [getHomeState, setHomeState] = createContext<HomeState>();
