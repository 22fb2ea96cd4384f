// Files of the watched folders that could not be uploaded, kept current while the page is open.

import type { Native } from "../api/interface";
import type { SetAsideFile } from "../api/types";
import { Reading } from "../reading.svelte";

/** These files. */
export class SetAside extends Reading<SetAsideFile[]> {
  constructor(readonly native: Native) {
    super(async () => (await native.setAsideFiles()) ?? []);
  }

  get files(): SetAsideFile[] {
    return this.value ?? [];
  }

  /** Whether they were read, or could not be. */
  get known(): boolean {
    return this.value !== null || this.trouble !== null;
  }

  /** Tries one again, or all of them. */
  async retry(id: number | null) {
    await this.native.retrySetAside(id);
    await this.read();
  }

  /** Forgets one, or all of them. */
  async dismiss(id: number | null) {
    await this.native.dismissSetAside(id);
    await this.read();
  }
}
