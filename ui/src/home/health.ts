// Whether the address can be reached from the internet.

import type { Home } from "../api/types";
import { edgeSeverity } from "../settings/reach";
import type { Line } from "../shell/foot-lines";
import type { Words } from "../words/en";

/** The health of the address, in words. */
export function health({ address, tunnel, edge }: Home, words: Words): Line {
  const texts = words.home.address;
  const { state } = edge.state;
  if (state === "works") return { severity: "good", text: texts.healthy };
  if (state === "checking") return { severity: "warn", text: texts.checking };
  if (state !== "off") return { severity: edgeSeverity[state], text: words.reach.edge[state][0] };
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
