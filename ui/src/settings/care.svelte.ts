// Work on the data folder, and what came of it. A visit to another place ends neither,
// and a window that was not there when it began shows it, too.

import { SvelteMap } from "svelte/reactivity";
import { type Hearing, hear } from "../api/hearing";
import type { Native } from "../api/interface";
import type { Work, WorkKind, WorkReport } from "../api/types";

/** Where work is begun and reported: a check and a repair are one. */
export type WorkRow = Exclude<WorkKind, "repair">;

/** The row of a kind of work. */
export const rowOf = (kind: WorkKind): WorkRow => (kind === "repair" ? "check" : kind);

/** The work of this window. */
export class CareState {
  /** How far it has come; `null` while nothing is done, or nothing is known of it. */
  work = $state.raw<Work | null>(null);
  /** What came of the last one of each. */
  readonly reports = new SvelteMap<WorkRow, WorkReport>();
  #running = $state(0);
  /** Whether nothing else may begin. */
  readonly busy = $derived(this.work !== null || this.#running > 0);

  readonly #native: Native;
  /** How often it was told how far it has come: what was asked for before is older. */
  #told = 0;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Listens how far it has come. */
  follow(): Hearing {
    const told = hear(this.#native, "work-changed", (work) => {
      this.#told += 1;
      this.work = work;
      // Who had it done is told what came of it; this may be another window.
      if (work === null && this.#running === 0) void this.#read();
    });
    void told.begun.then(() => this.#read());
    return told;
  }

  /** The work of that row, while it goes on. */
  of(row: WorkRow): Work | null {
    return this.work !== null && rowOf(this.work.kind) === row ? this.work : null;
  }

  /** Has it done, and keeps the report; `null` is none. */
  async run(row: WorkRow, ask: () => Promise<WorkReport | null | undefined>) {
    this.reports.delete(row);
    this.#running += 1;
    try {
      const report = await ask();
      if (report) this.reports.set(row, report);
    } finally {
      this.#running -= 1;
      this.work = null;
    }
  }

  async #read() {
    const told = this.#told;
    try {
      const glance = await this.#native.settings.care();
      if (glance === undefined || this.#running > 0) return;
      if (told === this.#told) this.work = glance.work;
      for (const report of glance.reports) this.reports.set(rowOf(report.kind), report);
    } catch {
      // The next change is told.
    }
  }
}
