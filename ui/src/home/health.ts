// Whether the address can be reached from the internet.

import type { Home } from "../api/types";
import type { Line } from "../shell/standing";
import type { Words } from "../words/en";

/** The health of the address, in words. */
export function health({ address, tunnel }: Home, words: Words): Line {
  const said = words.home.address;
  switch (tunnel.state) {
    case "up":
      return {
        standing: "good",
        text: tunnel.roundTrip === null ? said.healthy : said.healthyIn(tunnel.roundTrip),
      };
    case "starting":
    case "checking":
      return { standing: "warn", text: said.checking };
    case "waiting":
      return { standing: "warn", text: said.down };
    default:
      return address.kind !== "local"
        ? { standing: "off", text: said.claimed }
        : { standing: "off", text: said.local };
  }
}
