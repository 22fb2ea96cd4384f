// What a menu offers.

/** One thing to do. */
export type MenuItem = {
  label: string;
  hint?: string;
  /** Whether it is the chosen one of several, where it is one of these. */
  checked?: boolean;
  /** Whether a line separates it from those above. */
  apart?: boolean;
  run: () => void;
};
