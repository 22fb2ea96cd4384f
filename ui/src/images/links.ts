// The forms that a copied link can have, in the order of the menus.

import type { LinkForm } from "../api/types";

/** The owner's own template comes first: it is what they set up. */
export const forms: LinkForm[] = ["own", "url", "markdown", "html", "bbcode"];
