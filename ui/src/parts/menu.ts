// The items of a menu.

/** One item. */
export type MenuItem = {
  label: string;
  hint?: string | undefined;
  /** Whether it is the chosen one of several, where it is one of these. */
  checked?: boolean;
  /** Whether a line separates it from those above. */
  apart?: boolean;
  /** What it and those below it choose, up to the next line; of the first one below a line. */
  group?: string;
  run: () => void;
};
