// A preview for the current foreground app, before anything is shared.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { ForegroundApp, PrivateGroup, Verdict } from "../api/types";

/** The foreground app, and the result of the rules. */
export class LastForeground {
  foreground = $state.raw<ForegroundApp | null>(null);
  verdict = $state.raw<Verdict | null>(null);
  private = $state.raw<PrivateGroup[]>([]);
  readonly #native: Native;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Follows it; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.#native, "presence-changed", () => void this.#read());
    void this.#read();
    return subscription.end;
  }

  async #read() {
    try {
      const page = await this.#native.presence();
      this.private = page.private;
      const trial = await this.#native.tryRules(page.rules);
      this.foreground = trial.foreground;
      this.verdict = trial.verdict;
    } catch {
      // Without a foreground app, the example is shown.
      this.foreground = null;
      this.verdict = null;
    }
  }
}
