// Deletes pictures, and offers to undo that in the notice. Posts that use them are named first.

import { Trouble } from "../api/interface";
import type { PictureUse } from "../api/types";
import { getWindow } from "../context";

/** The most pictures that the process deletes, or copies links of, at once. */
export const MOST = 10_000;
/** The most pictures whose posts the process names at once. */
const MOST_NAMED = 500;

/** What is asked before pictures that posts use are deleted. */
type Question = {
  pictures: number;
  used: number;
  files: string[];
  answer: (yes: boolean) => void;
};

/** Deletes pictures; must be created during component initialisation. */
export class Deletion {
  /** The open question. */
  question = $state.raw<Question | null>(null);
  readonly #native = getWindow().native;
  readonly #first = getWindow().first;
  readonly #words = getWindow().locale.words.images.removal;

  constructor(private readonly notices = getWindow().notices) {}

  /** Deletes them; whether that worked. */
  async run(hashes: string[]): Promise<boolean> {
    const used: PictureUse[] = [];
    let pictures = 0;
    let inTrash = true;
    const known = await this.notices.run(async () => {
      for (let from = 0; from < hashes.length; from += MOST_NAMED)
        used.push(...((await this.#native.postsOf(hashes.slice(from, from + MOST_NAMED))) ?? []));
    });
    if (!known || !(used.length === 0 || (await this.#ask(hashes.length, used)))) return false;
    const deleted = await this.notices.run(async () => {
      for (let from = 0; from < hashes.length; from += MOST) {
        const deletion = await this.#native.removeImages(hashes.slice(from, from + MOST));
        pictures += deletion.pictures;
        inTrash &&= deletion.inTrash;
      }
    });
    if (!deleted) return false;
    const undo = async () => {
      const back = await this.#native.putBackImages(hashes);
      if (back < pictures) throw new Trouble(this.#words.notBack(pictures - back));
      this.notices.done(this.#words.back(back));
    };
    const { home } = this.#first;
    const copies = home === null ? "" : ` ${this.#words.copies(home)}`;
    const undoes = inTrash && pictures > 0 ? undo : undefined;
    this.notices.done(`${this.#words.done(pictures)}${copies}`, undoes);
    return true;
  }

  async #ask(pictures: number, used: PictureUse[]): Promise<boolean> {
    const posts = used.flatMap((one) => one.posts);
    // A name may run from right to left: it is isolated from the sentence.
    const named = posts.map(
      ({ folder, file }) => [`${folder} ${file}`, `\u2068${file}\u2069`] as const,
    );
    const files = [...new Map(named).values()];
    const yes = await new Promise<boolean>((answer) => {
      this.question = { pictures, used: used.length, files, answer };
    });
    this.question = null;
    return yes;
  }
}
