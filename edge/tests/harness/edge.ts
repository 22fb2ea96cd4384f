// The Worker in workerd, as Miniflare starts it.

import { readFileSync } from "node:fs";
import { Miniflare, type MiniflareOptions, type RequestInit, type Response } from "miniflare";
import { onTestFinished } from "vitest";
import { SECRET, startService } from "./service.ts";
import { type Line, lineOf } from "./socket.ts";
import { sealed, startStore } from "./store.ts";

const file = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const WORKER = file("../../worker.js");
const CLOCK = file("./clock.js");

export const HOST = "https://light.example";

/** A whole answer. */
export interface Reply {
  status: number;
  headers: Headers;
  body: Buffer;
  text: string;
  json: () => unknown;
}

export interface Edge {
  /** Where it listens. */
  url: string;
  get(path: string, init?: RequestInit): Promise<Reply>;
  /** The body of an answer, of which nothing is read yet. */
  open(path: string): Promise<ReadableStreamDefaultReader<Uint8Array>>;
  /** A socket at this path; fails where it is refused. It ends with the test. */
  connect(path: string): Promise<Line>;
  /** Moves the Worker's clock ahead by this many milliseconds. */
  ahead(ms: number): Promise<void>;
  /** From now on the Worker's timers are this many times as fast. */
  faster(times: number): Promise<void>;
  /** The names in the edge cache, of these. */
  cached(names: string[]): Promise<string[]>;
  /** What the edge cache holds of an image. */
  entry(name: string): Promise<Reply | undefined>;
  /** Puts an object into the R2 bucket that is bound as `BUCKET`. */
  put(key: string, value: Buffer | string): Promise<void>;
  /** The object of this key in that bucket. */
  inBucket(key: string): Promise<Buffer | undefined>;
  /** From now on the writes of STORE fail with this text, or all requests to it; `""`: none. */
  fail(text: string, kind?: "fail" | "refuse"): Promise<void>;
  /** What was removed from the cache in front of the Worker. */
  purged(): Promise<string[]>;
  /** How often the object STORE was made. */
  made(): Promise<number>;
  /** How often it has asked its database. */
  queries(): Promise<number>;
  /** How often it has written its counts. */
  saves(): Promise<number>;
}

async function whole(answer: Response): Promise<Reply> {
  const body = Buffer.from(await answer.arrayBuffer());
  const text = body.toString();
  const headers = new Headers([...answer.headers]);
  return { status: answer.status, headers, body, text, json: () => JSON.parse(text) };
}

/** It ends with the test. */
export async function startEdge(
  bindings: Record<string, string>,
  options: Partial<MiniflareOptions> = {},
): Promise<Edge> {
  const miniflare = new Miniflare({
    modulesRoot: "/",
    modules: [
      { type: "ESModule", path: "/clock.js", contents: CLOCK },
      { type: "ESModule", path: "/worker.js", contents: WORKER },
    ],
    compatibilityDate: "2025-01-01",
    bindings: { EDGE_SECRET: SECRET, ...bindings },
    // Miniflare's cache writes to the disk, so only tests that are about it have it.
    cache: false,
    ...options,
  } as MiniflareOptions);
  onTestFinished(() => miniflare.dispose());
  const url = (await miniflare.ready).origin;
  const send = (path: string, init?: RequestInit) =>
    miniflare.dispatchFetch(new URL(path, HOST), { redirect: "manual", ...init });
  const get = async (path: string, init?: RequestInit) => whole(await send(path, init));
  const open = async (path: string) => {
    const { body } = await send(path);
    if (!body) throw new Error("an answer without a body");
    return body.getReader();
  };
  const connect = async (path: string) => {
    const answer = await send(path, { headers: { Upgrade: "websocket" } });
    if (!answer.webSocket) throw new Error(`${answer.status} ${await answer.text()}`);
    return lineOf(answer.webSocket);
  };
  const entry = async (name: string) => {
    const caches = (await miniflare.getCaches()) as unknown as {
      default: { match(url: string): Promise<Response | undefined> };
    };
    const found = await caches.default.match(`${HOST}/i/${name}.webp`);
    return found && whole(found);
  };
  const state = async () =>
    (await get("https://clock.test/")).json() as {
      purged: string[];
      made: number;
      queries: number;
      saves: number;
    };
  const bucket = async () =>
    (await miniflare.getR2Bucket("BUCKET")) as unknown as {
      put(key: string, value: ArrayBuffer): Promise<unknown>;
      get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
    };
  return {
    url,
    get,
    open,
    connect,
    entry,
    ahead: async (ms) => void (await get(`https://clock.test/?ahead=${ms}`)),
    faster: async (times) => void (await get(`https://clock.test/?faster=${times}`)),
    async cached(names) {
      const found = [];
      for (const name of names) if (await entry(name)) found.push(name);
      return found;
    },
    async put(key, value) {
      await (await bucket()).put(key, Uint8Array.from(Buffer.from(value)).buffer);
    },
    async inBucket(key) {
      const found = await (await bucket()).get(key);
      return found ? Buffer.from(await found.arrayBuffer()) : undefined;
    },
    fail: async (text, kind = "fail") =>
      void (await get(`https://clock.test/?${kind}=${encodeURIComponent(text)}`)),
    purged: async () => (await state()).purged,
    made: async () => (await state()).made,
    queries: async () => (await state()).queries,
    saves: async () => (await state()).saves,
  };
}

/** The Worker between a store and a service, whose address is in the store. */
export async function startAll(
  bindings: Record<string, string> = {},
  options: Partial<MiniflareOptions> = {},
) {
  const store = await startStore();
  const service = await startService();
  store.snapshot("origin.json", sealed(service.url));
  const edge = await startEdge({ STORAGE_URL: store.url, ...bindings }, options);
  return { store, service, edge };
}

/** The Worker with a store alone: the desktop has never been on. */
export async function startWithoutService(
  bindings: Record<string, string> = {},
  options: Partial<MiniflareOptions> = {},
) {
  const store = await startStore();
  const edge = await startEdge({ STORAGE_URL: store.url, ...bindings }, options);
  return { store, edge };
}
