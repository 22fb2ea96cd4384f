// The pages of the window, in the order of the side bar.

import type { PlaceName } from "../api/interface";

/** Every page, in the order of the side bar and of Ctrl+1 to Ctrl+6. */
export const places: PlaceName[] = ["home", "images", "presence", "game", "statistics", "settings"];
