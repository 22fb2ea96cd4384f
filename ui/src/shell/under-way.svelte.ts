// How many files are on their way in, for the side bar.

import { hear } from "../api/hearing";
import type { Native } from "../api/interface";
import type { Upload } from "../api/types";

const onItsWay = ({ state }: Upload) => state === "waiting" || state === "working";

/** The count, kept current. */
export class UnderWay {
  count = $state(0);
  readonly #native: Native;
  #told = false;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Counts from now on; returns what ends that. */
  follow(): () => void {
    const told = hear(this.#native, "uploads-changed", (uploads) => {
      this.#told = true;
      this.#show(uploads);
    });
    void this.#read();
    return told.end;
  }

  async #read() {
    try {
      const uploads = await this.#native.uploads.read();
      // What was told meanwhile is newer.
      if (!this.#told) this.#show(uploads);
    } catch {
      // The queue itself says why it cannot be read; the next change counts.
    }
  }

  #show(uploads: Upload[]) {
    this.count = uploads.filter(onItsWay).length;
  }
}
