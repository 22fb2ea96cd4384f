// The state of "Always reachable". What a test found outlives a visit to another group.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { EdgeFiles, EdgeRequest, Reach, StoreCheck } from "../api/types";
import { Reading } from "../reading.svelte";
import { singleton } from "../singleton.svelte";
import { visibleInterval } from "../visible-interval";

const A_MINUTE = 60_000;

/** The state. */
export class ReachState {
  readonly reading: Reading<Reach>;
  /** What the last test of the store found; `null` before the first. */
  checks = $state.raw<StoreCheck[] | null>(null);
  testing = $state(false);
  /** The files that were written in this run. */
  files = $state.raw<EdgeFiles | null>(null);
  /** Whether another probe was requested and is not finished yet. */
  probing = $state(false);

  constructor(private readonly native: Native) {
    this.reading = new Reading(() => native.reach());
  }

  /** Reads it, and again on changes, and has the Worker probed; returns a function that stops it. */
  follow(): () => void {
    const changed = subscribe(this.native, "home-changed", () => void this.#read());
    const set = subscribe(this.native, "settings-changed", () => void this.#read());
    const setUp = subscribe(this.native, "reach-changed", () => void this.#read());
    void Promise.all([changed.ready, set.ready, setUp.ready]).then(() => this.#read());
    // The process probes at most once a minute.
    const probe = () => void this.native.probeEdge().catch(() => undefined);
    probe();
    const probing = visibleInterval(A_MINUTE, probe);
    return () => {
      probing();
      changed.end();
      set.end();
      setUp.end();
    };
  }

  async #read() {
    const before = checkedAt(this.reading.value);
    await this.reading.read();
    if (checkedAt(this.reading.value) !== before) this.probing = false;
  }

  /** Starts a task for the Worker at Cloudflare. */
  async setUp(request: EdgeRequest) {
    await this.native.setUpEdge(request);
    await this.#read();
  }

  /** Puts an update of the Worker off. */
  async putOff() {
    await this.native.putOffEdgeUpdate();
    await this.#read();
  }

  /** Removes Cloudflare's token from the keyring. */
  async forgetToken() {
    await this.native.forgetEdgeToken();
    await this.#read();
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
    await this.#read();
  }

  /** Asks for another probe of the Worker's address. */
  async probe() {
    this.probing = true;
    try {
      await this.native.probeEdge();
    } catch (trouble) {
      this.probing = false;
      throw trouble;
    }
  }
}

function checkedAt(reach: Reach | null): number | null {
  return reach !== null && "checked" in reach.edge ? reach.edge.checked : null;
}

/** The one of this window. */
export const reachOf = singleton((native) => new ReachState(native));
