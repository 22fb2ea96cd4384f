// The queue of uploads, kept current while the window is open.

import { ending, type Native } from "./api/interface";
import type { Upload } from "./api/types";
import { sentence } from "./notice.svelte";

/** How many rows the queue has before it shows only those that matter now. */
export const SHORT_QUEUE = 8;
const NEIGHBOURS = 3;

const isFinished = ({ state }: Upload) =>
  state === "done" || state === "duplicate" || state === "failed";

/** The queue's state. */
export class UploadsState {
  /** Oldest first. */
  all = $state.raw<Upload[]>([]);
  /** Why the queue could not be read, if so. */
  trouble = $state<string | null>(null);
  /** Where the batch that is under way begins: finished ones of before do not count in it. */
  #batchFrom = $state(0);

  readonly #native: Native;
  #told = false;

  readonly batch = $derived(this.all.filter(({ id }) => id >= this.#batchFrom));
  readonly finished = $derived(this.batch.filter(isFinished));
  readonly busy = $derived(this.finished.length < this.batch.length);
  readonly bytes = $derived(sum(this.batch));
  readonly finishedBytes = $derived(sum(this.finished));
  /** Finished bytes of the batch, from 0 to 1; by files where there are no bytes. */
  readonly share = $derived(
    this.bytes > 0
      ? this.finishedBytes / this.bytes
      : this.finished.length / Math.max(1, this.batch.length),
  );
  readonly added = $derived(this.#count("done"));
  readonly known = $derived(this.#count("duplicate"));
  readonly failed = $derived(this.#count("failed"));
  /** What failed, what is under way, and its neighbours. */
  readonly near = $derived(nearby(this.all));

  constructor(native: Native) {
    this.#native = native;
  }

  /** Reads the queue and keeps it current; returns what ends that. */
  follow(): () => void {
    const listening = this.#native.onUploadsChanged((uploads) => {
      this.#told = true;
      this.#take(uploads);
    });
    const reading = async () => {
      await listening;
      const uploads = await this.#native.uploads();
      // What was told meanwhile is newer than the answer.
      if (!this.#told) this.#take(uploads);
    };
    reading().catch((thrown) => {
      this.trouble = sentence(thrown);
    });
    return ending(listening);
  }

  #take(uploads: Upload[]) {
    if (!this.busy) {
      const first = this.all.length === 0 ? uploads[0] : uploads.find((one) => !isFinished(one));
      if (first !== undefined) this.#batchFrom = first.id;
    }
    this.all = uploads;
    this.trouble = null;
  }

  #count(state: Upload["state"]) {
    return this.all.filter((upload) => upload.state === state).length;
  }
}

function sum(uploads: Upload[]): number {
  return uploads.reduce((bytes, { size }) => bytes + size, 0);
}

function nearby(uploads: Upload[]): Upload[] {
  if (uploads.length <= SHORT_QUEUE) return uploads;
  const current = uploads.findIndex((upload) => !isFinished(upload));
  const at = current === -1 ? uploads.length : current;
  return uploads.filter(
    ({ state }, index) =>
      state === "failed" || state === "working" || Math.abs(index - at) <= NEIGHBOURS,
  );
}
