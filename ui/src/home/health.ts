// Whether the address can be reached from the internet.

import type { Home } from "../api/types";
import type { Line } from "../shell/foot-lines";
import type { Words } from "../words/en";

/** The health of the address, in words. */
export function health({ address, tunnel, edge }: Home, words: Words): Line {
  const texts = words.home.address;
  switch (edge.state) {
    case "service":
      return { severity: "good", text: texts.healthyIn(edge.roundTrip) };
    case "store":
      return { severity: "good", text: texts.healthy };
    case "checking":
      return { severity: "warn", text: texts.checking };
    case "snapshot":
      return { severity: "warn", text: words.reach.edge.snapshot[0] };
    case "limit":
      return { severity: "bad", text: words.reach.edge.limit[0] };
    case "fails":
      return { severity: "bad", text: texts.down };
  }
  // The tunnel's probe does not cover another address, such as that of a reverse proxy.
  const other: Line = {
    severity: "off",
    text: address.kind === "local" ? texts.local : texts.claimed,
  };
  switch (tunnel.state) {
    case "up":
      if (tunnel.address !== address.url) return other;
      return {
        severity: "good",
        text: tunnel.roundTrip === null ? texts.healthy : texts.healthyIn(tunnel.roundTrip),
      };
    case "starting":
    case "checking":
      return { severity: "warn", text: texts.checking };
    case "waiting":
      return { severity: "warn", text: texts.down };
    default:
      return other;
  }
}
