// The order and the filter of the pictures, which outlive a visit to another page.

import type { ImageFilter, ImageOrder } from "../api/types";
import { singleton } from "../singleton.svelte";

/** What was chosen last. */
export class Choice {
  order: ImageOrder = "newest";
  only: ImageFilter | null = null;
  album: string | null = null;
}

/** The one of this window. */
export const choiceOf = singleton(() => new Choice());
