// The words of the place "images", in English.

import type { UploadTrouble } from "../../api/types";

/** The words, with numbers written as `locale` writes them. */
export function images(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const percents = new Intl.NumberFormat(locale, { style: "percent" });
  const number = (n: number) => numbers.format(n);
  const counted = (n: number, one: string, other: string) =>
    `${number(n)} ${plurals.select(n) === "one" ? one : other}`;
  const pictures = (n: number) => counted(n, "picture", "pictures");
  const views = (n: number) => counted(n, "view", "views");

  const trouble: Record<UploadTrouble, string> = {
    unreadable: "This file could not be read. See whether it is still there and may be opened.",
    not_a_file: "There is no file here, only an empty folder or nothing at all.",
    too_large:
      "This picture is larger, in bytes or in pixels, than the limits in Settings, Images allow.",
    not_a_picture: "This file is not a picture Porchlight can read.",
    too_many: "That is more than is taken at once. Add the rest again when these are through.",
    broken: "This picture is damaged and cannot be opened. Save it again where it comes from.",
    storage_full: "There is no room left where pictures are stored. Make room, then retry.",
    storage: "It could not be stored; the log says why. Retry in a moment.",
  };

  return {
    title: "Images",
    inAll: (n: number) => `${number(n)} in all`,
    found: (n: number) => `${number(n)} found`,
    loading: "One moment, the pictures are coming…",
    trouble: "The pictures could not be read.",
    empty: "No pictures yet. Drop some anywhere in this window, paste one, or choose them.",
    nothingFound: "No picture is like that.",
    showAll: "Show all pictures",
    search: {
      label: "Search by date or hash",
      clear: "Clear the search",
      unknown:
        "Try a date such as 2026-11-20, 2026-11 or today, a range such as 2026-11-01..2026-11-20, or the beginning of a hash.",
    },
    add: {
      pictures: "Add pictures…",
      more: "More ways to add pictures",
      files: "Choose files…",
      folder: "Choose a folder…",
      paste: "Paste from the clipboard",
    },
    grid: {
      label: "Pictures",
      picture: (when: string, width: number, height: number, seen: number) =>
        `Picture added ${when}, ${width} by ${height} ${plurals.select(height) === "one" ? "pixel" : "pixels"}, ${views(seen)}`,
      coming: "This picture is still coming",
      going: "about to be deleted",
      notShown: "This picture cannot be shown",
      views,
      fresh: "new",
      today: "today",
      animated: "moving",
    },
    selection: {
      label: "Selected pictures",
      count: (n: number) => `${number(n)} selected`,
      heard: (n: number) => `${pictures(n)} selected`,
      none: "Nothing selected",
      all: "Select all",
      clear: "Clear the selection",
      copy: "Copy links",
      remove: "Delete",
    },
    links: {
      forms: {
        own: "Own template",
        url: "URL",
        markdown: "Markdown",
        html: "HTML",
        bbcode: "BBCode",
      },
      copied: (n: number) =>
        n === 1 ? "The link is on the clipboard" : `${number(n)} links are on the clipboard`,
      copiedSome: (n: number, of: number) =>
        `${number(n)} of ${number(of)} are on the clipboard: it takes no more links at once`,
    },
    removal: {
      label: "About to be deleted",
      soon: (n: number, seconds: number) =>
        `${pictures(n)} will be deleted in ${counted(seconds, "second", "seconds")}`,
      heard: (n: number) =>
        `${pictures(n)} will be deleted in a few seconds. Undo keeps ${n === 1 ? "it" : "them"}.`,
      copies: "Copies in browsers and CDNs can stay for up to a year.",
      undo: "Undo",
      kept: (n: number) => (n === 1 ? "The picture stays" : `${pictures(n)} stay`),
      tooLate: "That came too late: the deletion is done.",
    },
    large: {
      label: (nth: number, of: number) => `Picture ${number(nth)} of ${number(of)}`,
      close: "Close",
      previous: "Previous picture",
      next: "Next picture",
      zoomIn: "Show every pixel",
      zoomOut: "Fit the window",
      added: "Added",
      pixels: "Pixels",
      size: "Size",
      moving: (format: string) => `${format}, moving`,
      source: "Came as",
      views: "Looked at",
      hash: "Hash",
      copy: "Copy the link as",
      remove: "Delete this picture",
      across: (width: number, height: number) => `${width} × ${height}`,
      became: (from: string, to: string) => `${from} → ${to}, WebP`,
    },
    queue: {
      title: "Uploads",
      progress: "Upload progress",
      uploading: (nth: number, of: number) => `Uploading ${number(nth)} of ${number(of)}`,
      finished: (added: number, known: number, failed: number) => {
        const parts: string[] = [];
        if (added > 0) parts.push(`${pictures(added)} added`);
        if (known > 0) parts.push(`${number(known)} already here`);
        if (failed > 0) parts.push(`${number(failed)} failed`);
        return parts.join(", ");
      },
      bytes: (done: string, all: string) => `${done} of ${all}`,
      pace: (perSecond: string) => `${perSecond}/s`,
      left: (seconds: number) => {
        if (seconds < 60) return `about ${seconds} s left`;
        const minutes = Math.round(seconds / 60);
        return minutes < 60
          ? `about ${minutes} min left`
          : `about ${number(Math.round(minutes / 60))} h left`;
      },
      clear: "Clear finished",
      retry: "Retry",
      retryOf: (name: string) => `Retry ${name}`,
      retryAll: "Retry all",
      showAll: (n: number) => `Show all ${number(n)}`,
      showFewer: "Show fewer",
      more: (n: number) => `${counted(n, "more file", "more files")} not shown here`,
      percent: (share: number) => percents.format(share),
      waiting: "waiting",
      done: "added",
      duplicate: "already here",
      failed: "failed",
      became: (from: string, to: string) => `${from} → ${to}, WebP`,
      lost: "The uploads could not be read.",
      trouble,
    },
    aside: {
      title: (n: number) => `${counted(n, "file", "files")} of your watched folders set aside`,
      sentence: (n: number): string =>
        n === 1
          ? "It cannot become a picture as it is."
          : "They cannot become pictures as they are.",
      list: "Files set aside",
      retry: "Retry",
      retryOf: (name: string) => `Retry ${name}`,
      dismiss: "Dismiss",
      dismissOf: (name: string) => `Dismiss ${name}`,
      retryAll: "Retry all",
      dismissAll: "Dismiss all",
      more: (n: number) => `${counted(n, "more file", "more files")} not shown here`,
      lost: "The files that were set aside could not be read.",
    },
  };
}
