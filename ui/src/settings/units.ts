// Units for display, and the whole numbers behind them.

/** A unit: its key in the texts, and its size in the smallest unit. */
export interface Unit {
  name:
    | "bytes"
    | "mib"
    | "gib"
    | "pixels"
    | "megapixels"
    | "seconds"
    | "minutes"
    | "hours"
    | "days";
  size: number;
}

/** Units of sizes, the smallest first. */
export const bytes: readonly Unit[] = [
  { name: "bytes", size: 1 },
  { name: "mib", size: 1_048_576 },
  { name: "gib", size: 1_073_741_824 },
];

/** Units of pictures' areas. */
export const pixels: readonly Unit[] = [
  { name: "pixels", size: 1 },
  { name: "megapixels", size: 1_000_000 },
];

/** Units of times. */
export const seconds: readonly Unit[] = [
  { name: "seconds", size: 1 },
  { name: "minutes", size: 60 },
  { name: "hours", size: 3_600 },
];

/** Days alone. */
export const days: readonly Unit[] = [{ name: "days", size: 1 }];

/** The largest of these units in which `value` is a whole number. */
export function fitting(value: number, units: readonly Unit[]): Unit | undefined {
  return [...units].reverse().find(({ size }) => value >= size && value % size === 0) ?? units[0];
}

/** `value` in a unit, exact to nine digits. */
export function written(value: number, unit: Unit | undefined): string {
  return String(Number((value / (unit?.size ?? 1)).toPrecision(9)));
}

/** The whole number; `null` if it is not a number. */
export function parseNumber(typed: string, unit: Unit | undefined): number | null {
  const plain = typed.trim().replace(/[\s_]/g, "");
  if (!/^\d+([.,]\d+)?$/.test(plain)) return null;
  return Math.round(Number(plain.replace(",", ".")) * (unit?.size ?? 1));
}
