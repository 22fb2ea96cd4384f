// The status, kept current while the window is open: the first page
// shows it, and the side bar in short.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { Home } from "../api/types";
import { Reading } from "../reading.svelte";

/** The status. */
export class HomeState extends Reading<Home> {
  /** When what is there was asked for, in Unix milliseconds. */
  readAt = $state(0);
  readonly #native: Native;

  constructor(native: Native) {
    super(async () => {
      const startedAt = Date.now();
      const home = await native.home();
      this.readAt = startedAt;
      return home;
    });
    this.#native = native;
  }

  /** `null` until it is there. */
  get home(): Home | null {
    return this.value;
  }

  /** Reads it, and again on changes; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.#native, "home-changed", () => void this.read());
    // Subscribe before reading, so that no change is missed.
    void subscription.ready.then(() => this.read());
    return subscription.end;
  }
}
