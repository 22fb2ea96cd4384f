// The Worker's set-up at Cloudflare, as the page shows it: its phases, and the fields that a failure
// asks for.

import type { EdgeStep, EdgeWork } from "../api/types";

/** The phases, in order. */
export const edgePhases = ["check", "upload", "address", "wait", "settings"] as const;

/** One of them. */
export type EdgePhase = (typeof edgePhases)[number];

const phaseOf: Record<EdgeStep, EdgePhase> = {
  verify: "check",
  account: "check",
  subdomain: "check",
  bucket: "upload",
  upload: "upload",
  address: "address",
  wait: "wait",
  settings: "settings",
};

/** The place of a step among the phases. */
export function phaseNumber(step: EdgeStep): number {
  return edgePhases.indexOf(phaseOf[step]);
}

/** A field that is only shown once a failure asks for it. */
export type EdgeField = "account" | "subdomain";

/** The field that this failure asks for, if any. */
export function neededField(work: EdgeWork): EdgeField | null {
  if (work.state !== "failed") return null;
  switch (work.why.code) {
    case "edge_needs_subdomain":
    case "cloudflare_name_taken":
      return "subdomain";
    case "edge_no_account":
    case "edge_accounts":
    case "cloudflare_token":
      return "account";
    default:
      return null;
  }
}

/** Whether the Worker keeps pictures that would be lost. */
export function holdsPictures(work: EdgeWork): boolean {
  return work.state === "failed" && work.why.code === "edge_holds_pictures";
}
