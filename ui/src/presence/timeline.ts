// The history as bands, cut to the days that are drawn.

import type { PresencePeriod, ShownStatus } from "../api/types";

/** A piece of a band. */
export interface Piece {
  /** Unix milliseconds. */
  from: number;
  to: number;
  shown: ShownStatus;
  /** The name of the device; `null` for this computer. */
  device: string | null;
}

/** How long one app was shown in total. */
export interface Share {
  application: string;
  rgba: string;
  /** Milliseconds. */
  length: number;
}

/** A day's programs, the longest first, and how long the owner was away. */
export interface Sum {
  shares: Share[];
  away: number;
}

const same = (one: Piece, other: Piece) =>
  one.device === other.device && looksSame(one.shown, other.shown);

const looksSame = (one: ShownStatus, other: ShownStatus) =>
  one.online === other.online &&
  // While away, nothing else is shown.
  (!one.online ||
    (one.application === other.application &&
      one.introduce === other.introduce &&
      one.rgba === other.rgba));

/** The parts of `periods` between two times; adjacent parts with equal content are merged. */
export function clip(periods: PresencePeriod[], from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  for (const period of periods) {
    const piece = {
      from: Math.max(period.from, from),
      to: Math.min(period.to, to),
      shown: period.shown,
      device: period.device ?? null,
    };
    if (piece.to <= piece.from) continue;
    const last = pieces.at(-1);
    if (last !== undefined && last.to >= piece.from && same(last, piece))
      last.to = Math.max(last.to, piece.to);
    else pieces.push(piece);
  }
  return pieces;
}

/** The devices of these pieces, this computer first, each with its own. */
export function lanes(pieces: Piece[]): { device: string | null; pieces: Piece[] }[] {
  const devices = [...new Set(pieces.map(({ device }) => device))];
  return devices
    .sort((one, other) => (one === null ? -1 : other === null ? 1 : 0))
    .map((device) => ({ device, pieces: pieces.filter((piece) => piece.device === device) }));
}

/** How long each app was shown. The last colour is used. */
export function sum(pieces: Piece[]): Sum {
  const shares = new Map<string, Share>();
  let away = 0;
  for (const { from, to, shown } of pieces) {
    if (!shown.online) {
      away += to - from;
      continue;
    }
    const { application, rgba } = shown;
    const length = (shares.get(application)?.length ?? 0) + to - from;
    shares.set(application, { application, rgba, length });
  }
  return { shares: [...shares.values()].sort((a, b) => b.length - a.length), away };
}

/** Which piece is there at `at`; the nearest one where there is none. */
export function nearest(pieces: Piece[], at: number): number | null {
  let found: number | null = null;
  let gap = Number.POSITIVE_INFINITY;
  for (const [index, { from, to }] of pieces.entries()) {
    const away = Math.max(from - at, at - to, 0);
    if (away < gap) {
      gap = away;
      found = index;
    }
  }
  return found;
}

/** Every third hour of the day between two midnights, where its clock has it: a day may begin at one. */
export function marks(from: number, to: number): { hour: number; at: number; share: number }[] {
  const day = new Date(from);
  return [0, 3, 6, 9, 12, 15, 18, 21, 24].map((hour) => {
    const time = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour);
    const at = time.getTime();
    return { hour: hour === 24 ? hour : time.getHours(), at, share: (at - from) / (to - from) };
  });
}
