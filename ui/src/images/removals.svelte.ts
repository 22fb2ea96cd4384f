// Pending deletions that can still be undone.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { Removal } from "../api/types";
import { visibleInterval } from "../visible-interval";

const TICK_MS = 250;
/** The most pictures that the process deletes, or copies links of, at once. */
export const MOST = 10_000;

/** One deletion request: large ones are split into several removals. */
export interface Batch {
  /** The first one's number. */
  id: number;
  ids: number[];
  pictures: number;
  /** When the first of them go. */
  at: number;
}

/** The pending removals. */
export class Removals {
  /** Oldest first. */
  all = $state.raw<Removal[]>([]);
  /** The current time, updated while there are removals. */
  now = $state(Date.now());

  /** The pictures of all removals. */
  readonly hashes = $derived(new Set(this.all.flatMap(({ hashes }) => hashes)));

  /** Oldest first. */
  readonly batches = $derived(batched(this.all));

  readonly #native: Native;
  #received = false;
  #rest: (() => void) | undefined;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Deletes these pictures in a few seconds. */
  async remove(hashes: string[]) {
    for (let from = 0; from < hashes.length; from += MOST) {
      const removal = await this.#native.removeImages(hashes.slice(from, from + MOST));
      // The event may have arrived first, with the same content.
      if (!this.all.some(({ id }) => id === removal.id)) this.#take([...this.all, removal]);
    }
  }

  /** Undoes these removals; whether all of them were still pending. */
  async keep({ ids }: Batch): Promise<boolean> {
    const kept = await Promise.all(ids.map((id) => this.#native.keepImages(id)));
    this.#take(this.all.filter(({ id }) => !ids.includes(id)));
    return kept.every(Boolean);
  }

  /** Whole seconds until the time of these. */
  seconds({ at }: Batch): number {
    return Math.max(0, Math.ceil((at - this.now) / 1_000));
  }

  /** Reads them and keeps them current; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.#native, "removals-changed", (removals) => {
      this.#received = true;
      this.#take(removals);
    });
    const reading = async () => {
      await subscription.ready;
      const removals = await this.#native.removals();
      if (!this.#received) this.#take(removals ?? []);
    };
    // If reading fails, none are shown until the next event.
    reading().catch(() => undefined);
    return () => {
      this.#rest?.();
      this.#rest = undefined;
      subscription.end();
    };
  }

  /** Replaces the removals. The countdown runs while there are any. */
  #take(removals: Removal[]) {
    this.all = removals;
    this.now = Date.now();
    if (removals.length === 0) {
      this.#rest?.();
      this.#rest = undefined;
    } else {
      this.#rest ??= visibleInterval(TICK_MS, () => {
        this.now = Date.now();
      });
    }
  }
}

/** A removal of the maximum size belongs together with the next one. */
function batched(removals: Removal[]): Batch[] {
  const batches: Batch[] = [];
  let open: Batch | undefined;
  for (const { id, hashes, at } of removals) {
    if (open === undefined) {
      open = { id, ids: [], pictures: 0, at };
      batches.push(open);
    }
    open.ids.push(id);
    open.pictures += hashes.length;
    if (hashes.length < MOST) open = undefined;
  }
  return batches;
}
