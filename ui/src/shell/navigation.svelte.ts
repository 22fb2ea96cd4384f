// Which page of the window is open, and how to go to another.

import type { PlaceName } from "../api/interface";

/** The page that is shown. */
export class Navigation {
  place = $state<PlaceName>("home");
  /** The section to open on the page, such as `tokens` in the settings; the page clears it. */
  section = $state<string | null>(null);

  /** Whether the welcome was finished, even if that could not be saved. */
  welcomed = $state(false);

  to(place: PlaceName, section: string | null = null) {
    this.place = place;
    this.section = section;
  }
}
