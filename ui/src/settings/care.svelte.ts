// Work on the data folder, and what came of it. A visit to another place ends neither.

import { SvelteMap } from "svelte/reactivity";
import type { Native } from "../api/interface";
import type { Work, WorkReport } from "../api/types";

/** Where work is begun and reported: a check and a repair are one. */
export type WorkRow = "backup" | "check" | "move";

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

  constructor(native: Native) {
    this.#native = native;
  }

  /** Listens how far it has come; what ends that. */
  follow(): Promise<() => void> {
    // Of what was not begun here, nothing is known until it is told of anew.
    if (this.#running === 0) this.work = null;
    return this.#native.on("work-changed", (work) => {
      this.work = work;
    });
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
}
