// The state of the presence light, and its colour.

import type { Home } from "../api/types";

/**
 * - `unasked`: the first-run question is unanswered
 * - `off`, `paused`: sharing is off or paused
 * - `waiting`: sharing is on, before the first heartbeat
 * - `on`: readers see that the owner is online
 * - `away`: the heartbeats report the owner as away, so the light is off for readers
 * - `out`: sharing is on, but the last heartbeat is too old
 */
export type LightState = "unasked" | "off" | "paused" | "waiting" | "on" | "away" | "out";

/** The state of the light. */
export function lightState({ sharing, light }: Home): LightState {
  if (sharing !== "on") return sharing;
  if (!light.alive) return light.lastHeartbeat === null ? "waiting" : "out";
  // The backend reports heartbeats without fields as online.
  return light.online ? "on" : "away";
}

/** Whether the light is on: the same in the window, in the tray and on a blog. */
export function isLit(state: LightState): boolean {
  return state === "on";
}

/**
 * Whether a blog can read the status, as far as is known:
 * - `up`: from the public address, which may be the Worker's
 * - `snapshot`: only from the snapshot
 * - `down`: not at all
 * - `yet`: not yet, since there is neither a public address nor a failed tunnel
 */
export type Reach = "up" | "snapshot" | "down" | "yet";

/** Whether a blog can read the status. */
export function reach(home: Home): Reach {
  const { snapshot } = home;
  const isPublished = snapshot?.written != null && !snapshot.trouble && !snapshot.another;
  // The Worker answers from the snapshot while it does not reach this computer.
  if (home.edge.state === "snapshot" || home.edge.state === "store")
    return isPublished ? "up" : "down";
  const reached = byAddress(home);
  return reached !== "up" && isPublished ? "snapshot" : reached;
}

/** The same for a blog that does not read the snapshot. */
function byAddress({ address, tunnel, edge }: Home): "up" | "down" | "yet" {
  if (edge.state === "limit" || edge.state === "fails") return "down";
  if (edge.state !== "off") return "up";
  // While the tunnel is down, an unset public address falls back to this computer's.
  if (["waiting", "missing", "stopped"].includes(tunnel.state)) return "down";
  if (address.port === null) return "down";
  return address.kind === "local" ? "yet" : "up";
}

/** A colour as parts for CSS: `"233 30 99"` and `0.9`. */
export interface Colour {
  rgb: string;
  alpha: number;
}

/** Reads `r,g,b,a`; `null` where there is no colour. */
export function colour(rgba: string): Colour | null {
  const parts = rgba.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const [red, green, blue, alpha] = parts;
  if (parts.length !== 4 || parts.some(Number.isNaN) || alpha === undefined) return null;
  return { rgb: `${red} ${green} ${blue}`, alpha };
}
