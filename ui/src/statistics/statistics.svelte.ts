// What the page "statistics" shows, kept current while it is shown.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
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

/** The page's state. */
export class StatisticsState {
  kind = $state<RangeKind>("week");
  own = $state<Days>({ from: dateText(midnight(Date.now(), -6)), to: dateText(Date.now()) });
  /** Whether the custom range is valid. */
  possible = $derived(rangeOf(this.kind, Date.now(), this.own) !== null);
  readonly counted: Reading<Counted>;
  /** Whether the shown numbers are outdated. */
  waiting = $state(false);

  #readAt = 0;
  /** Counts choices: answers to earlier ones are stale. */
  #choice = 0;

  constructor(private readonly native: Native) {
    this.counted = new Reading(async () => {
      this.#readAt = Date.now();
      const kind = this.kind;
      const choice = this.#choice;
      const range = rangeOf(kind, this.#readAt, this.own) ?? { step: "day", edges: [] };
      const statistics = await native.statistics(range.edges);
      const before = this.counted.value;
      // Stale: another range was chosen meanwhile.
      return choice !== this.#choice && before !== null ? before : { kind, range, statistics };
    });
  }

  /** Reads, and again until the range is over; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.native, "home-changed", () => {
      // Refresh on return to the window.
      if (!document.hidden) this.#refresh(QUIET_MS);
    });
    const rest = visibleInterval(REFRESH_MS, () => this.#refresh(0));
    void this.counted.read();
    return () => {
      rest();
      subscription.end();
    };
  }

  /** Reads the current choice. */
  async choose() {
    if (!this.possible) return;
    this.#choice += 1;
    this.waiting = true;
    await this.counted.read();
    this.waiting = false;
  }

  /** Exports the shown range; the file, or `null` if it was cancelled. */
  async save(table: StatisticsTable): Promise<string | null> {
    const edges = this.counted.value?.range.edges ?? [];
    const [from, to] = [edges[0], edges.at(-1)];
    return from === undefined || to === undefined
      ? null
      : this.native.saveStatistics(from, to, table);
  }

  /** Reads again, unless the last read was less than `quiet` ago, or nothing can have changed. */
  #refresh(quiet: number) {
    const end = this.counted.value?.range.edges.at(-1) ?? Number.POSITIVE_INFINITY;
    if (!this.possible || Date.now() - this.#readAt < quiet) return;
    if (this.#readAt < end) void this.counted.read();
  }
}
