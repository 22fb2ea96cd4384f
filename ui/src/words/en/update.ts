// The texts of the check for updates, in English.

import type { UpdateFailure } from "../../api/types";

/** The texts. */
export function update() {
  const why: Record<Exclude<UpdateFailure["code"], "unreachable" | "status">, string> = {
    no_address: "The address of releases isn’t set.",
    no_key: "The signing key of releases isn’t set.",
    too_long: "The answer is too long for the announcement of a release.",
    not_signed: "The announcement has no signature beside it.",
    other_key:
      "The announcement is signed with a key other than yours. Don’t install anything from it.",
    altered: "The announcement doesn’t match its signature. Don’t install anything from it.",
    malformed: "The announcement is signed, but it doesn’t describe a release.",
  };
  return {
    label: "Updates",
    sentence: "Porchlight checks only when you ask, and never installs anything itself.",
    start: "Check for updates",
    checking: "Checking…",
    upToDate: (running: string) => `Porchlight ${running} is up to date.`,
    newer: (version: string, running: string) =>
      `Porchlight ${version} is available. You have ${running}.`,
    page: "Download it from:",
    byPackage: (manager: string) =>
      `You installed Porchlight with ${manager}. Update it in a terminal:`,
    fromFile: "If you installed a downloaded package, install the newer one the same way.",
    bySystem: "Update Porchlight the way you installed it.",
    failed: "Couldn’t check for updates.",
    status: (file: string, status: number) => `${file} answered with status ${status}.`,
    why,
  };
}

/** The texts of this part. */
export type UpdateWords = ReturnType<typeof update>;
