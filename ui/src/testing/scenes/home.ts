// States of the window, for tests and for looking at it without the program.

import type { Home, Picture, Upload } from "../api/types";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
export const NOW = Date.UTC(2026, 10, 20, 14, 20);

/** What the process would say. */
export interface Scene {
  home: Home | Error;
  uploads: Upload[];
  /** Whether files hover above the window. */
  hovering?: boolean;
}

/** The `n`th picture's hash. */
export const hash = (n: number) => n.toString(16).padStart(32, "0");

function picture(n: number): Picture {
  return {
    hash: hash(n),
    width: 1600 - n * 40,
    height: 1200 - n * 25,
    size: 90_000 + n * 7_000,
    createdAt: NOW - n * 5_400_000,
    url: `https://light.example.org/i/${hash(n)}`,
  };
}

const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();

/** Everything as it should be. */
export const lit: Home = {
  light: {
    alive: true,
    online: true,
    application: "Porchlight",
    introduce: "",
    rgba: "233,30,99,0.9",
    lastHeartbeat: NOW / 1_000 - 12,
    trouble: null,
  },
  sharing: "on",
  address: { url: "https://light.example.org", public: true, port: 4780, trouble: null },
  pictureCount: 2_417,
  newest: Array.from({ length: 12 }, (_, n) => picture(n + 1)),
  calls: [
    { key: "/i/{hash}", count: 48_211, lastUpdated: ago(3) },
    { key: "/check", count: 31_904, lastUpdated: ago(8) },
    { key: "/random_image", count: 6_310, lastUpdated: ago(240) },
    { key: "/game_status", count: 2_877, lastUpdated: ago(4_000) },
    { key: "/images/list", count: 412, lastUpdated: ago(90_000) },
    { key: "/images/add", count: 96, lastUpdated: ago(400_000) },
  ],
  callsByHour: [
    12, 9, 4, 2, 1, 0, 3, 14, 31, 52, 66, 58, 71, 84, 92, 77, 64, 88, 103, 118, 132, 96, 74, 41,
  ],
  version: "0.1.0",
};

const files: Upload[] = [
  {
    id: 1,
    name: "evening-harbour.jpg",
    size: 12_400_000,
    state: "done",
    hash: hash(1),
    url: lit.newest[0]?.url ?? "",
    stored: 1_100_000,
  },
  {
    id: 2,
    name: "灯笼与雨.png",
    size: 4_830_000,
    state: "duplicate",
    hash: hash(2),
    url: "https://light.example.org/i/2",
  },
  { id: 3, name: "notes.heic", size: 8_120, state: "failed", trouble: "not_a_picture" },
  {
    id: 4,
    name: "scan-of-a-very-long-letter-that-was-found-in-the-attic-behind-the-old-suitcase-page-17.tiff",
    size: 88_000_000,
    state: "failed",
    trouble: "broken",
  },
  { id: 5, name: "screenshot 2026-11-20.png", size: 2_210_000, state: "working" },
  { id: 6, name: "IMG_2041.jpg", size: 6_400_000, state: "waiting" },
];

const quiet: Home = {
  ...lit,
  light: {
    ...lit.light,
    alive: false,
    online: false,
    application: "",
    rgba: "",
    lastHeartbeat: null,
  },
  address: { ...lit.address, url: "http://127.0.0.1:4780", public: false },
};

const bare: Home = {
  ...quiet,
  pictureCount: 0,
  newest: [],
  calls: [],
  callsByHour: Array.from({ length: 24 }, () => 0),
};

/** Every scene by its name. */
export const scenes = {
  first: { home: { ...bare, sharing: "unasked" }, uploads: [] },
  on: { home: lit, uploads: [] },
  described: {
    home: { ...lit, light: { ...lit.light, application: "Zed", introduce: "写代码 & tea" } },
    uploads: [],
  },
  waiting: { home: { ...quiet, sharing: "on" }, uploads: [] },
  paused: {
    home: {
      ...lit,
      sharing: "paused",
      address: quiet.address,
      light: { ...lit.light, lastHeartbeat: NOW / 1_000 - 95 },
    },
    uploads: [],
  },
  off: { home: { ...quiet, sharing: "off" }, uploads: [] },
  uploading: { home: lit, uploads: files },
  uploaded: { home: lit, uploads: files.slice(0, 4) },
  many: {
    home: lit,
    uploads: Array.from({ length: 240 }, (_, n): Upload => {
      const file = { id: n + 1, name: `IMG_${2_000 + n}.jpg`, size: 3_000_000 + n * 4_001 };
      if (n === 17) return { ...file, state: "failed", trouble: "too_large" };
      if (n > 82) return { ...file, state: "waiting" };
      if (n > 80) return { ...file, state: "working" };
      return {
        ...file,
        state: "done",
        hash: hash((n % 12) + 1),
        url: "https://light.example.org/i/1",
        stored: 410_000,
      };
    }),
  },
  empty: { home: { ...bare, sharing: "on", light: lit.light }, uploads: [] },
  hover: { home: lit, uploads: [], hovering: true },
  trouble: {
    home: {
      ...quiet,
      sharing: "on",
      light: {
        ...lit.light,
        alive: false,
        online: false,
        lastHeartbeat: NOW / 1_000 - 4_000,
        trouble: "connection refused",
      },
      address: { ...quiet.address, port: null, trouble: "Port 4780 is used by another program." },
    },
    uploads: [],
  },
  lost: { home: new Error("The database is locked by another program."), uploads: [] },
} satisfies Record<string, Scene>;

/** The name of a scene. */
export type SceneName = keyof typeof scenes;
