// The forms that a copied link can have, in the order of the menus.

import type { LinkForm } from "../api/types";

/** The configured format comes first. */
export const forms: LinkForm[] = ["own", "url", "markdown", "html", "bbcode"];
