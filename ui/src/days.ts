// Days, months and hours in the local time zone. A day on which the clock
// is changed on has 23 or 25 hours, so nothing here multiplies days by hours.

const HOUR_MS = 3_600_000;

/** The midnight that the day of `at` began with, `days` days later. */
export function midnight(at: number, days = 0): number {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).getTime();
}

/** When the month of `at` began, `months` months later. */
export function monthStart(at: number, months = 0): number {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth() + months, 1).getTime();
}

/** Where the hours of the day of `at` begin, and where its last one ends. */
export function hoursOfDay(at: number): number[] {
  const end = midnight(at, 1);
  const edges: number[] = [];
  for (let hour = midnight(at); hour < end; hour += HOUR_MS) edges.push(hour);
  return [...edges, end];
}

/** The midnights from the day of `from` to the end of the day of `to`. */
export function daysBetween(from: number, to: number): number[] {
  const edges = [midnight(from)];
  for (let n = 1; (edges.at(-1) ?? to) <= to; n++) edges.push(midnight(from, n));
  return edges;
}

/** The date of the day of `at`, as days since that of the Unix epoch. */
export function dayNumber(at: number): number {
  const day = new Date(at);
  return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / (24 * HOUR_MS);
}

/** `2026-11-20`, as a date field writes it. */
export function dateText(at: number): string {
  const day = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The midnight of what a date field holds; `null` where it is none. */
export function dateOf(text: string): number | null {
  const [, year, month, day] = text.match(/^(\d{4})-(\d\d)-(\d\d)$/) ?? [];
  if (year === undefined) return null;
  const at = new Date(Number(year), Number(month) - 1, Number(day));
  return dateText(at.getTime()) === text ? at.getTime() : null;
}
