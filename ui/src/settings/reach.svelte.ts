// The state of "Always reachable". What a test found outlives a visit to another group.

import type { Native } from "../api/interface";
import type { EdgeFiles, Reach, StoreCheck } from "../api/types";
import { Reading } from "../reading.svelte";
import { singleton } from "../singleton.svelte";

/** The state. */
export class ReachState {
  readonly reading: Reading<Reach>;
  /** What the last test of the store found; `null` before the first. */
  checks = $state.raw<StoreCheck[] | null>(null);
  testing = $state(false);
  /** The files that were written in this run. */
  files = $state.raw<EdgeFiles | null>(null);

  constructor(private readonly native: Native) {
    this.reading = new Reading(() => native.reach());
  }

  /** Reads it, and again on changes; returns a function that stops it. */
  follow(): () => void {
    return this.reading.follow(this.native, "home-changed", "settings-changed", "reach-changed");
  }

  /** Waits for a command that changes it, and reads it again. */
  async change(command: Promise<void>) {
    await command;
    await this.reading.read();
  }

  /** Tests the store. */
  async test() {
    this.testing = true;
    this.checks = null;
    try {
      this.checks = await this.native.testStore();
    } finally {
      this.testing = false;
    }
  }

  /** Writes the Worker's files. */
  async write() {
    this.files = (await this.native.writeEdgeFiles()) ?? this.files;
    await this.reading.read();
  }
}

/** The one of this window. */
export const reachOf = singleton((native) => new ReachState(native));
