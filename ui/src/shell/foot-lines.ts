// A short status for the foot of the side bar.

import type { Reason } from "../api/interface";
import type { Alert, AlertKind, Home, Work } from "../api/types";
import { rowOf } from "../maintenance.svelte";
import type { Severity } from "../parts/severity";
import type { Words } from "../words/en";

/** One line: a dot and text. */
export interface Line {
  severity: Severity;
  text: string;
}

/** The text of an alert. */
export function alert(what: AlertKind, words: Words): string {
  const texts = words.shell.alert;
  switch (what.of) {
    case "tunnel_missing":
      return words.home.tiles.tunnel.missing(what.program);
    case "folder_missing":
      return texts.folder_missing(what.folder);
    case "failed_uploads":
    case "waiting_devices":
    case "images_on_disk":
    case "set_aside":
      return texts[what.of](what.count);
    case "worker_day":
      return texts.worker_day(what.spent, what.until);
    default:
      return texts[what.of];
  }
}

/** The section of its place where an alert is dealt with, if any. */
export function section({ what, place }: Alert): string | null {
  const ofReach = [
    "edge",
    "edge_of_another",
    "plain_tunnel",
    "images_on_disk",
    "clock",
    "worker_day",
    "worker_outdated",
  ];
  if (ofReach.includes(what.of)) return "reachable";
  if (what.of === "host_rewritten") return "tunnel";
  if (place === "presence") return "devices";
  return place === "images" ? "queue" : null;
}

/** A running maintenance task: how far it is, and the section of the settings that has its row. */
export function workLine({ kind, done, of }: Work, words: Words) {
  const { kinds, progress } = words.settings.work;
  return {
    text: of === null ? kinds[kind] : `${kinds[kind]}: ${progress(done, of)}`,
    share: of === null || of === 0 ? null : Math.min(1, done / of),
    section: rowOf(kind) === "move" ? "storage" : "maintenance",
  };
}

/** The service. */
export function service(home: Home | null, trouble: Reason | null, words: Words): Line | null {
  if (trouble !== null) return { severity: "warn", text: words.shell.service.unknown };
  if (home === null) return null;
  return home.address.port === null
    ? { severity: "bad", text: words.shell.service.off }
    : { severity: "good", text: words.shell.service.on };
}

/** The tunnel. */
export function tunnel({ tunnel }: Home, words: Words): Line {
  const texts = words.shell.tunnel;
  switch (tunnel.state) {
    case "up":
      return { severity: "good", text: texts.up };
    case "off":
      return { severity: "off", text: texts.off };
    case "waiting":
      return { severity: "warn", text: texts.waiting };
    case "missing":
      return { severity: "bad", text: tunnel.why === null ? texts.missing : texts.stopped };
    case "stopped":
      return { severity: "bad", text: texts.stopped };
    default:
      return { severity: "warn", text: texts[tunnel.state] };
  }
}
