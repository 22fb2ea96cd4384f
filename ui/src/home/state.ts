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
 * - `down`: not at all, or not what is here
 * - `yet`: not yet, since there is neither a public address nor a failed tunnel
 */
export type Reach = "up" | "down" | "yet";

/** Whether a blog can read the status. */
export function reach({ address, tunnel, edge }: Home): Reach {
  const { state } = edge.state;
  if (state === "works" || state === "checking") return "up";
  if (state !== "off") return "down";
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
