// Commands that tunnels of other programs are started with, as docs/tunnels.md has them.

import type { SettingValue } from "../api/types";

/** By program: what is written. */
export const presets: Record<string, Record<string, SettingValue>> = {
  bore: {
    "tunnel.command": ["bore", "local", "{port}", "--to", "bore.pub"],
    "tunnel.pattern": "listening at ([^ ]+:[0-9]+)",
  },
  "Tailscale Funnel": {
    "tunnel.command": ["tailscale", "funnel", "{port}"],
    "tunnel.pattern": "(https://[a-z0-9.-]+\\.ts\\.net)",
  },
  ngrok: {
    "tunnel.command": ["ngrok", "http", "{port}", "--log", "stdout"],
    "tunnel.pattern": "url=(https://[^ ]+)",
  },
  // It prints no address: a pattern that was for another one would wait for ever. Its file
  // names the port that it leads to.
  frp: {
    "tunnel.command": ["frpc", "-c", "/home/me/frpc.toml"],
    "tunnel.pattern": null,
    "tunnel.port": 4781,
  },
};
