// Keyboard navigation in a grid.

import type { Layout } from "./layout";

/** The cell that `key` moves to from `index`, where `page` rows are visible; `null` for other keys. */
export function moveFocus(key: string, index: number, layout: Layout, page: number): number | null {
  const last = layout.start(layout.rows) - 1;
  const by = (rows: number) => {
    const from = layout.rowOf(index);
    const to = Math.max(0, Math.min(layout.rows - 1, from + rows));
    // Up and down stay in their column, but a row may be short.
    const column = index - layout.start(from);
    return Math.min(layout.start(to) + column, layout.start(to + 1) - 1);
  };
  switch (key) {
    case "ArrowLeft":
      return Math.max(0, index - 1);
    case "ArrowRight":
      return Math.min(last, index + 1);
    case "ArrowUp":
      return by(-1);
    case "ArrowDown":
      return by(1);
    case "PageUp":
      return by(-Math.max(1, page));
    case "PageDown":
      return by(Math.max(1, page));
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}

/** Whether this is Ctrl, or Command, and this letter. */
export function isControlled(event: KeyboardEvent, letter: string): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  return key.toLowerCase() === letter && (ctrlKey || metaKey) && !altKey && !shiftKey;
}
