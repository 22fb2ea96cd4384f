// How long a status lasts.

import { midnight } from "../days";

/** What the owner chooses from; `kept` is the end that a status has already. */
export type Lasting = "forever" | "halfAnHour" | "hour" | "today" | "kept";

const MINUTE = 60_000;

/** When a status ends that is set now; `null` for never. All in Unix milliseconds. */
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

/** Emoji that a status may begin with. */
export const EMOJI = ["☕", "🍜", "🚶", "🚴", "🎧", "🎮", "📚", "✍️", "💤", "🏖️", "🚂", "🤒"];

/** The text with this emoji before it, in place of another one of these. */
export function beginWith(emoji: string, text: string): string {
  const before = EMOJI.find((one) => text.startsWith(one)) ?? "";
  return `${emoji} ${text.slice(before.length).trimStart()}`;
}
