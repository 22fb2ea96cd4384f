// States of the page "settings", for tests and for the preview without the app.

import { Trouble } from "../../api/interface";
import { settingKeys, settingMeta } from "../../api/setting-meta";
import type {
  EdgeGlance,
  EdgeState,
  FileProblem,
  Home,
  LogLine,
  Reach,
  Setting,
  SettingsPage,
  SettingValue,
  TokenGlance,
  TunnelState,
  UpdateCheck,
  WatchStatus,
} from "../../api/types";
import type { Scene } from "../fake-native";
import { detail, text } from "../text";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);
const DAY = 86_400_000;

/** All settings, with these in the file; a secret that is in it is `true`. */
export function settingsWith(
  inFile: Record<string, SettingValue>,
  more: Record<string, Partial<Setting>> = {},
): Setting[] {
  return settingKeys.map((key): Setting => {
    const { default: value, secret } = settingMeta[key];
    const set = key in inFile;
    return {
      key,
      value: secret ? null : (inFile[key] ?? value),
      default: value,
      secret,
      set,
      layer: set ? "file" : "default",
      ...more[key],
    };
  });
}

/** What somebody wrote into the settings file that is not right. */
export const wrongFile: FileProblem[] = [
  {
    line: 12,
    key: "images.quality",
    why: { code: "out_of_bounds", parameters: { value: 500, min: 1, max: 100 } },
  },
  {
    line: 14,
    key: null,
    why: detail("unknown key `images.qualty`, did you mean `images.quality`?"),
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
    fileProblems: [],
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
  },
  {
    id: "2",
    name: "admin",
    scope: "admin",
    createdAt: NOW - 90 * DAY,
    lastUsed: null,
  },
  {
    id: "3",
    name: "Typora",
    scope: "upload",
    createdAt: NOW - 3 * DAY,
    lastUsed: NOW - 7_200_000,
  },
  { id: "4", name: "手机", scope: "admin", createdAt: NOW - DAY, lastUsed: null },
];

const logLines: [string, string][] = [
  ["INFO", "listening on http://127.0.0.1:4780"],
  ["INFO", "tunnel: up at https://light.example.org"],
  ["DEBUG", "GET /check 200 in 1 ms"],
  ["WARN", "notes.heic is not a picture of a known kind"],
  ["ERROR", "tunnel: https://light.example.org leads to something else; tried again in 8 s"],
  ["INFO", "heartbeat taken"],
];

const log = Array.from({ length: 40 }, (_, n): LogLine => {
  const [level, text] = logLines[n % logLines.length] ?? ["INFO", ""];
  return { at: `2026-11-20T14:${String(n).padStart(2, "0")}:07Z`, level, text };
});

const homeWith = (tunnel: TunnelState, watching: Partial<WatchStatus> = {}) =>
  ({
    tunnel,
    address: {
      url: "https://light.example.org",
      kind: "permanent",
      reached: false,
      port: 4780,
      trouble: null,
    },
    watching: {
      folders: [{ folder: "/home/mira/Pictures/Screenshots", state: "watched", why: null }],
      paused: false,
      waiting: 0,
      setAside: 0,
      underWay: [],
      trouble: null,
      ...watching,
    },
    alerts: [],
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
    "tools.lsky": true,
    "game.steam_api_key": true,
  },
  {
    "server.listen": { value: "127.0.0.1:4790", set: true, layer: "environment" },
    "images.max_pixels": { value: 80_000_000, set: true, layer: "command_line" },
  },
);

const up: TunnelState = {
  state: "up",
  address: "https://light.example.org",
  since: NOW - 21_600_000,
  roundTrip: 42,
  hostRewritten: false,
};

const cors = `[
  {
    "AllowedHeaders": ["*"],
    "AllowedMethods": ["GET", "HEAD"],
    "AllowedOrigins": ["*"],
    "MaxAgeSeconds": 86400
  }
]`;

/** The Worker in this state, with nothing else to mention. */
export const edgeIn = (state: EdgeState): EdgeGlance => ({
  state,
  plainTunnel: false,
  onDisk: 0,
  clockIsOff: false,
});

/** Always reachable, everything as it should be. */
export const reachable: Reach = {
  store: "r2",
  lines: {
    deploy: "npx wrangler deploy && npx wrangler secret bulk secrets.json",
    cors,
    corsCommand:
      "aws s3api put-bucket-cors --endpoint-url https://s3.example.org --bucket pictures --cors-configuration '{…}'",
    website: "garage bucket website --allow pictures",
  },
  variables: [
    ["CLIENT_IP_HEADER", "CF-Connecting-IP"],
    ["ADDRESS", "https://light.example.org"],
  ],
  hasKey: true,
  edge: edgeIn({ state: "works", at: NOW - 12_000 }),
  setup: { work: { state: "idle" }, tokenKept: false, deployed: null },
};

const fine = {
  settings: pageWith(usual),
  tokens,
  logLines: log,
  checkSettings: [],
  updateSettings: [],
  newToken: undefined,
  home: homeWith(up),
  reach: reachable,
} satisfies Scene;

/** A release that a package manager brings. */
const newer: UpdateCheck = {
  running: "0.1.0",
  result: {
    state: "newer",
    version: "0.2.0",
    notes: "- 1\n- 2\n- 3",
    page: "https://light.example.org/releases/0.2.0",
  },
  way: {
    by: "package",
    manager: "apt",
    command: "sudo apt update && sudo apt install porchlight",
  },
};

/** Every scene by its name. */
export const scenes = {
  full: fine,
  first: {
    ...fine,
    settings: pageWith(settingsWith({}), {
      startsAtLogin: null,
      menuEntry: null,
      shortcut: {
        possible: false,
        trouble: { code: "no_portal" },
        given: null,
      },
    }),
    tokens: [],
    logLines: [],
    home: homeWith({ state: "off" }, { folders: [] }),
  },
  paused: { ...fine, home: homeWith(up, { paused: true }) },
  updates: {
    ...fine,
    settings: pageWith(
      settingsWith({
        "update.url": "https://light.example.org/latest.json",
        "update.public_key": "RWTf6LxT3m4gMDYprChzKspDViqg573H64lABYU4gktUl+ZDvN8ZfGzE",
      }),
    ),
    checkForUpdates: newer,
  },
  wrongFile: {
    ...fine,
    settings: pageWith(usual, { fileProblems: wrongFile }),
  },
  store: {
    ...fine,
    settings: pageWith(
      settingsWith({
        "storage.kind": "s3",
        "storage.endpoint": "https://s3.example.org",
        "storage.bucket": "pictures",
        "storage.access_key": true,
        "storage.secret_key": true,
        "tunnel.kind": "command",
        "tunnel.command": ["bore", "local", "{port}", "--to", "bore.pub"],
        "tunnel.pattern": "listening at ([^ ]+:[0-9]+)",
      }),
    ),
    home: homeWith({
      state: "waiting",
      why: text("bore: could not connect to bore.pub:7835"),
      nextTry: NOW + 8_000,
    }),
  },
  working: {
    ...fine,
    maintenance: {
      work: { kind: "check", done: 412, of: 2_417, cancelling: false, cancellable: true },
      reports: [
        {
          kind: "import",
          good: 212,
          alreadyHere: 9,
          cancelled: false,
          wrong: [
            {
              code: "about",
              parameters: {
                what: "9e107d9d372bb6826bd81d3542a419d6",
                why: detail("it answers 404"),
              },
            },
          ],
          mended: 0,
          file: null,
          secrets: [],
          adopted: null,
        },
        {
          kind: "backup",
          good: 40,
          alreadyHere: 0,
          cancelled: true,
          wrong: [],
          mended: 0,
          file: null,
          secrets: [],
          adopted: null,
        },
      ],
    },
  },
  loading: {
    ...fine,
    settings: () => new Promise<SettingsPage>(() => undefined),
  },
  lost: {
    ...fine,
    settings: (): SettingsPage => {
      throw new Trouble({
        code: "settings_unreadable",
        parameters: {
          file: "/home/mia/.local/share/porchlight/settings.toml",
          why: { code: "no_permission", parameters: { text: "Permission denied" } },
        },
      });
    },
  },
} satisfies Record<string, Scene>;
