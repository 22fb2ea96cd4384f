// The duration of a status.

import { midnight } from "../days";

/** The durations to choose from; `kept` keeps the current end. */
export type Lasting = "forever" | "halfAnHour" | "hour" | "today" | "kept";

const MINUTE = 60_000;

/** The end of a status that is set now; `null` for none. All in Unix milliseconds. */
export function endOf(lasting: Lasting, now: number, kept: number | null): number | null {
  switch (lasting) {
    case "halfAnHour":
      return now + 30 * MINUTE;
    case "hour":
      return now + 60 * MINUTE;
    case "today":
      return midnight(now, 1);
    case "kept":
      return kept;
    default:
      return null;
  }
}

/** Emoji for the start of a status. */
export const EMOJI = ["☕", "🍜", "🚶", "🚴", "🎧", "🎮", "📚", "✍️", "💤", "🏖️", "🚂", "🤒"];

/** The text with this emoji at its start, which replaces another one of these. */
export function withEmoji(emoji: string, text: string): string {
  const before = EMOJI.find((one) => text.startsWith(one)) ?? "";
  return `${emoji} ${text.slice(before.length).trimStart()}`;
}
