// Where the owner is in the window, and how they go elsewhere.

import { createContext } from "svelte";
import type { PlaceName } from "../api/interface";

/** The place that is shown. */
export class Going {
  place = $state<PlaceName>("home");
  /** What within the place is wanted, such as `tokens` in the settings; the place takes it. */
  section = $state<string | null>(null);

  /** The owner was through the welcome, whether or not that could be kept. */
  welcomed = $state(false);

  to(place: PlaceName, section: string | null = null) {
    this.place = place;
    this.section = section;
  }
}

/** `getGoing` is for use while a component is made. */
export const [getGoing, setGoing] = createContext<Going>();
