// A short status for the foot of the side bar.

import type { Reason } from "../api/interface";
import type { Home, Need, NeedOf } from "../api/types";
import type { Standing } from "../parts/standing";
import type { Words } from "../words/en";

/** One line: a dot and words. */
export interface Line {
  standing: Standing;
  text: string;
}

/** The text of an alert. */
export function need(what: NeedOf, words: Words): string {
  const said = words.shell.need;
  switch (what.of) {
    case "tunnel_missing":
      return said.tunnel_missing(what.program);
    case "folder_missing":
      return said.folder_missing(what.folder);
    case "failed_uploads":
    case "images_on_disk":
    case "set_aside":
      return said[what.of](what.count);
    default:
      return said[what.of];
  }
}

/** The section of its place where an alert is dealt with, if any. */
export function section({ what, place }: Need): string | null {
  const ofSnapshot = ["snapshot", "snapshot_of_another", "plain_tunnel", "images_on_disk"];
  if (ofSnapshot.includes(what.of)) return "reachable";
  return place === "images" ? "queue" : null;
}

/** The service. */
export function service(home: Home | null, trouble: Reason | null, words: Words): Line | null {
  if (trouble !== null) return { standing: "warn", text: words.shell.service.unknown };
  if (home === null) return null;
  const { port } = home.address;
  return port === null
    ? { standing: "bad", text: words.shell.service.off }
    : { standing: "good", text: words.shell.service.on(port) };
}

/** The tunnel. */
export function tunnel({ tunnel }: Home, words: Words): Line {
  const said = words.shell.tunnel;
  switch (tunnel.state) {
    case "up":
      return {
        standing: "good",
        text: tunnel.roundTrip === null ? said.up : said.upIn(tunnel.roundTrip),
      };
    case "off":
      return { standing: "off", text: said.off };
    case "waiting":
      return { standing: "warn", text: said.waiting };
    case "missing":
      return { standing: "bad", text: tunnel.why === null ? said.missing : said.stopped };
    case "stopped":
      return { standing: "bad", text: said.stopped };
    default:
      return { standing: "warn", text: said[tunnel.state] };
  }
}
