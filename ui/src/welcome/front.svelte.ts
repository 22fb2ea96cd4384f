// What would be told of the program in front, before anything is told.

import { hear } from "../api/hearing";
import type { Native } from "../api/interface";
import type { Front, PrivateGroup, Verdict } from "../api/types";

/** The program in front, and what the rules make of it. */
export class InFront {
  front = $state.raw<Front | null>(null);
  verdict = $state.raw<Verdict | null>(null);
  private = $state.raw<PrivateGroup[]>([]);
  readonly #native: Native;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Follows it; returns what ends that. */
  follow(): () => void {
    const told = hear(this.#native, "presence-changed", () => void this.#read());
    void this.#read();
    return told.end;
  }

  async #read() {
    try {
      const page = await this.#native.presence.read();
      this.private = page.private;
      const trial = await this.#native.presence.tryRules(page.rules);
      this.front = trial.front;
      this.verdict = trial.verdict;
    } catch {
      // Where nothing is known of the program in front, the example stands.
      this.front = null;
      this.verdict = null;
    }
  }
}
