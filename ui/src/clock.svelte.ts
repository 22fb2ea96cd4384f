// The time, as state, so that "12 seconds ago" grows old on its own.

import { onMount } from "svelte";
import { every } from "./awake";

const TICK_MS = 10_000;

/** The time of a component, for as long as it is there. */
export class Clock {
  /** Unix milliseconds. */
  now = $state(Date.now());

  constructor() {
    onMount(() => every(TICK_MS, () => this.tick()));
  }

  /** Reads the clock now. */
  tick() {
    this.now = Date.now();
  }
}
