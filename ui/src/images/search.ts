// Parses the search field into a query.
// Days are in the local time zone.

import type { ImageSearch } from "../api/types";

/** Every picture. */
export const ALL: ImageSearch = {
  hash: null,
  name: null,
  from: null,
  to: null,
  order: "newest",
  only: null,
  album: null,
};

/** Whether it matches every picture, in any order. */
export const isEverything = ({ order: _, ...criteria }: ImageSearch) =>
  Object.values(criteria).every((wanted) => wanted === null);

/** The time span of a day, a month or a year; the end is exclusive. */
type Span = [from: number, to: number];

const WORDS = { today: 0, 今天: 0, yesterday: -1, 昨天: -1 };
const YEARS = { from: 1970, to: 2199 };

/** The span of `today`, `2026`, `2026-11` or `2026-11-20`; `null` for anything else. */
function span(text: string, now: number): Span | null {
  const days = WORDS[text as keyof typeof WORDS];
  if (days !== undefined) {
    const day = new Date(now);
    const at = (n: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + n);
    return [at(days).getTime(), at(days + 1).getTime()];
  }
  const parts = /^(\d{4})(?:([-/.])(\d{1,2})(?:\2(\d{1,2}))?)?$/.exec(text);
  if (parts === null) return null;
  const year = Number(parts[1]);
  if (year < YEARS.from || year > YEARS.to) return null;
  if (parts[3] === undefined) {
    return [new Date(year, 0, 1).getTime(), new Date(year + 1, 0, 1).getTime()];
  }
  const month = Number(parts[3]) - 1;
  if (month < 0 || month > 11) return null;
  if (parts[4] === undefined) {
    return [new Date(year, month, 1).getTime(), new Date(year, month + 1, 1).getTime()];
  }
  const date = Number(parts[4]);
  const first = new Date(year, month, date);
  // The 31st of a short month would be a day of the next one.
  if (date === 0 || first.getMonth() !== month) return null;
  return [first.getTime(), new Date(year, month, date + 1).getTime()];
}

/** The query for `text`: for days, for a picture's link, or else for a part of a name, which may
 * be the beginning of a hash, too. */
export function parseSearch(text: string, now: number): ImageSearch {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return ALL;

  const single = span(wanted, now);
  if (single !== null) return { ...ALL, from: single[0], to: single[1] };
  const named = { ...ALL, name: wanted.replace(/(?<=.)\.[a-z][a-z0-9]{0,4}$/, "") };

  const range = /^(.*?)\s*\.\.\s*(.*)$/.exec(wanted);
  if (range !== null) {
    const [, begin = "", end = ""] = range;
    if (begin === "" && end === "") return named;
    const from = begin === "" ? null : span(begin, now);
    const to = end === "" ? null : span(end, now);
    if ((begin !== "" && from === null) || (end !== "" && to === null)) return named;
    // A reversed range means the same.
    if (from !== null && to !== null && from[0] > to[0]) {
      return { ...ALL, from: to[0], to: from[1] };
    }
    return { ...ALL, from: from?.[0] ?? null, to: to?.[1] ?? null };
  }

  const address = /\/(?:i|images)\/([0-9a-f]{32})(?:\.webp)?(?:[?#].*)?$/.exec(wanted);
  if (address?.[1] !== undefined) return { ...ALL, hash: address[1] };
  return /^[0-9a-f]{1,32}$/.test(named.name) ? { ...named, hash: named.name } : named;
}
