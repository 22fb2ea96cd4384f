// The ways to an address that the first run offers, and the settings that make each tunnel.

import type { SettingValue } from "../api/types";
import { presetChanges } from "../tunnel-kinds";

/** A kind; `worker` is no tunnel, `none` is "later". */
export type Kind =
  | "worker"
  | "cloudflared"
  | "tailscale"
  | "localhostRun"
  | "ssh"
  | "command"
  | "none";

/** What the owner wrote for it. */
export interface Written {
  kind: Kind;
  host: string;
  port: number;
  url: string;
  line: string;
}

/** The words of a command line; what is in double quotes is one word. */
export function split(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** Whether everything that this kind needs was written. */
export function complete({ kind, host, url, line }: Written): boolean {
  if (kind === "ssh") return host.trim() !== "" && url.trim() !== "";
  if (kind === "command") return split(line).length > 0 && url.trim() !== "";
  return true;
}

/** The settings that make it. */
export function changes(written: Written): Record<string, SettingValue> {
  const kind = { "tunnel.kind": written.kind };
  const url = { "tunnel.public_url": written.url.trim() };
  switch (written.kind) {
    case "ssh":
      return {
        ...kind,
        ...url,
        "tunnel.ssh_host": written.host.trim(),
        "tunnel.ssh_port": written.port,
      };
    case "command":
      return { ...kind, ...url, "tunnel.command": split(written.line) };
    case "tailscale":
      return { ...presetChanges(written.kind), ...(written.url.trim() === "" ? {} : url) };
    case "localhostRun":
      return presetChanges(written.kind) ?? kind;
    default:
      return kind;
  }
}
