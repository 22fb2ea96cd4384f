// Every word of the window, in English. `zh.ts` has the same type, so a string
// that is missing there does not compile.

import type { UploadTrouble } from "../api/types";
import type { LightState } from "../home/state";
import { settings } from "./en/settings";

/** What the window says of each state of the light. */
type LightWords = { chip: string; title: string; sentence: string };

/** The words, with numbers written as `locale` writes them. */
export function en(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);
  const counted = (n: number, one: string, other: string) =>
    `${number(n)} ${plurals.select(n) === "one" ? one : other}`;

  const light: Record<LightState, LightWords> = {
    unasked: {
      chip: "The light is off",
      title: "Leave a light on for your readers?",
      sentence:
        "Your blog can show that you are in. In this version a heartbeat says just that, every half minute, under the fixed name “Porchlight”: no programs, no window titles. Nothing is reported before you answer, and you can change your mind at any time.",
    },
    off: {
      chip: "Not shared",
      title: "The light is off",
      sentence: "This computer reports nothing about you.",
    },
    paused: {
      chip: "Paused",
      title: "The light is off for now",
      sentence: "This computer reports nothing until you resume.",
    },
    waiting: {
      chip: "Lighting up",
      title: "The light is coming on",
      sentence: "The first heartbeat is on its way.",
    },
    on: {
      chip: "The light is on",
      title: "You are in",
      sentence: "Readers see this on your blog, in this colour, and nothing else.",
    },
    away: {
      chip: "The light is on",
      title: "You are away",
      sentence: "Readers see that you are not at it right now.",
    },
    out: {
      chip: "No heartbeat",
      title: "The light has gone out",
      sentence: "No heartbeat has arrived for a while, so readers see that nobody is in.",
    },
  };

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
    places: {
      home: "Home",
      images: "Images",
      presence: "Presence",
      game: "Game",
      statistics: "Statistics",
      settings: "Settings",
    },
    close: "Close",
    copied: "Copied",
    copy: "Copy",
    tryAgain: "Try again",
    version: (version: string) => `Porchlight ${version}`,
    service: {
      on: (port: number) => `Service on port ${port}`,
      off: "Service not listening",
      unknown: "Service not answering",
      trouble: "The service is not listening, so your blog cannot reach it.",
    },
    light,
    lastHeartbeat: (ago: string) => `last heartbeat ${ago}`,
    lingering: "Readers still see the last heartbeat until it grows old.",
    heartbeatTrouble: "The last heartbeat could not be sent.",
    share: "Share it",
    notNow: "Not now",
    pause: "Pause",
    resume: "Resume",
    stopSharing: "Stop sharing",
    lamp: { lit: "A porch lamp, lit", unlit: "A porch lamp, not lit" },
    readers: {
      see: "What readers see",
      wouldSee: "What readers would see",
      somebody: "Somebody is in",
      nobody: "Nobody is in",
      away: "away",
    },
    address: {
      label: "The address for your blog",
      copy: "Copy the address",
      copied: "The address is on the clipboard",
      local: "Only this computer can reach it.",
    },
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
    calls: {
      title: "Readers today",
      hours: "last 24 hours",
      unit: (n: number): string => (plurals.select(n) === "one" ? "call" : "calls"),
      count: (n: number) => counted(n, "call", "calls"),
      describe: (total: number, most: number, between: string) =>
        `${counted(total, "call", "calls")} in the last 24 hours. The busiest hour was ${between}, with ${number(most)}.`,
      none: "No calls in the last 24 hours.",
      between: (from: string, to: string) => `${from} to ${to}`,
      now: "now",
    },
    paths: {
      title: "What they ask for",
      since: "since the beginning",
      path: "Path",
      calls: "Calls",
      last: "Last call",
      never: "never",
      empty: "Nobody has asked for anything yet. Point your blog at the address above.",
    },
    homeTrouble: "The window cannot see what is going on.",
    settings: settings(locale),
    loading: "One moment…",
  };
}

/** The words of one language. */
export type Words = ReturnType<typeof en>;
