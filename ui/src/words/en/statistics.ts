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
    good: { name: "Served", sentence: "Answered as requested." },
    redirected: { name: "Redirected", sentence: "Sent to another address." },
    refused: {
      name: "Rejected",
      sentence: "Not found, not allowed, or too many at once.",
    },
    failed: { name: "Errors", sentence: "Something went wrong; the log has details." },
    hungUp: { name: "Cancelled", sentence: "The visitor left before the answer was ready." },
  };

  return {
    lead: "Readers, picture views and requests. Only you can see this.",
    trouble: "Couldn’t load the statistics.",
    range: {
      choose: "Time range",
      today: "Today",
      week: "7 days",
      month: "30 days",
      year: "12 months",
      custom: "Custom…",
      from: "From",
      to: "To",
      impossible: "The start date must not be after the end date.",
      save: "Export as CSV",
      saved: (file: string) => `Saved as ${file}`,
    },
    since: (day: string) => `Counted since ${day}`,
    classes,
    share: (percent: string) => `${percent} of total`,
    calls: {
      title: { hour: "Requests by hour", day: "Requests by day", month: "Requests by month" },
      unit: (n: number): string => (plurals.select(n) === "one" ? "request" : "requests"),
      count: (n: number) => counted(n, "request", "requests"),
      through: "Requests over time; use the arrow keys to step through",
      tell: (when: string, n: number, parts: string) =>
        parts === ""
          ? `${when}: ${counted(n, "request", "requests")}`
          : `${when}: ${counted(n, "request", "requests")}, ${parts}`,
      part: (name: string, n: number) => `${name.toLowerCase()} ${number(n)}`,
      between: (from: string, to: string) => `${from} to ${to}`,
      time: "Time",
      all: "Total",
      none: "No requests in this period.",
    },
    readers: {
      title: "Readers by day",
      lead: "Someone who visits on two days counts on both.",
      through: "Readers by day; use the arrow keys to step through",
      count: (n: number, more: boolean) => {
        if (more && n === 0) return "unknown";
        return more
          ? `at least ${counted(n, "reader", "readers")}`
          : counted(n, "reader", "readers");
      },
      tell: (day: string, readers: string) => `${day}: ${readers}`,
      day: "Day",
      column: "Readers",
    },
    empty: "No visits yet. Add your Porchlight address to your blog, and they will show up here.",
    emptyGo: "Show address",
    paths: {
      title: "Most requested",
      path: "Path",
      calls: "Requests",
      bad: "Failed",
      last: "Last request",
      never: "never",
      none: "Nothing requested in this period.",
    },
    top: {
      title: "Most viewed pictures",
      views: (n: number) => counted(n, "view", "views"),
      copy: (n: string) => `Copy link to the picture with ${n}`,
      go: "All pictures",
      none: "No picture views in this period.",
      save: "Export views as CSV",
    },
  };
}
