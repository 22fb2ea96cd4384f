// Which rows of the grid are visible, whichever element scrolls.

import { tick } from "svelte";
import { GAP, HEADING, type Layout } from "./layout";

/** The least width of a picture, in pixels. */
export const LEAST = 176;
/** Rows drawn above and below the visible ones. */
const BESIDE = 2;

/** Above this speed, in pixels per millisecond, pictures are not loaded. */
const HURRY = 1.6;
/** Milliseconds without scrolling after which scrolling counts as over. */
const REST_MS = 120;

/** Columns, the side of a picture in whole pixels, for a grid of this width. */
export function columnsFor(width: number): { columns: number; side: number } {
  const columns = Math.max(1, Math.floor((width + GAP) / (LEAST + GAP)));
  return { columns, side: Math.max(1, Math.floor((width - GAP * (columns - 1)) / columns)) };
}

/** The nearest scrolling ancestor of `element`. */
function scrollerOf(element: HTMLElement): HTMLElement {
  for (let part = element.parentElement; part !== null; part = part.parentElement) {
    // While a dialog is open the page does not scroll.
    if (/auto|scroll|hidden/.test(getComputedStyle(part).overflowY) && part !== document.body)
      return part;
  }
  return document.documentElement;
}

/** The visible part of a grid of square pictures. */
export class Viewport {
  /** Cells per row; 0 until the width is known. */
  columns = $state(0);
  /** The side of a cell, in pixels. */
  side = $state(0);
  /** The first row that is drawn. */
  first = $state(0);
  /** The row after the last one that is drawn. */
  end = $state(0);

  /** Whether scrolling is too fast to look at pictures. */
  hurried = $state(false);

  /** Covered pixels at the top of the scrolling element. */
  readonly #covered: number;
  /** The layout for the current columns and side. */
  readonly #layout: () => Layout;
  #grid: HTMLElement | undefined;
  #scroller: HTMLElement | undefined;
  // The offset of the grid in the scrolling element.
  #start = 0;
  #last = { at: 0, top: 0 };
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(covered: number, layout: () => Layout) {
    this.#covered = covered;
    this.#layout = layout;
  }

  /** Whole rows that fit into the visible part. */
  get rows(): number {
    const { top, bottom } = this.#frame();
    return Math.max(1, Math.floor((bottom - top) / (this.side + GAP)));
  }

  /** Pixels of the grid that are scrolled out of view at its start. */
  get above(): number {
    if (this.side === 0) return 0;
    return Math.max(0, this.#frame().top - (this.#grid?.getBoundingClientRect().top ?? 0));
  }

  /** Watches this grid; returns a function that stops it. */
  follow(grid: HTMLElement): () => void {
    this.#grid = grid;
    const scroller = scrollerOf(grid);
    this.#scroller = scroller;
    const resized = new ResizeObserver(() => this.#fit());
    for (const part of [grid, grid.parentElement, scroller]) if (part) resized.observe(part);
    const scrolled = () => {
      this.#pace();
      this.measure();
    };
    document.addEventListener("scroll", scrolled, { capture: true, passive: true });
    this.#fit();
    return () => {
      resized.disconnect();
      clearTimeout(this.#resting);
      document.removeEventListener("scroll", scrolled, { capture: true });
    };
  }

  /** Updates which rows are visible. */
  measure() {
    if (this.#grid === undefined || this.side === 0) return;
    const { top } = this.#grid.getBoundingClientRect();
    const frame = this.#frame();
    const layout = this.#layout();
    this.first = Math.max(0, layout.rowAt(frame.top - this.#covered - top) - BESIDE);
    this.end = Math.min(layout.rows, layout.rowAt(frame.bottom - top) + 1 + BESIDE);
  }

  /** Scrolls by this number of pixels. */
  scroll(pixels: number) {
    if (this.#scroller === undefined || pixels === 0) return;
    this.#scroller.scrollTop += pixels;
    this.measure();
  }

  /** Scrolls by this number of pixels after the next layout. */
  async moveWithNewHeight(pixels: number) {
    // Until then, a smaller height may limit the scroll position.
    const to = (this.#scroller?.scrollTop ?? 0) + pixels;
    await tick();
    if (this.#scroller !== undefined) this.scroll(to - this.#scroller.scrollTop);
  }

  /** Scrolls just enough to make this row fully visible. */
  reveal(row: number) {
    const layout = this.#layout();
    const top = (this.#grid?.getBoundingClientRect().top ?? 0) + layout.top(row);
    const frame = this.#frame();
    const heading = layout.headings.has(row) ? HEADING : GAP;
    if (top < frame.top + GAP) this.scroll(top - frame.top - heading);
    else if (top + this.side > frame.bottom - GAP) {
      this.scroll(Math.min(top + this.side - frame.bottom + GAP, top - frame.top - GAP));
    }
  }

  /** Scrolls to the start of the grid, if it is not visible. */
  toStart() {
    if (this.above === 0) return;
    this.scroll((this.#grid?.getBoundingClientRect().top ?? 0) - this.#frame().top - GAP);
  }

  /** Measures the scrolling speed. */
  #pace() {
    const at = performance.now();
    const top = this.#scroller?.scrollTop ?? 0;
    const time = at - this.#last.at;
    const speed = Math.abs(top - this.#last.top) / Math.max(1, time);
    this.#last = { at, top };
    // The first step after a pause may be a single large one.
    if (time < REST_MS) this.hurried = speed > HURRY;
    clearTimeout(this.#resting);
    if (this.hurried) this.#resting = setTimeout(() => (this.hurried = false), REST_MS);
  }

  /** Handles a new width or position of the grid; visible pictures stay in place. */
  #fit() {
    const grid = this.#grid;
    const scroller = this.#scroller;
    if (grid === undefined || scroller === undefined) return;
    const { width, top } = grid.getBoundingClientRect();
    const root = scroller === document.documentElement;
    const offset = root ? 0 : scroller.getBoundingClientRect().top;
    const start = top - offset + scroller.scrollTop;
    const wasBelow = this.side > 0 && this.#frame().top - offset > this.#start - scroller.scrollTop;
    // Something above the grid was added or removed.
    if (wasBelow) scroller.scrollTop += start - this.#start;
    this.#start = start;
    const { columns, side } = columnsFor(width);
    if (width > 0 && (columns !== this.columns || side !== this.side)) {
      const before = this.#layout();
      const above = this.above;
      const row = before.rowAt(above);
      const hidden = Math.min(above - before.top(row), side);
      const first = before.start(row);
      this.columns = columns;
      this.side = side;
      if (wasBelow) {
        const after = this.#layout();
        void this.moveWithNewHeight(after.top(after.rowOf(first)) + hidden - above);
      }
    }
    this.measure();
  }

  /** The visible part of the scrolling element, in window pixels. */
  #frame(): { top: number; bottom: number } {
    const scroller = this.#scroller;
    if (scroller === undefined || scroller === document.documentElement) {
      return { top: this.#covered, bottom: window.innerHeight };
    }
    const { top, bottom } = scroller.getBoundingClientRect();
    return { top: top + this.#covered, bottom: Math.min(bottom, window.innerHeight) };
  }
}
