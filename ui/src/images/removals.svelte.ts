// What is about to be deleted, for as long as it can be kept.

import { ending, type Native } from "../api/interface";
import type { Removal } from "../api/types";

const TICK_MS = 250;

/** The removals that are under way. */
export class Removals {
  /** Oldest first. */
  all = $state.raw<Removal[]>([]);
  /** The time, as far as it matters here. */
  now = $state(Date.now());

  /** The pictures that they are about. */
  readonly hashes = $derived(new Set(this.all.flatMap(({ hashes }) => hashes)));

  readonly #native: Native;
  #told = false;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Deletes these pictures in a few seconds. */
  async remove(hashes: string[]) {
    const removal = await this.#native.images.remove(hashes);
    // What is told may have come first, and says the same.
    if (!this.all.some(({ id }) => id === removal.id)) this.all = [...this.all, removal];
    this.now = Date.now();
  }

  /** Keeps what one of them is about; whether it came in time. */
  async keep(id: number): Promise<boolean> {
    const kept = await this.#native.images.keep(id);
    this.all = this.all.filter((one) => one.id !== id);
    return kept;
  }

  /** Whole seconds until this one's time. */
  seconds({ at }: Removal): number {
    return Math.max(0, Math.ceil((at - this.now) / 1_000));
  }

  /** Reads them and keeps them current; returns what ends that. */
  follow(): () => void {
    const listening = this.#native.on("removals-changed", (removals) => {
      this.#told = true;
      this.all = removals;
    });
    const reading = async () => {
      await listening;
      const removals = await this.#native.images.removals();
      if (!this.#told) this.all = removals ?? [];
    };
    // One that cannot be read is not shown; what is told later is.
    reading().catch(() => undefined);
    const ticking = setInterval(() => {
      if (this.all.length > 0) this.now = Date.now();
    }, TICK_MS);
    const end = ending(listening);
    return () => {
      clearInterval(ticking);
      end();
    };
  }
}
