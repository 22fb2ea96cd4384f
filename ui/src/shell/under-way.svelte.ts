// How many files are being uploaded, for the side bar.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { Upload } from "../api/types";

const onItsWay = ({ state }: Upload) => state === "waiting" || state === "working";

/** The count, kept current. */
export class UnderWay {
  count = $state(0);
  readonly #native: Native;
  #received = false;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Starts counting; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.#native, "uploads-changed", (uploads) => {
      this.#received = true;
      this.#show(uploads);
    });
    void this.#read();
    return subscription.end;
  }

  async #read() {
    try {
      const uploads = await this.#native.uploads();
      // An event that arrived meanwhile is newer.
      if (!this.#received) this.#show(uploads);
    } catch {
      // The queue shows the error; the next event updates the count.
    }
  }

  #show(uploads: Upload[]) {
    this.count = uploads.filter(onItsWay).length;
  }
}
