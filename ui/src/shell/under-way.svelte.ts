// How many files are being uploaded, for the side bar.

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

  /** Starts counting; returns a function that stops it. */
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
      // An event that arrived meanwhile is newer.
      if (!this.#told) this.#show(uploads);
    } catch {
      // The queue itself says why it cannot be read; the next change counts.
    }
  }

  #show(uploads: Upload[]) {
    this.count = uploads.filter(onItsWay).length;
  }
}
