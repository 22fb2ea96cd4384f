// The layout of the grid: rows of squares, with a heading above each day.

import type { ImageDay } from "../api/types";

/** Pixels between two pictures. */
export const GAP = 12;
/** The height of a heading, in pixels. */
export const HEADING = 40;

/** The shape of the grid. */
export interface Shape {
  /** Cells per row; 0 until the width is known. */
  columns: number;
  /** The side of a cell, in pixels. */
  side: number;
  /** The total number of pictures. */
  total: number;
  /** The days, in the order of the pictures; `null` for no headings. */
  days: readonly ImageDay[] | null;
}

/** The rows of a grid. */
export class Layout {
  readonly side: number;
  /** The total height in pixels. */
  readonly height: number;
  /** The day that starts with a row, by row. */
  readonly headings = new Map<number, ImageDay>();
  /** The first picture of each row, and the total. */
  readonly #starts: number[] = [];
  readonly #tops: number[] = [];

  constructor({ columns, side, total, days }: Shape) {
    this.side = side;
    let top = 0;
    let start = 0;
    const rowsUntil = (end: number) => {
      for (; columns > 0 && start < end; start += columns) {
        this.#starts.push(start);
        this.#tops.push(top);
        top += side + GAP;
      }
      start = end;
    };
    for (const [nth, day] of (days ?? []).entries()) {
      if (start >= total) break;
      top += HEADING;
      this.headings.set(this.#starts.length, day);
      // The days and the total may have been read at different times.
      rowsUntil(nth === (days?.length ?? 0) - 1 ? total : Math.min(total, start + day.count));
    }
    rowsUntil(total);
    this.#starts.push(columns > 0 ? total : 0);
    this.height = Math.max(0, top - GAP);
  }

  /** The number of rows. */
  get rows(): number {
    return this.#tops.length;
  }

  /** The first picture of a row; for the row after the last one the total. */
  start(row: number): number {
    return this.#starts[row] ?? 0;
  }

  /** Where a row begins, in pixels. */
  top(row: number): number {
    return this.#tops[row] ?? 0;
  }

  /** The row of a picture. */
  rowOf(index: number): number {
    return Math.max(0, Math.min(this.rows - 1, last(this.#starts, index)));
  }

  /** The row at this height, or the one before it. */
  rowAt(pixels: number): number {
    return Math.max(0, last(this.#tops, pixels));
  }
}

/** The index of the last number that is at most `wanted`; -1 for none. */
function last(numbers: readonly number[], wanted: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? 0) <= wanted) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
