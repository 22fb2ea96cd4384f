// The language of the window: its texts, and its number and time formats.

import type { Reason } from "../api/interface";
import { midnight } from "../days";
import { en, type Words } from "./en";
import messages from "./en/messages.json";
import { toSentence } from "./message";
import { zh } from "./zh";
import { messages as chineseMessages } from "./zh/messages";

/** A language with its formats. All times are Unix milliseconds. */
export interface Locale {
  /** A BCP 47 tag. */
  tag: string;
  words: Words;
  /** The text of a message of the backend; text is unchanged. */
  message(text: Reason): string;
  number(n: number): string;
  /** A share of 1, in whole percent. */
  percent(share: number): string;
  /** A size, in the largest unit that fits. */
  bytes(n: number): string;
  /** How long ago `then` was, relative to `now`. */
  ago(then: number, now: number): string;
  /** Day and time. */
  moment(at: number): string;
  /** The day alone. */
  day(at: number): string;
  /** The time of day. */
  clock(at: number): string;
  /** The hour of the day, below a chart. */
  hour(at: number): string;
  /** The time of day to the second, with the day where that is not the day of `now`. */
  second(at: number, now: number): string;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** The locale for the wanted language: Chinese if it is `zh`, else English. */
export function createLocale(wanted: string): Locale {
  const chinese = /^zh\b/i.test(wanted);
  const tag = chinese ? "zh-CN" : /^en\b/i.test(wanted) ? wanted : "en";
  const words = chinese ? zh(tag) : en(tag);
  const sentences = chinese ? { messages: chineseMessages, stop: "。" } : { messages, stop: "." };
  const numbers = new Intl.NumberFormat(tag);
  const percents = new Intl.NumberFormat(tag, { style: "percent" });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: "auto" });
  const moments = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" });
  const days = new Intl.DateTimeFormat(tag, { dateStyle: "medium" });
  const clocks = new Intl.DateTimeFormat(tag, { timeStyle: "short" });
  const hours = new Intl.DateTimeFormat(tag, { hour: "numeric" });
  const seconds = new Intl.DateTimeFormat(tag, { timeStyle: "medium" });
  const datedSeconds = new Intl.DateTimeFormat(tag, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const unit = (name: string, n: number) =>
    new Intl.NumberFormat(tag, {
      style: "unit",
      unit: name,
      // The short name of a byte has no plural in English.
      unitDisplay: name === "byte" && !chinese ? "long" : "short",
      maximumFractionDigits: n < 100 ? 1 : 0,
    }).format(n);

  return {
    tag,
    words,
    message: (text) => (typeof text === "string" ? text : toSentence(text, sentences)),
    number: (n) => numbers.format(n),
    percent: (share) => percents.format(share),
    bytes: (n) => {
      if (n < 1_000) return unit("byte", n);
      if (n < 999_500) return unit("kilobyte", Math.round(n / 1_000));
      if (n < 999_500_000) return unit("megabyte", n / 1_000_000);
      return unit("gigabyte", n / 1_000_000_000);
    },
    ago: (then, now) => {
      // A clock that was set back must not make the past look like the future.
      const past = Math.max(0, now - then);
      const step = steps.find(([, length]) => past >= length);
      return step === undefined
        ? relative.format(-Math.round(past / 1_000), "second")
        : relative.format(-Math.floor(past / step[1]), step[0]);
    },
    moment: (at) => moments.format(at),
    day: (at) => days.format(at),
    clock: (at) => clocks.format(at),
    hour: (at) => hours.format(at),
    second: (at, now) => (midnight(at) === midnight(now) ? seconds : datedSeconds).format(at),
  };
}
