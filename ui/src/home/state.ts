// Which of its states the light is in, and in which colour.

import type { Home } from "../api/types";

/**
 * - `unasked`: the owner has not answered yet
 * - `off`, `paused`: the owner does not want it on
 * - `waiting`: it should be on, the first heartbeat has not come yet
 * - `on`: readers see it, and that the owner is in
 * - `away`: the service is told that the owner is not there, so it is unlit for readers
 * - `out`: it should be on, but no heartbeat has come for a while
 */
export type LightState = "unasked" | "off" | "paused" | "waiting" | "on" | "away" | "out";

/** The state of the light. */
export function lightState({ sharing, light }: Home): LightState {
  if (sharing !== "on") return sharing;
  if (!light.alive) return light.lastHeartbeat === null ? "waiting" : "out";
  // Of heartbeats that carry no fields the process says that they are online.
  return light.online ? "on" : "away";
}

/** Whether the lamp is lit: here, in the tray and on a blog alike. */
export function isLit(state: LightState): boolean {
  return state === "on";
}

/**
 * Whether a blog has the status, as far as is known:
 * - `up`: by its address, which may be the Worker's
 * - `snapshot`: only a blog that reads the snapshot
 * - `down`: none does
 * - `yet`: none does, on a computer that has no public address and no tunnel that failed
 */
export type Reach = "up" | "snapshot" | "down" | "yet";

/** Whether a blog has the status. */
export function reach(home: Home): Reach {
  const { snapshot } = home;
  const isPublished = snapshot?.written != null && !snapshot.trouble && !snapshot.another;
  // The Worker answers from the snapshot while it does not reach this computer.
  if (home.edge.state === "snapshot") return isPublished ? "up" : "down";
  const reached = byAddress(home);
  return reached !== "up" && isPublished ? "snapshot" : reached;
}

/** The same of a blog that does not read the snapshot. */
function byAddress({ address, tunnel, edge }: Home): "up" | "down" | "yet" {
  if (edge.state === "limit" || edge.state === "fails") return "down";
  if (edge.state !== "off") return "up";
  // Where no public address is set, it is that of this computer while the tunnel is down.
  if (["waiting", "missing", "stopped"].includes(tunnel.state)) return "down";
  if (address.port === null) return "down";
  return address.kind === "local" ? "yet" : "up";
}

/** A colour as CSS wants its parts: `"233 30 99"` and `0.9`. */
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
