// The places of the window, in the order of the side bar.

import type { PlaceName } from "../api/interface";

/** Every place, in the order in which the side bar and Ctrl+1 to Ctrl+6 have them. */
export const places: PlaceName[] = ["home", "images", "presence", "game", "statistics", "settings"];
