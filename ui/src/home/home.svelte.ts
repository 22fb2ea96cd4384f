// The status, kept current while the window is open: the first page
// shows it, and the side bar in short.

import type { Native } from "../api/interface";
import type { Home } from "../api/types";
import { Reading } from "../reading.svelte";

/** The status. */
export class HomeState extends Reading<Home> {
  /** When what is there was asked for, in Unix milliseconds. */
  readAt = $state(0);

  constructor(native: Native) {
    super(async () => {
      const startedAt = Date.now();
      const home = await native.home();
      this.readAt = startedAt;
      return home;
    });
  }

  /** `null` until it is there. */
  get home(): Home | null {
    return this.value;
  }
}
