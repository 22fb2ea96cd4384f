// The words of the place "statistics", in English.

import type { Class } from "../../statistics/classes";

/** The words, with numbers written as `locale` writes them. */
export function statistics(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number) => numbers.format(n);
  const counted = (n: number, one: string, other: string) =>
    `${number(n)} ${plurals.select(n) === "one" ? one : other}`;

  const classes: Record<Class, { name: string; sentence: string }> = {
    good: { name: "Answered", sentence: "They got what they asked for." },
    redirected: { name: "Sent on", sentence: "They were sent to another address for it." },
    refused: {
      name: "Refused",
      sentence: "Not found, not allowed, or too many at once.",
    },
    failed: { name: "Failed", sentence: "Something went wrong here; the log says what." },
    hungUp: { name: "Hung up", sentence: "They left before the answer came." },
  };

  return {
    lead: "How often readers and blogs call, and what for. Only you see this.",
    trouble: "The calls cannot be shown.",
    range: {
      choose: "The time that is shown",
      today: "Today",
      week: "7 days",
      month: "30 days",
      year: "12 months",
      custom: "From – to",
      from: "From",
      to: "To",
      impossible: "Choose a first day that is not after the last one.",
      save: "Export as CSV",
      saved: (file: string) => `Saved as ${file}`,
    },
    since: (day: string) => `Counted since ${day}`,
    classes,
    share: (percent: string) => `${percent} of all`,
    calls: {
      title: { hour: "Calls by hour", day: "Calls by day", month: "Calls by month" },
      unit: (n: number): string => (plurals.select(n) === "one" ? "call" : "calls"),
      count: (n: number) => counted(n, "call", "calls"),
      through: "Calls step by step; the arrow keys go through them",
      tell: (when: string, n: number, parts: string) =>
        parts === ""
          ? `${when}: ${counted(n, "call", "calls")}`
          : `${when}: ${counted(n, "call", "calls")}, ${parts}`,
      part: (name: string, n: number) => `${name.toLowerCase()} ${number(n)}`,
      between: (from: string, to: string) => `${from} to ${to}`,
      time: "Time",
      all: "All",
      none: "Nobody called in this time.",
    },
    readers: {
      title: "Readers by day",
      lead: "Whoever came on two days counts on both.",
      through: "Readers day by day; the arrow keys go through them",
      count: (n: number, more: boolean) => {
        if (more && n === 0) return "nobody knows how many";
        return more
          ? `at least ${counted(n, "reader", "readers")}`
          : counted(n, "reader", "readers");
      },
      tell: (day: string, readers: string) => `${day}: ${readers}`,
      day: "Day",
      column: "Readers",
    },
    empty:
      "Nobody has called yet. Put the address of your light into your blog, and watch it come alive here.",
    emptyGo: "Show me the address",
    paths: {
      title: "What they asked for",
      path: "Path",
      calls: "Calls",
      bad: "Without an answer",
      last: "Last call, ever",
      never: "never",
      none: "Nothing was asked for in this time.",
    },
    top: {
      title: "Most looked at in this time",
      views: (n: number) => counted(n, "view", "views"),
      copy: (n: string) => `Copy link to the picture with ${n}`,
      copied: "The link is on the clipboard",
      go: "All pictures",
      none: "Nobody looked at a picture in this time.",
      save: "Views as CSV",
    },
  };
}
