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

/** Whether a blog can reach the service, as far as is known: `yet` is for a computer that has no
 * public address and no tunnel that failed. */
export function reach({ address, tunnel, caches }: Home): "up" | "down" | "yet" {
  // The Worker answers from the snapshot meanwhile.
  if (caches.edge) return "up";
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
