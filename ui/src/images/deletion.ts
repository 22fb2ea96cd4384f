// Deletes pictures, and offers to undo that in the notice.

import { Trouble } from "../api/interface";
import { getWindow } from "../context";

/** The most pictures that the process deletes, or copies links of, at once. */
export const MOST = 10_000;

/**
 * A function that deletes pictures, and whether that worked; must be called during component
 * initialisation.
 */
export function getDeletion(notices = getWindow().notices): (hashes: string[]) => Promise<boolean> {
  const { native } = getWindow();
  const words = getWindow().locale.words.images.removal;
  const state = getWindow().first;

  return async (hashes) => {
    let pictures = 0;
    let inTrash = true;
    const deleted = await notices.run(async () => {
      for (let from = 0; from < hashes.length; from += MOST) {
        const deletion = await native.removeImages(hashes.slice(from, from + MOST));
        pictures += deletion.pictures;
        inTrash &&= deletion.inTrash;
      }
    });
    if (!deleted) return false;
    const undo = async () => {
      const back = await native.putBackImages(hashes);
      if (back < pictures) throw new Trouble(words.notBack(pictures - back));
      notices.done(words.back(back));
    };
    const copies = state.home === null ? "" : ` ${words.copies(state.home)}`;
    notices.done(`${words.done(pictures)}${copies}`, inTrash && pictures > 0 ? undo : undefined);
    return true;
  };
}
