// The time, as state, so that "12 seconds ago" stays correct.

import { onMount } from "svelte";
import { visibleInterval } from "./visible-interval";

const TICK_MS = 10_000;

/** The time of a component, for as long as it is there. */
export class Clock {
  /** Unix milliseconds. */
  now = $state(Date.now());

  constructor() {
    onMount(() => visibleInterval(TICK_MS, () => this.tick()));
  }

  /** Reads the clock now. */
  tick() {
    this.now = Date.now();
  }
}
