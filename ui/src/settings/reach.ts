// The three steps that make a blog always reachable.

import type { EdgeGlance, Reach, ReachText, StoreMaker, StoreStep } from "../api/types";
import type { Severity } from "../parts/severity";
import type { RowKey } from "./table";

/** The steps, in order. */
export const reachSteps = ["store", "worker", "address"] as const;

/** One of them. */
export type ReachStep = (typeof reachSteps)[number];

/** The settings that belong to each step. */
export const settingsOf: Record<ReachStep, readonly RowKey[]> = {
  store: ["publish.enabled", "publish.prefix"],
  worker: ["edge.secret"],
  address: ["edge.url"],
};

/** The dot of each state of the Worker's address. */
export const edgeStanding: Record<EdgeGlance["state"], Severity> = {
  off: "off",
  checking: "off",
  service: "good",
  snapshot: "warn",
  store: "good",
  limit: "bad",
  fails: "bad",
};

/** The line to copy that fixes a failed step of the test, if any. */
export const remedies: Partial<
  Record<StoreStep, Partial<Record<StoreMaker, Exclude<ReachText, "worker" | "secret">>>>
> = {
  read: { own: "website" },
  cors: { r2: "cors", own: "cors_command", other: "cors_command" },
};

/** A line by the name under which it is copied. */
export function lineOf({ lines }: Reach, which: Exclude<ReachText, "worker" | "secret">): string {
  return which === "cors_command" ? lines.corsCommand : lines[which];
}
