// The kinds of tunnel that the owner chooses from, and the settings that make each. The commands
// are those of docs/permanent-address.md.

import type { SettingValue } from "./api/types";

/** A kind, as Settings and the welcome offer it. */
export type TunnelCard =
  | "named"
  | "tailscale"
  | "ssh"
  | "frp"
  | "quick"
  | "localhostRun"
  | "bore"
  | "ngrok"
  | "command"
  | "none";

/** Those with the most durable addresses first. */
export const tunnelCards: Record<TunnelCard, "permanent" | "temporary" | null> = {
  named: "permanent",
  tailscale: "permanent",
  ssh: "permanent",
  frp: "permanent",
  quick: "temporary",
  localhostRun: "temporary",
  bore: "temporary",
  ngrok: "temporary",
  command: null,
  none: null,
};

type Changes = Record<string, SettingValue>;
type Preset = {
  changes: Changes;
  /** Settings that the owner fills in or may change. */
  open: string[];
};

const printed = (command: string[], pattern: string): Preset => ({
  changes: {
    "tunnel.command": command,
    "tunnel.pattern": pattern,
    "tunnel.public_url": null,
  },
  open: [],
});

/** The kinds that are a command of another program. */
export const presets: Partial<Record<TunnelCard, Preset>> = {
  tailscale: {
    ...printed(["tailscale", "funnel", "{port}"], "(https://[a-z0-9.-]+\\.ts\\.net)"),
    open: ["tunnel.public_url"],
  },
  // It prints no address: a pattern that was for another one would wait for ever. Its file
  // names the port that it leads to.
  frp: {
    changes: {
      "tunnel.command": ["frpc", "-c", "/home/me/frpc.toml"],
      "tunnel.pattern": null,
      "tunnel.port": 4781,
    },
    open: ["tunnel.command", "tunnel.public_url", "tunnel.port"],
  },
  localhostRun: printed(
    [
      "ssh",
      "-T",
      ...["ExitOnForwardFailure=yes", "ServerAliveInterval=15", "StrictHostKeyChecking=accept-new"]
        // A connection that is shared would keep the forward when this ends.
        .concat("BatchMode=yes", "ControlPath=none")
        .flatMap((option) => ["-o", option]),
      ...["-R", "80:127.0.0.1:{port}", "nokey@localhost.run"],
    ],
    "tunneled with tls termination, (https://[^ ]+)",
  ),
  bore: printed(["bore", "local", "{port}", "--to", "bore.pub"], "listening at ([^ ]+:[0-9]+)"),
  ngrok: printed(["ngrok", "http", "{port}", "--log", "stdout"], "url=(https://[^ ]+)"),
};

/** All settings that make a preset. */
export function presetChanges(card: TunnelCard): Changes | null {
  const preset = presets[card];
  return preset === undefined ? null : { "tunnel.kind": "command", ...preset.changes };
}

/** The preset whose settings these are; `command` for any other program. */
export function presetOf(value: (key: string) => SettingValue | undefined): TunnelCard {
  const words = value("tunnel.command");
  for (const [card, { changes, open }] of Object.entries(presets)) {
    const own = changes["tunnel.command"];
    const program = Array.isArray(words) && Array.isArray(own) && words[0] === own[0];
    const same = ([key, wanted]: [string, SettingValue]) =>
      open.includes(key) || JSON.stringify(value(key) ?? null) === JSON.stringify(wanted);
    if (program && Object.entries(changes).every(same)) return card as TunnelCard;
  }
  return "command";
}
