// States of the page "statistics", for tests and for the preview without the app.

import type {
  Calls,
  DayReaders,
  PathCalls,
  Picture,
  PictureSpace,
  Statistics,
  StatisticsTable,
  TopPicture,
} from "../../api/types";
import type { Scene } from "../fake-native";
import { locked } from "../text";

const NOW = Date.UTC(2026, 10, 20, 14, 20);
const DAY = 86_400_000;
const HOUR = 3_600_000;
const FIRST = Date.UTC(2026, 4, 3, 9);

// How busy the hours of a day are.
const hours = [
  12, 9, 4, 2, 1, 0, 3, 14, 31, 52, 66, 58, 71, 84, 92, 77, 64, 88, 103, 118, 132, 96, 74, 41,
];

const none: Calls = { good: 0, redirected: 0, refused: 0, failed: 0, hungUp: 0 };

/** Calls that came in this hour: always the same ones. */
function inHour(at: number): Calls {
  if (at >= NOW || at < FIRST) return none;
  const n = at / HOUR;
  const busy = (hours[n % 24] ?? 0) * (0.6 + ((n * 37) % 100) / 120);
  return {
    good: Math.round(busy),
    redirected: Math.round(busy * 0.22),
    refused: (n * 13) % 5 === 0 ? Math.round(busy * 0.12) : 1,
    failed: (n * 7) % 31 === 0 ? Math.round(busy * 0.3) : 0,
    hungUp: (n * 5) % 9 === 0 ? Math.round(busy * 0.08) : 0,
  };
}

/** All calls between two times. */
function between(from: number, to: number): Calls {
  const sum = { ...none };
  for (let at = from; at < to; at += HOUR)
    for (const name of Object.keys(none) as (keyof Calls)[]) sum[name] += inHour(at)[name];
  return sum;
}

const shares: [string, number, number][] = [
  ["/i/{hash}", 0.52, 3],
  ["/check", 0.31, 8],
  ["/random_image", 0.09, 240],
  ["/game_status", 0.04, 4_000],
  ["/images/list", 0.02, 90_000],
  ["/images/add", 0.01, 400_000],
];

/** The share of these calls that one path had. */
function path([key, share, ago]: [string, number, number], all: Calls): PathCalls {
  const part = (n: number) => Math.round(n * share);
  return {
    key,
    calls: {
      good: part(all.good),
      redirected: key === "/i/{hash}" ? all.redirected : 0,
      refused: part(all.refused),
      failed: part(all.failed),
      hungUp: part(all.hungUp),
    },
    last: NOW - ago * 1_000,
  };
}

const pictures = Array.from({ length: 6 }, (_, n): Picture => {
  const hash = (n * 7 + 1).toString(16).padStart(32, "0");
  return {
    hash,
    width: 1600,
    height: 1200,
    size: 90_000,
    sourceSize: 1_200_000,
    sourceFormat: "jpeg",
    animated: false,
    views: Math.round(4_211 / (n + 1)),
    createdAt: NOW - n * DAY,
    name: null,
    album: null,
    posts: null,
    url: `https://light.example.org/i/${hash}`,
  };
});

/** The readers of each day since they are counted: always the same ones. */
function readers(from: number, to: number): DayReaders[] {
  const [first, last] = [Math.max(from, FIRST), Math.min(to, NOW)].map((at) =>
    Math.floor(at / DAY),
  );
  const days: DayReaders[] = [];
  for (let day = first ?? 0; day <= (last ?? -1); day++)
    days.push({ day, readers: { count: 90 + ((day * 37) % 113), more: day % 40 === 18 } });
  return days;
}

/** What all pictures take. */
const space: PictureSpace = { pictures: 5_004, stored: 1_184_000_000, sources: 4_082_000_000 };

/** The most viewed pictures in a range of `days` days. */
function top(days: number): TopPicture[] {
  const views = Math.min(4_211, Math.round(days * 43));
  return pictures.map((picture, n) => ({ picture, views: Math.ceil(views / (n + 1)) }));
}

function read(edges: number[]): Statistics {
  const steps = edges.slice(0, -1).map((from, n) => between(from, edges[n + 1] ?? from));
  const [from, to] = [edges[0] ?? 0, edges.at(-1) ?? 0];
  const all = between(from, to);
  return {
    steps,
    paths: shares.map((share) => path(share, all)),
    readers: readers(2 * from - to, to),
    top: top((to - from) / DAY),
    sent: all.good * 181_000,
    space,
    first: FIRST,
  };
}

const nowhere: PictureSpace = { pictures: 0, stored: 0, sources: 0 };

/** No calls in the range. */
function nothing(edges: number[], first: number | null, space: PictureSpace): Statistics {
  const steps = edges.slice(1).map(() => none);
  return { steps, paths: [], readers: [], top: [], sent: 0, space, first };
}

/** A few calls today, and none ever before. */
function firstDay(edges: number[]): Statistics {
  const calls = { ...none, good: 14 };
  const has = (n: number) => (edges[n] ?? 0) <= NOW && NOW < (edges[n + 1] ?? 0);
  return {
    steps: edges.slice(1).map((_, n) => (has(n) ? calls : none)),
    paths: [{ key: "/check", calls, last: NOW - 240_000 }],
    readers: [{ day: Math.floor(NOW / DAY), readers: { count: 3, more: false } }],
    top: [],
    sent: 0,
    space: { pictures: 1, stored: 90_000, sources: 1_200_000 },
    first: NOW - 3 * HOUR,
  };
}

/** Every scene by its name. */
export const scenes = {
  full: {
    statistics: read,
    saveStatistics: (_from: number, _to: number, table: StatisticsTable) =>
      `porchlight-${table}.csv`,
    copyLinks: undefined,
  },
  // Its first day: so far, some came at noon.
  firstDay: { statistics: (edges: number[]) => firstDay(edges) },
  quiet: { statistics: (edges: number[]) => nothing(edges, FIRST, space) },
  empty: { statistics: (edges: number[]) => nothing(edges, null, nowhere) },
  emptyWithPictures: { statistics: (edges: number[]) => nothing(edges, null, space) },
  loading: { statistics: () => new Promise<Statistics>(() => undefined) },
  lost: {
    statistics: () => {
      throw locked;
    },
  },
} satisfies Record<string, Scene>;
