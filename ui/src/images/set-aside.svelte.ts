// Files of the watched folders that could not be uploaded, kept current while the page is open.

import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { SetAsideFile } from "../api/types";
import { reason } from "../notice.svelte";

/** These files. */
export class SetAside {
  files = $state.raw<SetAsideFile[]>([]);
  /** Why they could not be read, if so. */
  trouble = $state<Reason | null>(null);
  /** Whether they were read, or could not be. */
  known = $state(false);

  readonly #native: Native;
  #reads = 0;

  constructor(native: Native) {
    this.#native = native;
  }

  /** Reads them now. */
  async read() {
    const read = ++this.#reads;
    try {
      const files = await this.#native.setAsideFiles();
      if (read !== this.#reads) return;
      this.files = files ?? [];
      this.trouble = null;
    } catch (thrown) {
      if (read !== this.#reads) return;
      this.trouble = reason(thrown);
    }
    this.known = true;
  }

  /** Keeps them current; returns a function that stops it. */
  follow(): () => void {
    // Their number is part of the home status, so its event announces changes.
    const subscription = subscribe(this.#native, "home-changed", () => void this.read());
    void this.read();
    return subscription.end;
  }

  /** Tries one again, or all of them. */
  async retry(id: number | null) {
    await this.#native.retrySetAside(id);
    await this.read();
  }

  /** Forgets one, or all of them. */
  async dismiss(id: number | null) {
    await this.#native.dismissSetAside(id);
    await this.read();
  }
}
