// The texts of the page "home".

import type { AwayBecause, GameHidden, SensorKind } from "../../api/types";
import type { LightState, Reach } from "../../home/state";
import { counting } from "../counting";

/** The texts of each state of the light. */
type LightWords = { chip: string; title: string; sentence: string };

/** The texts, with numbers formatted for `locale`. */
export function home(locale: string) {
  const { number, one, counted } = counting(locale);

  const light: Record<LightState, LightWords> = {
    unasked: {
      chip: "The light is off",
      title: "Leave a light on for your readers?",
      sentence:
        "Show readers when you’re online and which app you’re using. Private apps are never shown, window titles only if you allow it. Your status isn’t shared until you say yes, and you can change your mind at any time.",
    },
    off: {
      chip: "Not shared",
      title: "The light is off",
      sentence: "Your status isn’t shared.",
    },
    paused: {
      chip: "Paused",
      title: "Sharing is paused",
      sentence: "Your status isn’t shared until the pause ends.",
    },
    waiting: {
      chip: "Turning on",
      title: "Turning on the light…",
      sentence: "Sending your first status update.",
    },
    on: {
      chip: "The light is on",
      title: "You’re online",
      sentence: "Readers see the status on the right.",
    },
    away: {
      chip: "Away",
      title: "You’re away",
      sentence: "Readers see that you’re away.",
    },
    out: {
      chip: "Not updating",
      title: "The light has gone out",
      sentence: "Your status updates aren’t arriving, so readers see you as offline.",
    },
  };
  const away: Record<AwayBecause, string> = {
    idle: "You haven’t used the keyboard or mouse for a while.",
    locked: "The screen is locked.",
    asleep: "This computer was asleep.",
  };
  const unavailable: Record<SensorKind, string> = {
    foreground: "Porchlight can’t see which app you’re using.",
    input: "Porchlight can’t see when you last used the keyboard or mouse.",
    lock: "Porchlight can’t see whether the screen is locked.",
    sleep: "Porchlight can’t see when this computer goes to sleep.",
    media: "Porchlight can’t see whether music or video is playing.",
  };
  const gameHidden: Record<GameHidden, string> = {
    not_shared: "Hidden: sharing is off",
    paused: "Hidden: sharing is paused",
    private: "Hidden: this game is private",
  };

  return {
    light,
    /** In place of `waiting`, where nothing can be sent. */
    blocked: {
      chip: "Not on yet",
      title: "The light can’t turn on",
      sentence: "Porchlight’s service isn’t running. Its tile below says why.",
    },
    /** In place of `on` and `away`, where the blog cannot reach the service. */
    unreached: {
      yet: "Your blog can’t reach Porchlight yet, so readers don’t see this.",
      down: "This doesn’t reach your blog right now, so readers don’t see it.",
    } satisfies Record<Exclude<Reach, "up">, string>,
    away,
    unavailable,
    pausedUntil: (when: string) => `Paused until ${when}`,
    pausedForGood: "Paused until you resume",
    since: (when: string) => `since ${when}`,
    lastHeartbeat: (ago: string) => `last update ${ago}`,
    settling: "Pausing… readers may see the last status for a moment.",
    resuming: "Turning on… readers may still see you as away for a moment.",
    lingering: "Readers may still see your last status for a few minutes.",
    hidden: "This app is private, so readers only see that you’re online.",
    hiding: "You’re in a private app. With the next update readers only see that you’re online.",
    fixed: (until?: string) =>
      until === undefined
        ? "Custom status. The app you’re using isn’t shown."
        : `Custom status until ${until}. The app you’re using isn’t shown.`,
    heartbeatTrouble: "The last status update didn’t go through.",
    nextTry: (when: string) => `Next try at ${when}.`,
    tryNow: "Try now",
    lookAtIt: "View",
    moreLines: (n: number) => `Show ${number(n)} more`,
    share: "Share my status",
    notNow: "Not now",
    pause: "Pause for 30 min",
    more: "More",
    pauses: {
      tomorrow: "Pause until tomorrow",
      resumed: "Pause until I resume",
    },
    resume: "Resume",
    stopSharing: "Stop sharing",
    readers: {
      see: "What readers see",
      wouldSee: "What readers would see",
      next: (status: string) => `Changing to: ${status}`,
      unsent: (status: string) => `Waiting to send: ${status}`,
      program: "The app you’re using",
    },
    status: {
      set: "Set a status…",
      change: "Change status…",
      title: "Set a status",
      lead: "Readers see this instead of the app you’re using.",
      recent: "Recent",
      emoji: (one: string) => `Begin with ${one}`,
      ends: "Show",
      lasts: {
        halfAnHour: "For 30 minutes",
        hour: "For 1 hour",
        today: "Until the end of today",
        forever: "Until I change it",
      },
      kept: (when: string) => `Until ${when}`,
      application: "Status",
      applicationHint: "Out for a walk",
      introduce: "Details",
      introduceHint: "Back for tea",
      ownColour: "Default colour",
      customColour: "Custom",
      colours: {
        red: "Red",
        orange: "Orange",
        yellow: "Yellow",
        green: "Green",
        teal: "Teal",
        blue: "Blue",
        purple: "Purple",
        pink: "Pink",
      },
      show: "Set status",
      clear: "Clear status",
      shown: "Status set",
      cleared: "Status cleared",
    },
    address: {
      label: "Address for your blog",
      copy: "Copy address",
      copied: (note?: string) =>
        note === undefined ? "Address copied" : `Address copied. ${note}`,
      temporary: "Temporary",
      permanent: "Get a permanent address",
      code: "Show QR code",
      codeTitle: "Open on your phone",
      codeAlt: (url: string) => `QR code for ${url}`,
      codeHint: "Scan it with your phone’s camera.",
      local: "Readers can’t reach it.",
      healthy: "Reachable from the internet",
      healthyIn: (ms: number) => `Reachable from the internet, ${number(ms)} ms`,
      checking: "Checking whether it can be reached…",
      down: "Not reachable from the internet right now",
      claimed: "Public address from Settings, not checked",
    },
    tiles: {
      label: "Overview",
      service: {
        title: "Service",
        on: (port: number) => `Running on port ${port}`,
        off: "Not running",
      },
      tunnel: {
        title: "Tunnel",
        off: "Off: your blog can’t reach Porchlight",
        notNeeded: "Off: your address is already public",
        setUp: "Set up",
        up: (since: string) => `Connected since ${since}`,
        waiting: (when: string) => `Disconnected, next try at ${when}`,
        missing: (program: string) => `${program} is not installed`,
        cannotStart: "The tunnel program couldn’t start",
        copyInstall: "Copy install command",
        installCopied: "Install command copied",
      },
      watching: {
        title: (n: number): string => (n > 1 ? "Watched folders" : "Watched folder"),
        none: "No folder selected",
        choose: "Choose a folder",
        missing: (n: number) =>
          one(n) ? "A folder is missing" : `${number(n)} folders are missing`,
        decide: "Retry them, or remove them from the list.",
        waiting: (n: number) => `${counted(n, "file", "files")} waiting`,
        adding: (name: string, more: number) =>
          more === 0 ? `Uploading ${name}` : `Uploading ${name} and ${number(more)} more`,
        watched: "New pictures upload automatically",
      },
      game: {
        title: "Steam",
        playing: (game: string) => `Playing ${game}`,
        unknown: "Currently unavailable",
        notSetUp: "Not set up",
        hidden: gameHidden,
      },
    },
    editors: "Editors can’t upload right now.",
    noTray:
      "Your desktop shows no tray icon. Porchlight keeps running when you close this window; start it again to open the window.",
    quit: "Quit Porchlight",
    today: {
      title: "Readers today",
      unknown: "Unknown",
      readers: (n: number) => counted(n, "reader", "readers"),
      atLeast: (n: number) => `at least ${counted(n, "reader", "readers")}`,
      cannotCount: "This tunnel hides visitors’ addresses, so readers can’t be counted.",
      more: "Some visitors had no address and can’t be counted.",
      who: "Each visitor’s address counts once a day. Addresses aren’t stored.",
    },
    calls: {
      title: "Requests in the last 24 hours",
      sum: (n: number, served: number) =>
        `${number(n)} in the last 24 hours, with ${counted(served, "picture", "pictures")}`,
      describe: (total: number, most: number, between: string) =>
        `${counted(total, "request", "requests")} in the last 24 hours. The busiest hour was ${between}, with ${number(most)}.`,
      none: "No requests in the last 24 hours.",
      between: (from: string, to: string) => `${from} to ${to}`,
      hour: (between: string, n: number) => `${between}: ${counted(n, "request", "requests")}`,
      now: "now",
    },
    newest: {
      title: "Newest pictures",
      empty: "No pictures yet. Drop some anywhere in this window, or choose files.",
      alt: (when: string) => `Picture added ${when}`,
      copyLinkOf: (when: string) => `Copy link to the picture added ${when}`,
      open: (when: string) => `Open the picture added ${when}`,
    },
  };
}
