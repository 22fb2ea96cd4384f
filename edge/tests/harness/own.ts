// The Worker, and a service that syncs with it: signed requests, rows and the state of an owner.

import { createHash } from "node:crypto";
import type { MiniflareOptions, RequestInit } from "miniflare";
import { type Edge, type Reply, startEdge } from "./edge.ts";
import { hmac, SECRET, startService } from "./service.ts";

/** What a test changes in a signed request. */
export interface Over {
  t?: number;
  secret?: string;
  /** What is sent, where it is not what was signed. */
  sent?: Buffer;
  /** What is signed, where it is not what is sent. */
  method?: string;
  path?: string;
}

export function sha256(body: Buffer | string): string {
  return createHash("sha256").update(body).digest("hex");
}

let latest = 0;

/** A time that no other request has. */
export function now(): number {
  latest = Math.max(Date.now(), latest + 1);
  return latest;
}

/** The header of a request. */
export function signature(method: string, path: string, body: Buffer, over: Over = {}): string {
  const t = over.t ?? now();
  const sum = body.length > 0 ? sha256(body) : "";
  const text = ["store", t, over.method ?? method, over.path ?? path, sum].join("\n");
  return `t=${t}, body=${sum}, v1=${hmac(text, over.secret ?? SECRET)}`;
}

export function signed(
  method: string,
  path: string,
  body: Buffer = Buffer.alloc(0),
  over: Over = {},
) {
  const headers = { "X-Porchlight-Store": signature(method, path, body, over) };
  const sent = over.sent ?? body;
  return { method, headers, ...(/PUT|POST/.test(method) ? { body: sent } : {}) } as RequestInit;
}

export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** A name of 32 digits, a different one for each number. */
export function nameOf(number: number): string {
  return sha256(String(number)).slice(0, 32);
}

/** The row of a picture, as the service sends it. */
export function row(number: number, over: Partial<Record<keyof typeof PLACES, unknown>> = {}) {
  const at = new Date(Date.UTC(2026, 0, 31) + number * 1000).toISOString();
  const values: unknown[] = [nameOf(number), at, 1000, 600, 4000, false, "#102030", null, null];
  values.push("edge", []);
  for (const [name, value] of Object.entries(over))
    values[PLACES[name as keyof typeof PLACES]] = value;
  return values as Row;
}
const PLACES = {
  hash: 0,
  createdAt: 1,
  width: 2,
  height: 3,
  size: 4,
  animated: 5,
  color: 6,
  thumbhash: 7,
  album: 8,
  place: 9,
  names: 10,
};

/** The owner in the form of Lanyard. */
export const presence = ({
  id = "1",
  application = "Editor",
  introduce = "",
  device = "",
} = {}) => ({
  discord_user: { id, username: "owner", bot: false },
  discord_status: "online",
  active_on_discord_desktop: true,
  listening_to_spotify: false,
  spotify: null,
  activities: [{ type: 0, id: "app", name: application }],
  kv: { application, introduce, rgba: "1,2,3,1", device },
});

/** What is left of it after its time. */
export const GONE = {
  ...presence(),
  discord_status: "offline",
  active_on_discord_desktop: false,
  activities: [],
  kv: { application: "", introduce: "", rgba: "", device: "" },
};

export const CHECK = {
  alive: true,
  last_heartbeat: 1_900_000_000,
  application: "Editor",
  introduce: "writing",
  rgba: "1,2,3,1",
  applicationOnline: true,
};
export const CHECK_OVER = {
  alive: false,
  last_heartbeat: 1_900_000_000,
  application: "",
  introduce: "",
  rgba: "",
  applicationOnline: false,
};

/** A part `presence` of a sync. */
export const shown = (
  application = "Editor",
  more: { introduce?: string; device?: string } = {},
) => ({
  check: { ...CHECK, application },
  check_over: CHECK_OVER,
  lanyard: presence({ application, ...more }),
  lanyard_over: GONE,
});

export const SERVICE = "0123456789abcdef0123456789abcdef";

export const SETTINGS = {
  delivery: "direct",
  storage: "edge",
  storage_url: null,
  requests_per_second: 0,
  burst: 0,
};

/** All parts of a sync. */
export const parts = () => ({
  presence: shown(),
  game: { now: { status: "在游戏中", game: "A game" }, over: { status: "在线" } },
  devices: [],
  settings: SETTINGS,
  widget: "// the script\n",
});

/** What is always in a sync. */
export const always = (address: string | null) => ({
  service: SERVICE,
  state: "running",
  valid_until: seconds() + 600,
  address,
});

export interface Counts {
  batch: number | null;
  calls: Record<string, { count: number; last: number }>;
  pictures: Record<string, number>;
  days: { day: string; requests: number; readers: number }[];
}

/** The service's signed requests to this Worker. */
export function servedBy(edge: Edge, address: string | null = null) {
  let number = 0;
  const send = (method: string, path: string, body?: Buffer | string, over?: Over) =>
    edge.get(path, signed(method, path, body === undefined ? undefined : Buffer.from(body), over));
  const post = (body: unknown, over?: Over) => send("POST", "/-/sync", JSON.stringify(body), over);
  const own = {
    send,
    /** A sync as it is, with nothing added. */
    post,
    put: async (key: string, value: Buffer | string) => {
      const answer = await send("PUT", `/-/store/${key}`, value);
      if (answer.status > 201) throw new Error(`${key}: ${answer.status} ${answer.text}`);
    },
    /** A sync of what has changed. The first one has everything. It must be accepted. */
    sync: async (change: object = {}, rows: Row[] = [], gone: string[] = [], over?: Over) => {
      const images = { from: number, to: number + 1, put: rows, delete: gone };
      const first = number === 0 ? parts() : {};
      const answer = await post({ ...always(address), ...first, images, ...change }, over);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      number = (answer.json() as { images: number }).images;
      return (answer.json() as { counts: Counts }).counts;
    },
    /** Pictures with these rows, and their bytes. */
    add: async (rows: Row[], bytes = (hash: string): Buffer | string => `image ${hash}`) => {
      for (const [hash] of rows) await own.put(`randomimg/${hash}.webp`, bytes(hash));
      await own.sync({}, rows);
    },
  };
  return own;
}

/** The Worker, which has had a first sync of a service that answers what is passed on. */
export async function startOwn(
  bindings: Record<string, string> = {},
  options: Partial<MiniflareOptions> = {},
  change: object = {},
) {
  const service = await startService();
  const edge = await startEdge(bindings, options);
  const own = servedBy(edge, service.url);
  await own.sync(change);
  return { service, edge, ...own };
}
export type { Reply };
