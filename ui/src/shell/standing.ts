// How everything stands, in short: for the foot of the side bar.

import type { Home } from "../api/types";
import type { Standing } from "../parts/standing";
import type { Words } from "../words/en";

/** One line: a dot and words. */
export interface Line {
  standing: Standing;
  text: string;
}

/** What needs the owner. */
export type Need =
  | "service"
  | "heartbeat"
  | "tunnel"
  | "folder"
  | "set_aside"
  | "outbox"
  | "editors"
  | "settings_file"
  | "restart";

/** Everything that needs the owner now, the gravest first. */
export function needs(home: Home): Need[] {
  const { address, telling, tunnel, watching, editors } = home;
  const shares = home.sharing === "on";
  const found: [Need, boolean][] = [
    ["service", address.port === null],
    ["heartbeat", shares && (telling.trouble !== null || home.light.trouble !== null)],
    ["tunnel", tunnel.state === "missing" || (tunnel.state === "stopped" && tunnel.why !== null)],
    ["folder", watching.folders.some(({ state }) => state === "missing")],
    ["set_aside", watching.setAside > 0],
    ["outbox", watching.trouble !== null],
    ["editors", editors.state === "trouble"],
    ["settings_file", home.fileProblems.length > 0],
    ["restart", home.needsRestart],
  ];
  return found.filter(([, is]) => is).map(([need]) => need);
}

/** The service. */
export function service(home: Home | null, trouble: string | null, words: Words): Line | null {
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
      return { standing: tunnel.why === null ? "off" : "bad", text: said.stopped };
    default:
      return { standing: "warn", text: said[tunnel.state] };
  }
}
