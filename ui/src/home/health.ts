// Whether the address can be reached from the internet.

import type { Home } from "../api/types";
import type { Line } from "../shell/foot-lines";
import type { Words } from "../words/en";

/** The health of the address, in words. */
export function health({ address, tunnel }: Home, words: Words): Line {
  const said = words.home.address;
  switch (tunnel.state) {
    case "up":
      return {
        severity: "good",
        text: tunnel.roundTrip === null ? said.healthy : said.healthyIn(tunnel.roundTrip),
      };
    case "starting":
    case "checking":
      return { severity: "warn", text: said.checking };
    case "waiting":
      return { severity: "warn", text: said.down };
    default:
      return address.kind !== "local"
        ? { severity: "off", text: said.claimed }
        : { severity: "off", text: said.local };
  }
}
