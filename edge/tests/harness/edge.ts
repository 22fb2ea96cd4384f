// The Worker in workerd, as Miniflare starts it.

import { readFileSync } from "node:fs";
import { Miniflare, type MiniflareOptions, type RequestInit, type Response } from "miniflare";
import { onTestFinished } from "vitest";
import { bundle } from "./bundle.ts";
import { SECRET } from "./service.ts";
import { type Line, lineOf } from "./socket.ts";

const CLOCK = readFileSync(new URL("./clock.js", import.meta.url), "utf8");

export const HOST = "https://light.example";

/** A whole answer. */
export interface Reply {
  status: number;
  headers: Headers;
  body: Buffer;
  text: string;
  json: () => unknown;
}

/** What the harness has seen of STORE. */
export interface Seen {
  purged: string[];
  /** How often the object was made. */
  made: number;
  rowsRead: number;
  rowsWritten: number;
  /** How often it has written its counts. */
  saves: number;
  /** How often it has set its alarm. */
  alarms: number;
  /** How many large reads are open, and how many wait. */
  reads: number;
  waiting: number;
}

export interface Edge {
  /** Where it listens. */
  url: string;
  get(path: string, init?: RequestInit): Promise<Reply>;
  /** The body of an answer, of which nothing is read yet. */
  open(path: string, init?: RequestInit): Promise<ReadableStreamDefaultReader<Uint8Array>>;
  /** A socket at this path; fails where it is refused. It ends with the test. */
  connect(path: string, headers?: Record<string, string>): Promise<Line>;
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
  /** What was seen so far; `rows` asks STORE, which wakes it. */
  seen(rows?: boolean): Promise<Seen>;
  /** The rows that this work reads and writes. */
  rowsOf(work: () => Promise<unknown>): Promise<[read: number, written: number]>;
  /** Starts anew on the same data. */
  restart(): Promise<void>;
}

async function whole(answer: Response): Promise<Reply> {
  const body = Buffer.from(await answer.arrayBuffer());
  const text = body.toString();
  const headers = new Headers([...answer.headers]);
  return { status: answer.status, headers, body, text, json: () => JSON.parse(text) };
}

/** It ends with the test. */
export async function startEdge(
  bindings: Record<string, string> = {},
  options: Partial<MiniflareOptions> = {},
): Promise<Edge> {
  const settings = {
    modulesRoot: "/",
    modules: [
      { type: "ESModule", path: "/clock.js", contents: CLOCK },
      { type: "ESModule", path: "/worker.js", contents: bundle() },
    ],
    compatibilityDate: "2025-01-01",
    bindings: { EDGE_SECRET: SECRET, ...bindings },
    durableObjects: { STORE: { className: "Store", useSQLite: true } },
    // Miniflare's cache writes to the disk, so only tests that are about it have it.
    cache: false,
    ...options,
  } as MiniflareOptions;
  const miniflare = new Miniflare(settings);
  onTestFinished(() => miniflare.dispose());
  const url = (await miniflare.ready).origin;
  const send = (path: string, init?: RequestInit) =>
    miniflare.dispatchFetch(new URL(path, HOST), { redirect: "manual", ...init });
  const get = async (path: string, init?: RequestInit) => whole(await send(path, init));
  const seen = async (rows = false) =>
    (await get(`https://clock.test/${rows ? "?rows" : ""}`)).json() as Seen;
  const entry = async (name: string) => {
    const caches = (await miniflare.getCaches()) as unknown as {
      default: { match(url: string): Promise<Response | undefined> };
    };
    const found = await caches.default.match(`${HOST}/i/${name}.webp`);
    return found && whole(found);
  };
  const bucket = async () =>
    (await miniflare.getR2Bucket("BUCKET")) as unknown as {
      put(key: string, value: ArrayBuffer): Promise<unknown>;
      get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
    };
  return {
    url,
    get,
    entry,
    seen,
    async open(path, init) {
      const { body, status } = await send(path, init);
      if (!body || status !== 200) throw new Error(`${status} without a body`);
      return body.getReader();
    },
    async connect(path, headers = {}) {
      const answer = await send(path, { headers: { Upgrade: "websocket", ...headers } });
      if (!answer.webSocket) throw new Error(`${answer.status} ${await answer.text()}`);
      return lineOf(answer.webSocket);
    },
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
    async rowsOf(work) {
      const before = await seen(true);
      await work();
      const after = await seen(true);
      return [after.rowsRead - before.rowsRead, after.rowsWritten - before.rowsWritten];
    },
    restart: () => miniflare.setOptions(settings),
  };
}
