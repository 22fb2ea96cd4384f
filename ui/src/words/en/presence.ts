// The words of the place "presence", in English.

import type { AwayBecause, PrivateKind, Sense } from "../../api/types";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The words, with numbers written as `locale` writes them. */
export function presence(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);
  const counted = (n: number, one: string, other: string) =>
    `${number(n)} ${plurals.select(n) === "one" ? one : other}`;

  const away: Record<AwayBecause, string> = {
    idle: "You have not touched the keyboard or the mouse for a while, so readers see that you are away.",
    locked: "The screen is locked, so readers see that you are away.",
    asleep: "This computer sleeps, so readers see that you are away.",
  };
  const senses: Record<Sense, { what: string; todo: string }> = {
    foreground: {
      what: "Porchlight cannot see which program is in front",
      todo: "Readers see that you are in, but no program. A status of your own works everywhere: set one in Home.",
    },
    input: {
      what: "Porchlight cannot see when you last typed",
      todo: "You do not count as away by yourself. Pause sharing when you leave.",
    },
    lock: {
      what: "Porchlight cannot see whether the screen is locked",
      todo: "You count as away once you have not typed for a while.",
    },
    sleep: {
      what: "Porchlight cannot see this computer go to sleep",
      todo: "Readers see you for some minutes more after it does.",
    },
    media: {
      what: "Porchlight cannot see whether a film or music plays",
      todo: "While you watch something without typing, you count as away. A longer time in the settings helps.",
    },
  };
  const kinds: Record<PrivateKind, { name: string; sentence: string }> = {
    passwords: {
      name: "Password managers",
      sentence: "Programs that hold your passwords and keys.",
    },
    banks: { name: "Banks and payment", sentence: "Windows whose title speaks of a bank." },
    private_windows: {
      name: "Private windows",
      sentence: "Browser windows that say they are private.",
    },
    lock_screens: {
      name: "Lock screens and screensavers",
      sentence: "What covers the screen while you are gone.",
    },
  };

  return {
    lead: "What your blog shows of you while you work, and what it never does.",
    trouble: "What is told of you cannot be shown.",
    see: "What readers see",
    somebody: "Somebody is in",
    somebodyLine: "No program is named.",
    away: "Away",
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
      title: "What the next heartbeat says",
      nothing: "Nothing is told",
      nothingLine: "Sharing is off or paused. Your blog learns nothing from this computer.",
      pausedUntil: (when: string) => `Paused until ${when}`,
      paused: "Paused until you resume",
      online: "You are at it",
      away,
      fixed: "Your own words stand in for the program in front.",
      hidden: "The window in front is never told, so readers see only that somebody is in.",
      trouble: "The last heartbeat was not taken.",
      nextTry: (when: string) => `It is tried again at ${when}.`,
      home: "Pause or set a status",
      settings: "Idle time and titles",
      titles: "Window titles stay on this computer unless a rule or a setting lets them out.",
    },
    senses,
    past: {
      title: "What readers saw",
      today: "Today",
      week: "7 days",
      choose: "The time that is shown",
      band: (day: string) => `What readers saw on ${day}`,
      bandHint: "Use the arrow keys to go through the day.",
      piece: (what: string, from: string, to: string, length: string) =>
        `${what}, ${from} to ${to}, ${length}`,
      span: (from: string, to: string) => `${from} – ${to}`,
      empty: "Nothing was told",
      emptyLine: "Once your light is on, the day fills with what you were at.",
      emptyGo: "Look at the light",
      weekEmpty: "Nothing was told in these seven days",
      now: "now",
      program: "Program",
      time: "Time",
      sumToday: "Today by program",
      sumWeek: "These seven days by program",
      others: (n: number) => counted(n, "further program", "further programs"),
      kept: (days: number) =>
        `Kept on this computer for ${counted(days, "day", "days")}, and for nobody else.`,
      trouble: "The past cannot be shown.",
    },
    rules: {
      title: "Rules",
      lead: (builtIn: number) =>
        `The first rule that fits decides. Where none does, Porchlight knows ${counted(builtIn, "program", "programs")} by itself and takes the name and colour of any other from the program.`,
      list: "Your rules, in their order",
      none: "No rules yet. Add one to rename a program, to give it a line and a colour, or to keep it to yourself.",
      add: "Add a rule",
      addForFront: (program: string) => `Add a rule for ${program}`,
      any: "Any window",
      titled: (title: string) => `title ${title}`,
      hides: "nothing is told",
      becomes: (name: string) => `“${name}”`,
      keeps: "its own name",
      matches: "fits now",
      up: (n: number) => `Move rule ${number(n)} up`,
      down: (n: number) => `Move rule ${number(n)} down`,
      duplicate: (n: number) => `Duplicate rule ${number(n)}`,
      remove: (n: number) => `Remove rule ${number(n)}`,
      moved: (n: number) => `It is rule ${number(n)} now.`,
      removed: (n: number) => `Rule ${number(n)} is gone until you discard the changes.`,
      keys: "Alt with ↑ or ↓ moves a rule.",
      fields: {
        program: "Program",
        programHint: "Its name, or /a regular expression/. Empty: any program.",
        title: "Window title",
        titleHint: "A part of it, or /a regular expression/. Empty: any title.",
        hide: "Tell nothing of it",
        hideHint: "Readers see that somebody is in, and no more.",
        name: "Name",
        nameHint: "Empty: the program’s own name.",
        introduce: "A line about it",
        introduceHint: "{title} puts the window’s title there, for everyone to read.",
        colour: "Colour",
        colourHint: "Red, green, blue, and how strong it is. Empty: the program’s own.",
        pick: "Choose a colour",
        alpha: "How strong it is",
        clear: "Use the program’s own",
      },
      unsaved: "The rules were changed, but not saved.",
      save: "Save the rules",
      discard: "Discard",
      saved: "The rules are saved. The next heartbeat follows them.",
      refused: "The rules were not saved. Look at what stands beside them.",
    },
    trial: {
      front: "The last program in front",
      noFront: "No window is known yet. Go to another program and come back.",
      alsoKnownAs: (names: string) => `also ${names}`,
      noTitle: "no title",
      byRule: (n: number) => `By rule ${number(n)}, readers would see`,
      byNone: "No rule fits, so readers would see",
      private: "Private: never told",
      privateLine: "It is on the list below, and no rule changes that.",
      hidden: "Nothing is told of it",
      hiddenLine: "Readers see that somebody is in.",
      wrong: "Put the rules right to see what they do.",
      trouble: "The rules could not be tried.",
    },
    never: {
      title: "Never named",
      lead: "These are never named, whatever the rules say.",
      kinds,
      count: (n: number) => counted(n, "name", "names"),
    },
  };
}
