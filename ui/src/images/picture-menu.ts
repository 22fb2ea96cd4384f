// Actions on pictures: a menu with their links, and dragging.

import type { Picture } from "../api/types";
import type { MenuItem } from "../parts/menu";
import type { Words } from "../words/en";
import { type Links, written } from "./links.svelte";

/** Copies the links of these pictures, in the preferred form, which may have a key, and in the others. */
export function copyItems(
  hashes: string[],
  links: Links,
  { images: { menu, links: texts } }: Words,
  hint?: string,
): MenuItem[] {
  const others = links.forms.filter((form) => form !== links.form);
  return [
    { label: texts.copy, hint, run: () => void links.copy(hashes) },
    ...others.map((form) => ({
      label: menu.copyAs(texts.forms[form]),
      run: () => void links.copy(hashes, form),
    })),
  ];
}

/** Lets pictures be dragged to other programs: as URLs, as formatted links, or as images in
 * HTML. */
export function dragPictures(data: DataTransfer, pictures: Picture[], links: Links) {
  const lines = (line: (picture: Picture) => string) => pictures.map(line).join("\n");
  data.effectAllowed = "copyLink";
  data.setData("text/uri-list", pictures.map(({ url }) => url).join("\r\n"));
  data.setData(
    "text/plain",
    lines((picture) => links.of(picture)),
  );
  data.setData(
    "text/html",
    lines((picture) => written(picture, "html", "")),
  );
}
