// The queue of uploads, kept current while the place is open.

import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { Upload } from "../api/types";
import { reason } from "../notice.svelte";
import { Speed, secondsLeft } from "../speed";
import { visibleInterval } from "../visible-interval";

/** The number of rows above which only the relevant ones are shown. */
export const SHORT_QUEUE = 8;
/** The maximum number of rows when all are shown. */
export const LONG_QUEUE = 500;
const NEIGHBOURS = 3;
const TICK_MS = 1_000;

const isFinished = ({ state }: Upload) =>
  state === "done" || state === "duplicate" || state === "failed";

/** Bytes of this file that are uploaded. */
function gone(upload: Upload): number {
  if (upload.state === "done") return upload.size;
  return upload.state === "working" ? (upload.size * upload.permille) / 1_000 : 0;
}

/** The queue's state. */
export class UploadsState {
  /** Oldest first. */
  all = $state.raw<Upload[]>([]);
  /** Why the queue could not be read, if so. */
  trouble = $state<Reason | null>(null);
  /** Whether it was read, or could not be. */
  settled = $state(false);
  /** Bytes a second; `null` while that is not known. */
  perSecond = $state<number | null>(null);
  /** The start of the current batch, which does not include earlier finished uploads. */
  #batchFrom = $state(0);

  readonly #speed = new Speed();
  #received = false;
  #rest: (() => void) | undefined;

  readonly batch = $derived(this.all.filter(({ id }) => id >= this.#batchFrom));
  readonly finished = $derived(this.batch.filter(isFinished));
  readonly busy = $derived(this.finished.length < this.batch.length);
  readonly bytes = $derived(sum(this.batch, ({ size }) => size));
  /** Bytes of the batch that are finished. */
  readonly passed = $derived(sum(this.batch, (one) => (isFinished(one) ? one.size : gone(one))));
  /** Progress of the batch, from 0 to 1; by files if there are no bytes. */
  readonly share = $derived(
    this.bytes > 0
      ? this.passed / this.bytes
      : this.finished.length / Math.max(1, this.batch.length),
  );
  readonly secondsLeft = $derived(secondsLeft(this.bytes - this.passed, this.perSecond));
  readonly added = $derived(this.#count("done"));
  readonly known = $derived(this.#count("duplicate"));
  readonly failed = $derived(this.#count("failed"));
  readonly waiting = $derived(this.#count("waiting"));
  /** Those that are not finished. */
  readonly underWay = $derived(this.waiting + this.#count("working"));
  /** Failed and active uploads, and their neighbours. */
  readonly near = $derived(nearby(this.all));

  constructor(private readonly native: Native) {}

  /** Reads the queue and keeps it current; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.native, "uploads-changed", (uploads) => {
      this.#received = true;
      this.#take(uploads);
    });
    const reading = async () => {
      await subscription.ready;
      const uploads = await this.native.uploads();
      // An event that arrived meanwhile is newer than the answer.
      if (!this.#received) this.#take(uploads ?? []);
    };
    reading().catch((thrown) => {
      this.trouble = reason(thrown);
      this.settled = true;
    });
    return () => {
      this.#rest?.();
      this.#rest = undefined;
      subscription.end();
    };
  }

  #take(uploads: Upload[]) {
    if (!this.busy) {
      // All that is listed when the place opens counts as one batch.
      const first = this.all.length === 0 ? uploads[0] : uploads.find((one) => !isFinished(one));
      if (first !== undefined) {
        this.#batchFrom = first.id;
        this.#speed.reset();
      }
    }
    this.all = uploads;
    this.trouble = null;
    this.settled = true;
    this.#measure();
    // Without events for a while, the speed drops.
    if (this.busy) this.#rest ??= visibleInterval(TICK_MS, () => this.#measure());
    else {
      this.#rest?.();
      this.#rest = undefined;
    }
  }

  #measure() {
    if (!this.busy) {
      this.perSecond = null;
      return;
    }
    this.#speed.see(Date.now(), sum(this.batch, gone));
    this.perSecond = this.#speed.perSecond;
  }

  #count(state: Upload["state"]) {
    return this.all.filter((upload) => upload.state === state).length;
  }
}

function sum(uploads: Upload[], of: (upload: Upload) => number): number {
  return uploads.reduce((bytes, upload) => bytes + of(upload), 0);
}

function nearby(uploads: Upload[]): Upload[] {
  if (uploads.length <= SHORT_QUEUE) return uploads;
  const current = uploads.findIndex((upload) => !isFinished(upload));
  const at = current === -1 ? uploads.length : current;
  let failures = 0;
  return uploads.filter(
    ({ state }, index) =>
      state === "working" ||
      Math.abs(index - at) <= NEIGHBOURS ||
      (state === "failed" && ++failures <= SHORT_QUEUE),
  );
}
