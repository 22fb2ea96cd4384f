// What makes a blog always reachable: the Worker, and an own store for the pictures.

import type { EdgeState, Reach, ReachText, StoreMaker, StoreStep } from "../api/types";
import type { Severity } from "../parts/severity";

/** The severity of each state of the Worker. */
export const edgeSeverity: Record<EdgeState["state"], Severity> = {
  off: "off",
  checking: "off",
  works: "good",
  another: "warn",
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
