// All texts of the window, in English. `zh.ts` has the same type, so a string
// that is missing there does not compile.

import { blog } from "./en/blog";
import { devices } from "./en/devices";
import { edgeSetup } from "./en/edge-setup";
import { game } from "./en/game";
import { home } from "./en/home";
import { images } from "./en/images";
import { presence } from "./en/presence";
import { reach } from "./en/reach";
import { settings } from "./en/settings";
import { shell } from "./en/shell";
import { statistics } from "./en/statistics";
import { update } from "./en/update";
import { welcome } from "./en/welcome";

/** The texts, with numbers formatted for `locale`. */
export function en(locale: string) {
  return {
    images: images(locale),
    places: {
      home: "Home",
      images: "Pictures",
      presence: "Presence",
      game: "Game",
      statistics: "Statistics",
      settings: "Settings",
    },
    home: home(locale),
    shell: shell(locale),
    welcome: welcome(locale),
    cancel: "Cancel",
    close: "Close",
    name: "Name",
    done: "Done",
    copied: "Copied",
    copy: "Copy",
    tryAgain: "Try again",
    undo: "Undo",
    /** The remaining time. */
    left: (seconds: number) => {
      if (seconds < 60) return `about ${seconds} s left`;
      const minutes = Math.round(seconds / 60);
      return minutes < 60
        ? `about ${minutes} min left`
        : `about ${Math.round(minutes / 60)} h left`;
    },
    /** The items of a list. */
    list: (parts: string[]) => parts.join(", "),
    version: (version: string) => `Porchlight ${version}`,
    /** What readers see of somebody without an app. */
    shown: { online: "Online", away: "Away", offline: "Offline" },
    lamp: { lit: "A lit porch lamp", unlit: "An unlit porch lamp" },
    game: game(locale),
    presence: presence(locale),
    devices: devices(locale),
    reach: reach(locale),
    edgeSetup: edgeSetup(),
    blog: blog(),
    statistics: statistics(locale),
    homeTrouble: "Couldn’t load the current status.",
    settings: settings(locale),
    update: update(),
    loading: "Loading…",
  };
}

/** The texts of one language. */
export type Words = ReturnType<typeof en>;
