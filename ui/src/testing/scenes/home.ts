// States of the page "home", for tests and for the preview without the app.

import type { BlogForm, BlogLines, Home, Picture, PresenceNow } from "../../api/types";
import type { Scene } from "../fake-native";
import { detail, locked } from "../text";
import { alone, several, withStranger } from "./devices";
import { edgeIn, reachable, wrongFile } from "./settings";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
export const NOW = Date.UTC(2026, 10, 20, 14, 20);

const MINUTE = 60_000;

/** The `n`th picture's hash. */
export const hash = (n: number) => n.toString(16).padStart(32, "0");

function picture(n: number): Picture {
  return {
    hash: hash(n),
    width: 1600 - n * 40,
    height: 1200 - n * 25,
    size: 90_000 + n * 7_000,
    sourceSize: 1_400_000 + n * 90_000,
    sourceFormat: "jpeg",
    animated: false,
    views: 400 - n * 13,
    createdAt: NOW - n * 5_400_000,
    name: null,
    album: null,
    posts: null,
    url: `https://light.example.org/i/${hash(n)}`,
  };
}

const zed = { application: "Zed", introduce: "写代码 & tea", rgba: "233,30,99,0.9", online: true };

/** The presence for a private window. */
const nameless = { application: "", introduce: "", rgba: "255,180,84,1" };

const presence: PresenceNow = {
  preview: zed,
  pause: null,
  fixed: null,
  recent: [],
  away: null,
  hidden: false,
  unavailable: [],
  trouble: null,
  nextTry: null,
};

const up = {
  state: "up",
  address: "https://light.example.org",
  since: NOW - 6 * 60 * MINUTE,
  roundTrip: 42,
  hostRewritten: false,
} as const;

/** Everything as it should be. */
export const lit: Home = {
  alerts: [],
  light: {
    ...zed,
    alive: true,
    lastHeartbeat: NOW / 1_000 - 12,
    since: Date.UTC(2026, 10, 20, 9, 12),
    trouble: null,
  },
  sharing: "on",
  settling: false,
  presence,
  devices: alone,
  address: {
    url: "https://light.example.org",
    kind: "permanent",
    reached: false,
    port: 4780,
    trouble: null,
  },
  links: { form: "url", template: "{url}" },
  caches: { edge: false, store: false },
  tunnel: up,
  edge: edgeIn({ state: "off" }),
  watching: {
    folders: [{ folder: "/home/mia/Pictures/blog", state: "watched", why: null }],
    paused: false,
    waiting: 0,
    setAside: 0,
    underWay: [],
    trouble: null,
  },
  editors: { state: "off" },
  game: { status: "在线", game: null, source: "client", hidden: null, trouble: null },
  pictureCount: 2_417,
  newest: Array.from({ length: 12 }, (_, n) => picture(n + 1)),
  readersToday: { count: 164, more: false },
  callsByHour: [
    12, 9, 4, 2, 1, 0, 3, 14, 31, 52, 66, 58, 71, 84, 92, 77, 64, 88, 103, 118, 132, 96, 74, 41,
  ],
  picturesServed: 312,
  tray: true,
  welcomed: true,
  fileProblems: [],
  version: "0.2.0",
};

/** With a Worker in front, and a tunnel that it uses. */
export const withWorker: Home = {
  ...lit,
  caches: { edge: true, store: true },
  tunnel: { ...up, address: "https://quiet-lamp.example.org" },
  edge: reachable.edge,
};

const waiting: Home["tunnel"] = {
  state: "waiting",
  why: {
    code: "address_answers",
    parameters: { address: "https://light.example.org", status: 530 },
  },
  nextTry: NOW + 30_000,
};

const dark: Home = {
  ...lit,
  light: {
    alive: false,
    online: false,
    application: "",
    introduce: "",
    rgba: "",
    lastHeartbeat: null,
    since: null,
    trouble: null,
  },
  presence: { ...presence, preview: null },
};

/** The first start: nothing is there yet. */
export const bare: Home = {
  ...dark,
  sharing: "off",
  address: { ...lit.address, url: "http://127.0.0.1:4780", kind: "local" },
  tunnel: { state: "off" },
  watching: { ...lit.watching, folders: [] },
  game: { ...lit.game, source: null },
  pictureCount: 0,
  newest: [],
  readersToday: { count: 0, more: false },
  callsByHour: Array.from({ length: 24 }, () => 0),
  picturesServed: 0,
};

/** The lines for a blog at the address of this home; the process has the real ones. */
export const blogLines =
  ({ address }: Home, lastAsked: number | null = null) =>
  (form: BlogForm, whole: boolean | null): BlogLines => {
    const { kind } = address;
    const holdsScript = whole ?? kind !== "permanent";
    const start = form === "astro" ? "<script is:inline" : "<script";
    const script = holdsScript
      ? `${start} type="module">\n// The whole script.\n</script>`
      : `${start} type="module" src="${address.url}/widget.js"></script>`;
    return {
      text: `${script}\n<porch-light src="${address.url}"></porch-light>\n`,
      url: address.url,
      kind,
      whole: holdsScript,
      lastAsked,
    };
  };

const scene = (home: Home) => ({ home, blogLines: blogLines(home), uploads: [] }) satisfies Scene;

/** Every scene by its name. */
export const scenes = {
  on: scene({
    ...lit,
    alerts: [{ what: { of: "set_aside", count: 1 }, place: "images" }],
    watching: { ...lit.watching, setAside: 1 },
  }),
  good: scene(lit),
  devices: scene({ ...lit, devices: several }),
  stranger: scene({
    ...lit,
    alerts: [{ what: { of: "waiting_devices", count: 1 }, place: "presence" }],
    devices: withStranger,
  }),
  temporary: scene({
    ...lit,
    address: {
      ...lit.address,
      url: "https://quiet-lamp.example.org",
      kind: "temporary",
    },
    tunnel: { ...up, address: "https://quiet-lamp.example.org" },
  }),
  unnamed: scene({ ...lit, readersToday: { count: 0, more: true } }),
  crowded: scene({ ...lit, readersToday: { count: 100_000, more: true } }),
  unasked: scene({ ...bare, sharing: "unasked" }),
  off: scene({ ...dark, sharing: "off" }),
  waiting: scene({ ...dark, sharing: "on", presence }),
  paused: scene({
    ...lit,
    sharing: "paused",
    presence: { ...presence, preview: null, pause: { until: NOW + 25 * MINUTE } },
  }),
  settling: scene({
    ...lit,
    sharing: "paused",
    settling: true,
    presence: { ...presence, preview: null, pause: { until: NOW + 30 * MINUTE } },
  }),
  asked: {
    home: lit,
    blogLines: blogLines(lit, NOW - 3_000),
    uploads: [],
  },
  pausedForGood: scene({
    ...dark,
    sharing: "paused",
    presence: { ...presence, preview: null, pause: { until: null } },
  }),
  fixed: scene({
    ...lit,
    light: { ...lit.light, application: "Out for a walk", introduce: "Back for tea", rgba: "" },
    presence: {
      ...presence,
      preview: { application: "Out for a walk", introduce: "Back for tea", rgba: "", online: true },
      fixed: {
        application: "Out for a walk",
        introduce: "Back for tea",
        rgba: "",
        until: Date.UTC(2026, 10, 20, 15, 0),
      },
      recent: [
        { application: "🍜 Lunch", introduce: "", rgba: "200,90,40,1", until: null },
        { application: "Out for a walk", introduce: "Back for tea", rgba: "", until: null },
      ],
    },
  }),
  away: scene({
    ...lit,
    light: { ...lit.light, online: false },
    presence: { ...presence, preview: { ...zed, online: false }, away: "idle" },
  }),
  hidden: scene({
    ...lit,
    presence: {
      ...presence,
      preview: { ...nameless, online: true },
      hidden: true,
    },
  }),
  hiddenAway: scene({
    ...lit,
    light: { ...lit.light, ...nameless, online: false },
    presence: {
      ...presence,
      preview: { ...nameless, online: false },
      away: "idle",
      hidden: true,
    },
  }),
  unavailable: scene({
    ...lit,
    light: { ...lit.light, ...nameless },
    presence: {
      ...presence,
      preview: { ...nameless, online: true },
      unavailable: [
        {
          sensor: "foreground",
          why: { code: "wayland_no_foreground" },
        },
        {
          sensor: "media",
          why: detail("the session bus cannot be asked (the bus has gone away)"),
        },
      ],
    },
    tray: false,
  }),
  out: scene({
    ...lit,
    alerts: [{ what: { of: "heartbeats" }, place: "home" }],
    light: { ...lit.light, alive: false, online: false, lastHeartbeat: NOW / 1_000 - 4_000 },
    presence: {
      ...presence,
      trouble: { code: "token_refused" },
      nextTry: NOW + 2 * MINUTE,
    },
  }),
  trouble: scene({
    ...dark,
    alerts: [
      { what: { of: "service" }, place: "home" },
      { what: { of: "tunnel_missing", program: "cloudflared" }, place: "home" },
      { what: { of: "folder_missing", folder: "/mnt/camera" }, place: "home" },
      { what: { of: "upload_queue" }, place: "home" },
      { what: { of: "editors" }, place: "home" },
      { what: { of: "set_aside", count: 3 }, place: "images" },
    ],
    sharing: "on",
    address: {
      url: "http://127.0.0.1:4780",
      kind: "local",
      reached: false,
      port: null,
      trouble: { code: "port_in_use", parameters: { address: "127.0.0.1:4780" } },
    },
    tunnel: {
      state: "missing",
      program: "cloudflared",
      why: null,
      install: "brew install cloudflared",
    },
    watching: {
      ...lit.watching,
      folders: [
        {
          folder: "/mnt/camera",
          state: "missing",
          why: { code: "not_found", parameters: { text: "No such file" } },
        },
        { folder: "/home/mia/Pictures", state: "watched", why: null },
      ],
      waiting: 14,
      setAside: 3,
      trouble: {
        code: "service_silent",
        parameters: {
          address: "https://light.example.org",
          why: { code: "connection_refused", parameters: { text: "Connection refused" } },
        },
      },
    },
    editors: {
      state: "trouble",
      why: {
        code: "editors_port",
        parameters: {
          port: 36_677,
          why: { code: "address_in_use", parameters: { text: "Address already in use" } },
        },
      },
    },
    game: {
      ...lit.game,
      source: null,
      trouble: { code: "steam_key_refused", parameters: { status: 403 } },
    },
  }),
  wrongFile: scene({ ...lit, fileProblems: wrongFile }),
  tunnelDown: scene({
    ...lit,
    tunnel: waiting,
    watching: { ...lit.watching, waiting: 5, underWay: ["harbour.jpg", "灯笼.png"] },
    game: { ...lit.game, status: "在游戏中", game: "Hades II" },
  }),
  worker: scene(withWorker),
  workerChecking: scene({ ...withWorker, edge: edgeIn({ state: "checking" }) }),
  workerAlone: scene({ ...withWorker, tunnel: waiting }),
  workerAnother: scene({ ...withWorker, edge: edgeIn({ state: "another" }) }),
  workerLimit: scene({
    ...withWorker,
    edge: edgeIn({ state: "limit", until: NOW + 580 * MINUTE }),
  }),
  workerFails: scene({
    ...withWorker,
    edge: edgeIn({ state: "fails", why: detail("it answered 500"), since: NOW - 40_000 }),
  }),
  empty: scene({ ...bare, sharing: "on", light: lit.light, presence }),
  loading: { home: () => new Promise<Home>(() => undefined) },
  lost: {
    home: () => {
      throw locked;
    },
  },
} satisfies Record<string, Scene>;

/** The name of a scene. */
export type SceneName = keyof typeof scenes;
