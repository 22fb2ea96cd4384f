// Maintenance tasks and their results. Going to another page ends neither,
// and a window opened later shows them, too.

import { SvelteMap } from "svelte/reactivity";
import type { Native } from "./api/interface";
import { subscribe } from "./api/subscribe";
import type { Work, WorkKind, WorkReport } from "./api/types";
import { Speed, secondsLeft } from "./speed";

/** The row of a task: check and repair share one. */
export type WorkRow = Exclude<WorkKind, "repair">;

/** The row of a kind of work. */
export const rowOf = (kind: WorkKind): WorkRow => (kind === "repair" ? "check" : kind);

/** The work of this window. */
export class MaintenanceState {
  /** The progress; `null` while no task runs, or none is known. */
  work = $state.raw<Work | null>(null);
  /** The last result of each kind. */
  readonly reports = new SvelteMap<WorkRow, WorkReport>();
  #running = $state(0);
  /** Whether another task is running. */
  readonly busy = $derived(this.work !== null || this.#running > 0);

  /** How long the task still takes, in seconds; `null` while that is not known. */
  secondsLeft = $state<number | null>(null);
  readonly #speed = new Speed();

  /** Counts progress events: answers requested before the last one are stale. */
  #events = 0;

  constructor(private readonly native: Native) {}

  /** Follows the progress; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.native, "work-changed", (work) => {
      this.#events += 1;
      this.#measure(work);
      this.work = work;
      // The caller gets the result; this may be another window.
      if (work === null && this.#running === 0) void this.#read();
    });
    void subscription.ready.then(() => this.#read());
    return subscription.end;
  }

  /** The running task of that row. */
  of(row: WorkRow): Work | null {
    return this.work !== null && rowOf(this.work.kind) === row ? this.work : null;
  }

  /** Runs it and keeps the report; `null` means there is none. */
  async run(row: WorkRow, ask: () => Promise<WorkReport | null | undefined>) {
    this.reports.delete(row);
    this.#running += 1;
    try {
      const report = await ask();
      if (report) this.reports.set(row, report);
    } finally {
      this.#running -= 1;
      // Refused, because other work is being done, it leaves that alone.
      if (this.of(row) !== null) this.work = null;
    }
  }

  /** Cancels the running task, which ends with its next picture. */
  cancel() {
    return this.native.cancelWork();
  }

  #measure(work: Work | null) {
    if (work === null || work.kind !== this.work?.kind) this.#speed.reset();
    if (work !== null) this.#speed.see(Date.now(), work.done);
    this.secondsLeft =
      work?.of == null ? null : secondsLeft(work.of - work.done, this.#speed.perSecond);
  }

  async #read() {
    const events = this.#events;
    try {
      const glance = await this.native.maintenance();
      if (glance === undefined || this.#running > 0) return;
      if (events === this.#events) this.work = glance.work;
      for (const report of glance.reports) this.reports.set(rowOf(report.kind), report);
    } catch {
      // The next event brings it up to date.
    }
  }
}
