// A device in words: its name, what readers see of it, and whether it can reach this computer.

import type { DeviceCard, DeviceClient, Home } from "../api/types";
import type { Severity } from "../parts/severity";
import type { Words } from "../words/en";

/** What the owner calls it. This computer has no name of its own. */
export const nameOf = (device: DeviceCard, { devices }: Words) =>
  device.own ? devices.thisComputer : device.name;

/** What readers see, or would see, of a device. */
export interface SeenDevice {
  text: string;
  line: string;
  /** `null` where there is no colour to show. */
  rgba: string | null;
  online: boolean;
}

/** What readers see, or would see, of a device at a time. */
export function seenOf({ shown, validUntil }: DeviceCard, now: number, words: Words): SeenDevice {
  const none = { line: "", rgba: null, online: false };
  if (validUntil === null || validUntil < now) return { ...none, text: words.shown.offline };
  if (!shown.online) return { ...none, text: words.shown.away };
  return {
    text: shown.application || words.shown.online,
    line: shown.introduce,
    rgba: shown.rgba,
    online: true,
  };
}

/** The devices that readers see: those that they may, once each has reported. */
export const visible = ({ devices }: Home) =>
  devices.all.filter(({ access, lastReport }) => access === "allowed" && lastReport !== null);

/** Whether reports from outside reach this computer. */
export interface DeviceReach {
  severity: Severity;
  text: keyof Words["devices"]["adding"]["reach"];
}

/** Whether reports of a device with this client reach this computer, as far as is known. */
export function reachOf(home: Home, client: DeviceClient): DeviceReach {
  const { address, tunnel, edge } = home;
  if (address.kind === "local")
    return client === "own"
      ? { severity: "off", text: "program" }
      : { severity: "bad", text: "local" };
  if (address.url.startsWith("http://")) return { severity: "bad", text: "insecure" };
  switch (edge.state.state) {
    case "off":
      break;
    case "checking":
      return { severity: "warn", text: "checking" };
    case "works":
      // The Worker passes reports on through a tunnel, which it only uses by https.
      return tunnel.state === "up" && !edge.plainTunnel
        ? { severity: "good", text: "good" }
        : { severity: "bad", text: "worker" };
    default:
      return { severity: "bad", text: "down" };
  }
  if (address.reached) return { severity: "good", text: "reached" };
  switch (tunnel.state) {
    case "up":
      return tunnel.address === address.url
        ? { severity: "good", text: "good" }
        : { severity: "off", text: "claimed" };
    case "starting":
    case "checking":
      return { severity: "warn", text: "checking" };
    case "off":
      return { severity: "off", text: "claimed" };
    default:
      return { severity: "bad", text: "down" };
  }
}

/** What the owner can do about a device. */
export interface DeviceActions {
  allow: (device: DeviceCard, allowed: boolean) => void;
  rename: (device: DeviceCard, name: string) => void;
  /** Moves it by so many places. */
  move: (device: DeviceCard, by: 1 | -1) => void;
  forget: (device: DeviceCard) => void;
}
