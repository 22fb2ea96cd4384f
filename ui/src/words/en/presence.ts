// The texts of the page "presence", in English.

import type { AwayBecause, PrivateKind, SensorKind } from "../../api/types";
import { counting } from "../counting";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The texts, with numbers formatted for `locale`. */
export function presence(locale: string) {
  const { number, counted } = counting(locale);

  const away: Record<AwayBecause, string> = {
    idle: "You haven’t used the keyboard or mouse for a while, so readers see you as away.",
    locked: "The screen is locked, so readers see you as away.",
    asleep: "This computer is asleep, so readers see you as away.",
  };
  const sensors: Record<SensorKind, { what: string; todo: string }> = {
    foreground: {
      what: "Porchlight can’t see which app you’re using",
      todo: "Readers see that you’re online, but no app. You can still set a custom status on Home.",
    },
    input: {
      what: "Porchlight can’t see when you last used the keyboard or mouse",
      todo: "You won’t show as away automatically. Pause sharing when you leave.",
    },
    lock: {
      what: "Porchlight can’t see whether the screen is locked",
      todo: "You show as away after a while without keyboard or mouse.",
    },
    sleep: {
      what: "Porchlight can’t see when this computer goes to sleep",
      todo: "Readers see you as online for a few minutes longer.",
    },
    media: {
      what: "Porchlight can’t see whether music or video is playing",
      todo: "You may show as away while you watch something. A longer idle time in Settings helps.",
    },
  };
  const kinds: Record<PrivateKind, { name: string; sentence: string }> = {
    passwords: {
      name: "Password managers",
      sentence: "Apps that store your passwords and keys.",
    },
    banks: {
      name: "Banks and payments",
      sentence: "Windows with a bank or payment service in the title.",
    },
    private_windows: {
      name: "Private windows",
      sentence: "Private or incognito browser windows.",
    },
    lock_screens: {
      name: "Lock screens and screensavers",
      sentence: "Shown while you’re away.",
    },
  };

  return {
    lead: "What your blog shows about you, and what always stays private.",
    awayLine: (app: string) =>
      `The data for your blog names the last app, ${app}, too. Porchlight’s widget doesn’t show it.`,
    trouble: "Couldn’t load your presence.",
    somebodyLine: "No app is shown.",
    duration: (length: number): string => {
      if (length < MINUTE_MS) return "under a minute";
      // Rounded once, so that 59.9 minutes do not become 60.
      const minutes = Math.round(length / MINUTE_MS);
      const hours = Math.floor(minutes / (HOUR_MS / MINUTE_MS));
      const rest = minutes % (HOUR_MS / MINUTE_MS);
      if (hours === 0) return `${number(rest)} min`;
      return rest === 0 ? `${number(hours)} h` : `${number(hours)} h ${number(rest)} min`;
    },
    details: "Details",
    now: {
      title: "What readers see next",
      off: "Sharing is off.",
      pausedLine: "Sharing is paused.",
      away,
      home: "Pause or set a status",
      resume: "Resume on Home",
      share: "Share on Home",
      settings: "Idle time and window titles",
      titles: "Window titles aren’t shared, unless you allow it in a rule or in Settings.",
    },
    sensors,
    gnome: {
      needsSwitch: {
        what: "GNOME needs one switch",
        todo: "GNOME reports the app you’re using to no program. Porchlight’s extension for GNOME does: it sends the app and its window title to Porchlight on this computer. Your rules and the private list apply as everywhere.",
      },
      needsLogin: {
        what: "GNOME needs a new login",
        todo: "Porchlight’s extension for GNOME is installed, but GNOME looks for new ones only at login. Log out and in again, then turn it on here.",
      },
      turnOn: "Turn on",
      turnedOn: "The extension is on.",
    },
    past: {
      unnamed: "Online, no app shown",
      title: "What readers saw",
      today: "Today",
      band: (day: string) => `What readers saw on ${day}`,
      bandHint: "Use the arrow keys to move through the day. Press Enter to rename or hide an app.",
      piece: (what: string, from: string, to: string, length: string) =>
        `${what}, ${from} to ${to}, ${length}`,
      span: (from: string, to: string) => `${from} – ${to}`,
      empty: "Nothing shared yet",
      emptyLine: "What readers saw shows up here, hour by hour.",
      emptyGo: "Go to Home",
      weekEmpty: "Nothing shared in the last 7 days",
      program: "App",
      time: "Time",
      sumToday: "Today by app",
      sumWeek: "Last 7 days by app",
      others: (n: number) => counted(n, "more app", "more apps"),
      kept: (days: number) => `Stored only on this computer, for ${counted(days, "day", "days")}.`,
      trouble: "Couldn’t load the timeline.",
    },
    rules: {
      title: "Rules",
      lead: (builtIn: number) =>
        `From top to bottom, the first rule that matches counts. Without one, Porchlight uses its list of ${counted(builtIn, "app", "apps")}, or the app’s own name and colour.`,
      list: "Your rules, in order",
      none: "No rules yet. Add one to rename an app, describe what you do in it, change its colour, or hide it.",
      add: "Add rule",
      addForFront: (program: string) => `Add rule for ${program}`,
      any: "Any window",
      titled: (title: string) => `title has ${title}`,
      hides: "hidden",
      becomes: (name: string) => `“${name}”`,
      keeps: "its own name",
      matches: "matches now",
      up: (n: number) => `Move rule ${number(n)} up`,
      down: (n: number) => `Move rule ${number(n)} down`,
      duplicate: (n: number) => `Duplicate rule ${number(n)}`,
      remove: (n: number) => `Delete rule ${number(n)}`,
      moved: (n: number) => `Moved to position ${number(n)}.`,
      hidden: (app: string) => `${app} is hidden from readers. The rule is in the list below.`,
      hidesNothing: (app: string) =>
        `The rule for ${app} is saved, but no app here has that name now. Check the rule when the app is open.`,
      removed: (n: number) => `Rule ${number(n)} deleted. Discard your changes to bring it back.`,
      keys: "Alt+↑ or Alt+↓ moves a rule.",
      fields: {
        program: "App",
        programHint: "App name, or /regular expression/. Leave empty for any app.",
        title: "Window title",
        titleHint: "Part of the title, or /regular expression/. Leave empty for any title.",
        hide: "Hide this app",
        hideHint: "Readers only see that you’re online.",
        name: "Show as",
        nameHint: "Leave empty to use the app’s own name.",
        introduce: "Description",
        introduceHint: "{title} inserts the window title, visible to everyone.",
        colour: "Colour",
        colourHint: "Red, green, blue and opacity. Leave empty to use the app’s own.",
        pick: "Choose colour",
        alpha: "Opacity",
        clear: "Use the app’s own",
      },
      unsaved: "You have unsaved changes.",
      save: "Save rules",
      discard: "Discard",
      saved: "Rules saved. They apply from the next status update.",
      changedSince: "The rules have changed since, so this can’t be undone here.",
      refused: "Couldn’t save. Fix the rules marked in red.",
    },
    trial: {
      foreground: "Last app you used",
      noFront: "Nothing to test yet. Switch to another app and come back.",
      alsoKnownAs: (names: string) => `also known as ${names}`,
      noTitle: "no title",
      byRule: (n: number) => `With rule ${number(n)}, readers would see`,
      byNone: "No rule matches, so readers would see",
      private: "This app is always private",
      privateLine: "It’s on the list “Always private” below. No rule can change that.",
      hidden: "This app is hidden",
      wrong: (n: number) => `There is a mistake in rule ${number(n)}. Fix it to see a preview.`,
      trouble: "Couldn’t test the rules.",
    },
    never: {
      title: "Always private",
      lead: "Never shown, whatever your rules say.",
      kinds,
      count: (n: number) => counted(n, "name", "names"),
    },
  };
}
