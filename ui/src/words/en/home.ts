// The words of the place "home".

import type { AwayBecause, GameHidden, Sense } from "../../api/types";
import type { LightState } from "../../home/state";

/** What the window says of each state of the light. */
type LightWords = { chip: string; title: string; sentence: string };

/** The words, with numbers written as `locale` writes them. */
export function home(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);
  const one = (n: number) => plurals.select(n) === "one";
  const counted = (n: number, single: string, other: string) =>
    `${number(n)} ${one(n) ? single : other}`;

  const light: Record<LightState, LightWords> = {
    unasked: {
      chip: "The light is off",
      title: "Leave a light on for your readers?",
      sentence:
        "Your blog can show that you are in, and which program you are at. Window titles stay here, private programs too. Nothing is reported before you answer, and you can change your mind at any time.",
    },
    off: {
      chip: "Not shared",
      title: "The light is off",
      sentence: "This computer reports nothing about you.",
    },
    paused: {
      chip: "Paused",
      title: "The light is off for now",
      sentence: "This computer reports nothing until the pause ends.",
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
      chip: "Away",
      title: "You are away",
      sentence: "The light is unlit for readers: they see that you are away, and nothing else.",
    },
    out: {
      chip: "No heartbeat",
      title: "The light has gone out",
      sentence: "No heartbeat has arrived for a while, so readers see that you are away.",
    },
  };
  const away: Record<AwayBecause, string> = {
    idle: "Nobody has touched the keyboard for a while.",
    locked: "The screen is locked.",
    asleep: "The computer was asleep.",
  };
  const lacks: Record<Sense, string> = {
    foreground: "This computer does not tell which window is in front.",
    input: "This computer does not tell whether anybody is at the keyboard.",
    lock: "This computer does not tell whether the screen is locked.",
    sleep: "This computer does not tell when it goes to sleep.",
    media: "This computer does not tell what is playing.",
  };
  const gameHidden: Record<GameHidden, string> = {
    not_shared: "Not told, as nothing is shared",
    paused: "Not told during the pause",
    private: "This game is kept private",
  };

  return {
    light,
    away,
    lacks,
    pausedUntil: (when: string) => `Paused until ${when}`,
    pausedForGood: "Paused until you resume",
    since: (when: string) => `since ${when}`,
    lastHeartbeat: (ago: string) => `last heartbeat ${ago}`,
    lingering: "Readers still see the last heartbeat until it grows old.",
    hidden: "The window in front is one that is never told, so nothing of it is.",
    fixed: "These are your own words, whatever program is in front.",
    heartbeatTrouble: "The last heartbeat was not taken.",
    nextTry: (when: string) => `Next try at ${when}.`,
    tryNow: "Try now",
    lookAtIt: "Look at it",
    share: "Share it",
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
      next: (says: string) => `Next heartbeat: ${says}`,
      same: "says the same",
      silent: "none, nothing is told",
      somebody: "Somebody is in",
      away: "Away",
      program: "The program in front",
    },
    status: {
      set: "Set a status…",
      change: "Change status…",
      title: "Say it in your own words",
      lead: "Readers see this in place of the program in front, until you take it back.",
      application: "In place of the program",
      applicationHint: "Out for a walk",
      introduce: "A line about it",
      introduceHint: "Back for tea",
      colour: "Colour",
      ownColour: "The lamp’s own colour",
      strength: "Strength",
      percent: (share: number) => `${number(Math.round(share * 100))} %`,
      show: "Show it",
      clear: "Take it back",
      cancel: "Cancel",
      shown: "Readers see your own words",
      cleared: "Readers see the program in front again",
    },
    address: {
      label: "The address for your blog",
      copy: "Copy the address",
      copied: "The address is on the clipboard",
      code: "Show the address as a code for a phone",
      codeTitle: "The address, for a phone",
      codeAlt: (url: string) => `A QR code that leads to ${url}`,
      codeHint: "Point the camera of a phone at it.",
      local: "Only this computer can reach it.",
      healthy: "The world can reach it",
      healthyIn: (ms: number) => `The world can reach it, in ${number(ms)} ms`,
      checking: "Whether the world can reach it is being found out",
      down: "The world cannot reach it right now",
      claimed: "Public, as the settings say",
    },
    tiles: {
      label: "How everything stands",
      service: {
        title: "Service",
        on: (port: number) => `Answering on port ${port}`,
        off: "Not listening at its address",
      },
      tunnel: {
        title: "Tunnel",
        off: "None, so only this computer can reach it",
        notNeeded: "None; the address is public without it",
        setUp: "Set one up",
        starting: "Starting…",
        checking: "Looking whether it leads here…",
        up: (since: string) => `Up since ${since}`,
        upIn: (since: string, ms: number) => `Up since ${since}, ${number(ms)} ms`,
        waiting: (when: string) => `Down, next try at ${when}`,
        missing: (program: string) => `${program} is not installed`,
        cannotStart: "Its program cannot be started",
        copyInstall: "Copy the install line",
        installCopied: "The install line is on the clipboard",
        stopped: "It cannot begin",
      },
      watching: {
        title: (n: number): string => (n > 1 ? "Watched folders" : "Watched folder"),
        none: "No folder is watched",
        choose: "Choose one",
        missing: (n: number) =>
          one(n) ? "A folder is not there" : `${number(n)} folders are not there`,
        setAside: (n: number) => `${counted(n, "file", "files")} cannot be added`,
        decide: "Whether to retry or to dismiss is yours to say.",
        waiting: (n: number) => (one(n) ? "1 file waits" : `${number(n)} files wait`),
        paused: "Paused, nothing is uploaded",
        adding: (name: string, more: number) =>
          more === 0 ? `Adding ${name}` : `Adding ${name} and ${number(more)} more`,
        watched: "Everything in it is added",
      },
      game: {
        title: "Steam",
        playing: (game: string) => `Playing ${game}`,
        notPlaying: "Not playing",
        offline: "Offline",
        unknown: "Not known right now",
        notSetUp: "Not set up",
        setUp: "Set it up",
        hidden: gameHidden,
      },
    },
    editors: "The upload server for editors is not listening.",
    noTray:
      "This desktop has no tray. Closing the window ends nothing; start Porchlight again to come back to it.",
    restart: "Some changed settings count from the next start.",
    restartNow: "Restart now",
    today: {
      title: "Readers today",
      unknown: "Unknown",
      told: (n: number) => counted(n, "reader", "readers"),
      atLeast: (n: number) => `at least ${counted(n, "reader", "readers")}`,
      cannotTell: "Your tunnel does not say who calls, so readers cannot be told apart.",
      more: "There were others who cannot be told apart.",
      who: "Each address that called from outside today counts once. Addresses are not kept.",
    },
    calls: {
      title: "Calls in the last 24 hours",
      span: "24 h",
      andServed: (n: number, served: number) =>
        `${counted(n, "call", "calls")}, ${counted(served, "picture", "pictures")} served`,
      count: (n: number) => counted(n, "call", "calls"),
      describe: (total: number, most: number, between: string) =>
        `${counted(total, "call", "calls")} in the last 24 hours. The busiest hour was ${between}, with ${number(most)}.`,
      none: "No calls in the last 24 hours.",
      between: (from: string, to: string) => `${from} to ${to}`,
      hour: (between: string, n: number) => `${between}: ${counted(n, "call", "calls")}`,
      now: "now",
    },
    newest: {
      title: "Newest pictures",
      inAll: (n: number) => `${number(n)} in all`,
      all: "All pictures",
      add: "Add pictures…",
      empty: "No pictures yet. Drop some anywhere in this window, or choose them.",
      alt: (when: string) => `Picture added ${when}`,
      copyLink: "Copy link",
      copyLinkOf: (when: string) => `Copy link to the picture added ${when}`,
      linkCopied: "The link is on the clipboard",
      notShown: "This picture cannot be shown",
    },
  };
}
