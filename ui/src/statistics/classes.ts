// Classes of requests, and how each is drawn.

import type { Calls } from "../api/types";
import type { Fill } from "../parts/chart-fill";

/** A class of requests. */
export type Class = keyof Calls;

/** Every class, from the bottom of a bar up. */
export const classes: { name: Class; token: string; fill: Fill }[] = [
  { name: "good", token: "--accent", fill: "full" },
  { name: "redirected", token: "--accent", fill: "stripes" },
  { name: "refused", token: "--ink2", fill: "dots" },
  { name: "failed", token: "--bad", fill: "cross" },
  { name: "hungUp", token: "--ink3", fill: "lines" },
];

/** All requests, whatever the answer. */
export const all = (calls: Calls) => classes.reduce((sum, { name }) => sum + calls[name], 0);

/** Requests that were rejected or failed. */
export const notAnswered = ({ refused, failed, hungUp }: Calls) => refused + failed + hungUp;

/** Requests that were answered or redirected. */
export const answered = ({ good, redirected }: Calls) => good + redirected;

/** These counts added up. */
export function added(steps: Calls[]): Calls {
  const sum: Calls = { good: 0, redirected: 0, refused: 0, failed: 0, hungUp: 0 };
  for (const step of steps) for (const { name } of classes) sum[name] += step[name];
  return sum;
}
