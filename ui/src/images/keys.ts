// Keyboard navigation in a grid.

/** The shape of the grid. */
export interface Steps {
  /** Cells of a row. */
  columns: number;
  /** Visible rows. */
  rows: number;
  /** Cells in all. */
  total: number;
}

/** The cell that `key` moves to from `index`; `null` for other keys. */
export function moveFocus(
  key: string,
  index: number,
  { columns, rows, total }: Steps,
): number | null {
  const last = total - 1;
  const by = (step: number) => {
    const there = index + step;
    // Up and down stay in their column, but the last row may be short.
    if (there < 0) return index % columns;
    if (there <= last) return there;
    const lastRow = Math.floor(last / columns);
    return Math.floor(index / columns) === lastRow ? index : last;
  };
  switch (key) {
    case "ArrowLeft":
      return Math.max(0, index - 1);
    case "ArrowRight":
      return Math.min(last, index + 1);
    case "ArrowUp":
      return index < columns ? index : by(-columns);
    case "ArrowDown":
      return by(columns);
    case "PageUp":
      return by(-columns * Math.max(1, rows));
    case "PageDown":
      return by(columns * Math.max(1, rows));
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
