// What the place "statistics" shows, kept current while it is shown.

import { hear } from "../api/hearing";
import type { Native } from "../api/interface";
import type { Statistics, StatisticsTable } from "../api/types";
import { dateText, midnight } from "../days";
import { Reading } from "../reading.svelte";
import { visibleInterval } from "../visible-interval";
import { type Days, type Range, type RangeKind, rangeOf } from "./ranges";

const REFRESH_MS = 10_000;
const QUIET_MS = 2_000;

/** Numbers, with the range that they belong to. */
export interface Counted {
  kind: RangeKind;
  range: Range;
  statistics: Statistics;
}

/** The place's state. */
export class StatisticsState {
  kind = $state<RangeKind>("week");
  own = $state<Days>({ from: dateText(midnight(Date.now(), -6)), to: dateText(Date.now()) });
  /** Whether the owner's own range is one. */
  possible = $derived(rangeOf(this.kind, Date.now(), this.own) !== null);
  readonly counted: Reading<Counted>;
  /** Whether other numbers are wanted than those that are shown. */
  waiting = $state(false);

  readonly #native: Native;
  #readAt = 0;
  /** Counts choices: answers to earlier ones are stale. */
  #choice = 0;

  constructor(native: Native) {
    this.#native = native;
    this.counted = new Reading(async () => {
      this.#readAt = Date.now();
      const kind = this.kind;
      const choice = this.#choice;
      const range = rangeOf(kind, this.#readAt, this.own) ?? { step: "day", edges: [] };
      const statistics = await native.statistics.read(range.edges);
      const before = this.counted.value;
      // Stale: another range was chosen meanwhile.
      return choice !== this.#choice && before !== null ? before : { kind, range, statistics };
    });
  }

  /** Reads, and again while the range is not over; returns a function that stops it. */
  follow(): () => void {
    const told = hear(this.#native, "home-changed", () => {
      // Refresh on return to the window.
      if (!document.hidden) this.#refresh(QUIET_MS);
    });
    const rest = visibleInterval(REFRESH_MS, () => this.#refresh(0));
    void this.counted.read();
    return () => {
      rest();
      told.end();
    };
  }

  /** Reads what is chosen now. */
  async choose() {
    if (!this.possible) return;
    this.#choice += 1;
    this.waiting = true;
    await this.counted.read();
    this.waiting = false;
  }

  /** Saves what is shown; the file, or `null` where the owner did not want it. */
  async save(table: StatisticsTable): Promise<string | null> {
    const edges = this.counted.value?.range.edges ?? [];
    const [from, to] = [edges[0], edges.at(-1)];
    return from === undefined || to === undefined
      ? null
      : this.#native.statistics.saveCsv(from, to, table);
  }

  /** Reads again, unless that was done less than `quiet` ago, or nothing can have come. */
  #refresh(quiet: number) {
    const end = this.counted.value?.range.edges.at(-1) ?? Number.POSITIVE_INFINITY;
    if (!this.possible || Date.now() - this.#readAt < quiet) return;
    if (this.#readAt < end) void this.counted.read();
  }
}
