// Every word of the window, in English. `zh.ts` has the same type, so a string
// that is missing there does not compile.

import type { UploadTrouble } from "../api/types";
import { game } from "./en/game";
import { home } from "./en/home";
import { images } from "./en/images";
import { presence } from "./en/presence";
import { settings } from "./en/settings";
import { shell } from "./en/shell";
import { statistics } from "./en/statistics";
import { welcome } from "./en/welcome";

/** The words, with numbers written as `locale` writes them. */
export function en(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);
  const counted = (n: number, one: string, other: string) =>
    `${number(n)} ${plurals.select(n) === "one" ? one : other}`;

  const trouble: Record<UploadTrouble, string> = {
    unreadable: "The file could not be read.",
    not_a_file: "There is no file here, only a folder or nothing at all.",
    too_large: "It is larger, in bytes or in pixels, than is allowed.",
    not_a_picture: "It is not a picture of a kind that is known here.",
    broken: "The picture is damaged and cannot be opened.",
    storage_full: "There is no room left to store it.",
    storage: "It could not be stored.",
  };

  return {
    images: images(locale),
    places: {
      home: "Home",
      images: "Images",
      presence: "Presence",
      game: "Game",
      statistics: "Statistics",
      settings: "Settings",
    },
    home: home(locale),
    shell: shell(locale),
    welcome: welcome(locale),
    close: "Close",
    copied: "Copied",
    copy: "Copy",
    tryAgain: "Try again",
    version: (version: string) => `Porchlight ${version}`,
    lamp: { lit: "A porch lamp, lit", unlit: "A porch lamp, not lit" },
    pictures: {
      title: "Newest pictures",
      inAll: (n: number) => `${number(n)} in all`,
      add: "Add pictures…",
      dropHere: "Drop pictures anywhere in this window",
      dropNow: "Let go to add them",
      empty: "No pictures yet. Drop some anywhere in this window, or choose them.",
      alt: (when: string) => `Picture added ${when}`,
      copyLink: "Copy link",
      copyLinkOf: (when: string) => `Copy link to the picture added ${when}`,
      linkCopied: "The link is on the clipboard",
      notShown: "This picture cannot be shown",
      pixels: (width: number, height: number) => `${width} × ${height}`,
    },
    queue: {
      title: "Uploads",
      progress: "Upload progress",
      uploading: (nth: number, of: number) => `Uploading ${number(nth)} of ${number(of)}`,
      finished: (added: number, known: number, failed: number) => {
        const parts: string[] = [];
        if (added > 0) parts.push(`${counted(added, "picture", "pictures")} added`);
        if (known > 0) parts.push(`${number(known)} already here`);
        if (failed > 0) parts.push(`${number(failed)} failed`);
        return parts.join(", ");
      },
      bytes: (done: string, all: string) => `${done} of ${all}`,
      clear: "Clear finished",
      showAll: (n: number) => `Show all ${number(n)}`,
      showFewer: "Show fewer",
      more: (n: number) => `${counted(n, "more file", "more files")} not shown here`,
      waiting: "waiting",
      working: "adding",
      done: "added",
      duplicate: "already here",
      failed: "failed",
      became: (from: string, to: string) => `${from} → ${to}, WebP`,
      trouble,
    },
    game: game(locale),
    presence: presence(locale),
    statistics: statistics(locale),
    homeTrouble: "The window cannot see what is going on.",
    settings: settings(locale),
    loading: "One moment…",
  };
}

/** The words of one language. */
export type Words = ReturnType<typeof en>;
