// States of the place "settings", for tests and for looking at it without the program.

import { Trouble } from "../../api/interface";
import type {
  FileProblem,
  Home,
  LogLine,
  Setting,
  SettingsPage,
  SettingValue,
  TokenGlance,
  TunnelGlance,
  WatchGlance,
} from "../../api/types";
import type { Scene } from "../fake-native";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);
const DAY = 86_400_000;

/** Settings that are at their defaults. */
const defaults: Record<string, SettingValue> = {
  behaviour: null,
  "server.listen": "127.0.0.1:4780",
  "server.public_url": null,
  "server.client_ip": "peer",
  "server.trusted_proxies": ["127.0.0.0/8", "::1"],
  "server.greeting": "The porch light is on. This is Porchlight.\n",
  "limits.requests_per_second": 50,
  "limits.burst": 200,
  "heartbeat.fields": true,
  "heartbeat.alive_seconds": 600,
  "images.delivery": "direct",
  "images.quality": 80,
  "images.max_upload_bytes": 52_428_800,
  "images.max_pixels": 100_000_000,
  "images.max_animation_pixels": 1_000_000_000,
  "images.rendition_cache_bytes": 1_073_741_824,
  "storage.kind": "disk",
  "storage.endpoint": null,
  "storage.region": null,
  "storage.bucket": null,
  "storage.access_key": null,
  "storage.secret_key": null,
  "storage.storage_url": null,
  "game.steam_api_key": null,
  "game.steam_id": null,
  "game.steam_api_url": "https://api.steampowered.com",
  "game.steam_store_url": "https://store.steampowered.com",
  "game.local_steam": true,
  "game.steam_folder": null,
  "game.report_offline": false,
  "game.region": null,
  "game.language": "schinese",
  "ip.mmdb": null,
  "ip.ipinfo_token": null,
  "ip.ipinfo_url": "https://ipinfo.io",
  "system.show_user": false,
  "system.show_host": false,
  "system.show_addresses": false,
  "presence.enabled": null,
  "presence.interval_seconds": 30,
  "presence.target_url": null,
  "presence.token": null,
  "presence.history_days": 30,
  "presence.idle_seconds": 300,
  "presence.share_titles": false,
  "presence.rules": [],
  "presence.language": null,
  "watch.folders": [],
  "watch.recursive": true,
  "watch.existing": true,
  "watch.after": "keep",
  "watch.poll": false,
  "watch.copy_link": false,
  "tunnel.kind": "none",
  "tunnel.program": null,
  "tunnel.cloudflared_token": null,
  "tunnel.hostname": null,
  "tunnel.ssh_host": null,
  "tunnel.ssh_port": 0,
  "tunnel.public_url": null,
  "tunnel.command": null,
  "tunnel.pattern": null,
  "tunnel.port": 0,
  "tunnel.check_seconds": 60,
  "picgo.enabled": false,
  "picgo.port": 36_677,
  "picgo.secret": null,
  "links.template": "{url}",
  "app.theme": "system",
  "app.language": "system",
  "app.welcomed": false,
  "app.notifications": true,
  "app.upload_shortcut": "",
};

const secrets = [
  "storage.access_key",
  "storage.secret_key",
  "game.steam_api_key",
  "ip.ipinfo_token",
  "presence.token",
  "tunnel.cloudflared_token",
  "picgo.secret",
];

/** All settings, with these in the file; a secret that is in it is `true`. */
export function settingsWith(
  inFile: Record<string, SettingValue>,
  more: Record<string, Partial<Setting>> = {},
): Setting[] {
  return Object.entries(defaults).map(([key, value]): Setting => {
    const secret = secrets.includes(key);
    const set = key in inFile;
    return {
      key,
      value: secret ? null : (inFile[key] ?? value),
      default: value,
      secret,
      set,
      layer: set ? "file" : "default",
      counts: /^(watch|links|server)\./.test(key) ? "next_start" : "now",
      ...more[key],
    };
  });
}

/** What somebody wrote into the settings file that is not right. */
export const wrongFile: FileProblem[] = [
  { line: 12, key: "images.quality", why: "500 is out of bounds: from 1 to 100" },
  {
    line: 14,
    key: null,
    why: "unknown key `images.qualty`, did you mean `images.quality`?",
  },
];

/** A page with these settings. */
export function pageWith(settings: Setting[], more: Partial<SettingsPage> = {}): SettingsPage {
  return {
    settings,
    file: "/home/mira/.local/share/porchlight/settings.toml",
    folder: "/home/mira/.local/share/porchlight",
    startsAtLogin: true,
    menuEntry: true,
    shortcut: { possible: true, trouble: null, given: null },
    needsRestart: false,
    fileProblems: [],
    secretsIn: "keyring",
    ...more,
  };
}

const tokens: TokenGlance[] = [
  {
    id: "1",
    name: "heartbeat",
    scope: "heartbeat",
    createdAt: NOW - 90 * DAY,
    lastUsed: NOW - 12_000,
    own: true,
  },
  {
    id: "2",
    name: "admin",
    scope: "admin",
    createdAt: NOW - 90 * DAY,
    lastUsed: null,
    own: true,
  },
  {
    id: "3",
    name: "Typora",
    scope: "upload",
    createdAt: NOW - 3 * DAY,
    lastUsed: NOW - 7_200_000,
    own: false,
  },
  { id: "4", name: "手机", scope: "admin", createdAt: NOW - DAY, lastUsed: null, own: false },
];

const said: [string, string][] = [
  ["INFO", "listening on http://127.0.0.1:4780"],
  ["INFO", "tunnel: up at https://light.example.org"],
  ["DEBUG", "GET /check 200 in 1 ms"],
  ["WARN", "notes.heic is not a picture of a known kind"],
  ["ERROR", "tunnel: https://light.example.org leads to something else; tried again in 8 s"],
  ["INFO", "heartbeat taken"],
];

const log = Array.from({ length: 40 }, (_, n): LogLine => {
  const [level, text] = said[n % said.length] ?? ["INFO", ""];
  return { at: `2026-11-20T14:${String(n).padStart(2, "0")}:07Z`, level, text };
});

const homeWith = (tunnel: TunnelGlance, watching: Partial<WatchGlance> = {}) =>
  ({
    tunnel,
    watching: {
      folders: [{ folder: "/home/mira/Pictures/Screenshots", state: "watched", why: null }],
      paused: false,
      waiting: 0,
      setAside: 0,
      underWay: [],
      trouble: null,
      ...watching,
    },
  }) as Partial<Home> as Home;

const usual = settingsWith(
  {
    "presence.enabled": true,
    "presence.idle_seconds": 450,
    "images.quality": 85,
    "watch.folders": ["/home/mira/Pictures/Screenshots", "/home/mira/图片/博客"],
    "tunnel.kind": "cloudflared",
    "tunnel.cloudflared_token": true,
    "tunnel.hostname": "light.example.org",
    "tunnel.port": 4781,
    "links.template": "markdown",
    "game.steam_api_key": true,
  },
  {
    "server.listen": { value: "127.0.0.1:4790", set: true, layer: "environment" },
    "images.max_pixels": { value: 80_000_000, set: true, layer: "command_line" },
  },
);

const up: TunnelGlance = {
  state: "up",
  address: "https://light.example.org",
  since: NOW - 21_600_000,
  roundTrip: 42,
};

const fine = {
  settings: {
    read: pageWith(usual),
    tokens,
    log,
    check: [],
    update: [],
    newToken: undefined,
  },
  home: { read: homeWith(up) },
} satisfies Scene;

/** Every scene by its name. */
export const scenes = {
  full: fine,
  first: {
    settings: {
      ...fine.settings,
      read: pageWith(settingsWith({}), {
        startsAtLogin: null,
        menuEntry: null,
        shortcut: {
          possible: false,
          trouble:
            "This desktop gives programs no keys of their own: bind keys to `porchlight --upload-clipboard` in its own settings.",
          given: null,
        },
        secretsIn: "file",
      }),
      tokens: [],
      log: [],
    },
    home: { read: homeWith({ state: "off" }, { folders: [] }) },
  },
  paused: { ...fine, home: { read: homeWith(up, { paused: true }) } },
  restart: {
    ...fine,
    settings: { ...fine.settings, read: pageWith(usual, { needsRestart: true }) },
  },
  wrongFile: {
    ...fine,
    settings: { ...fine.settings, read: pageWith(usual, { fileProblems: wrongFile }) },
  },
  store: {
    ...fine,
    settings: {
      ...fine.settings,
      read: pageWith(
        settingsWith({
          "storage.kind": "s3",
          "storage.endpoint": "https://s3.example.org",
          "storage.bucket": "pictures",
          "storage.access_key": true,
          "storage.secret_key": true,
          "tunnel.kind": "command",
          "tunnel.command": ["bore", "local", "{port}", "--to", "bore.pub"],
        }),
      ),
    },
    home: {
      read: homeWith({
        state: "waiting",
        why: "bore: could not connect to bore.pub:7835",
        nextTry: NOW + 8_000,
      }),
    },
  },
  loading: {
    settings: { ...fine.settings, read: () => new Promise<SettingsPage>(() => undefined) },
  },
  lost: {
    settings: {
      ...fine.settings,
      read: (): SettingsPage => {
        throw new Trouble(
          "the settings file /home/mia/.local/share/porchlight/settings.toml cannot be read: Permission denied (os error 13)",
        );
      },
    },
  },
} satisfies Record<string, Scene>;
