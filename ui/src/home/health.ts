// Whether the address can be reached from the internet.

import type { Home } from "../api/types";
import type { Line } from "../shell/foot-lines";
import type { Words } from "../words/en";

/** The health of the address, in words. */
export function health({ address, tunnel, edge }: Home, words: Words): Line {
  const said = words.home.address;
  switch (edge.state) {
    case "service":
      return { severity: "good", text: said.healthyIn(edge.roundTrip) };
    case "checking":
      return { severity: "warn", text: said.checking };
    case "snapshot":
      return { severity: "warn", text: words.reach.edge.snapshot[0] };
    case "limit":
      return { severity: "bad", text: words.reach.edge.limit[0] };
    case "fails":
      return { severity: "bad", text: said.down };
  }
  // Of another address, such as that of an own proxy, the tunnel's probe says nothing.
  const other: Line = {
    severity: "off",
    text: address.kind === "local" ? said.local : said.claimed,
  };
  switch (tunnel.state) {
    case "up":
      if (tunnel.address !== address.url) return other;
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
      return other;
  }
}
