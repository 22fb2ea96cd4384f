// The Worker with its own store, STORE, and the service's signed requests to it.

import { createHash } from "node:crypto";
import type { MiniflareOptions, RequestInit } from "miniflare";
import { startEdge } from "./edge.ts";
import { hmac, SECRET, startService } from "./service.ts";
import { type Published, sealed } from "./store.ts";

export const WITH_STORE = {
  durableObjects: { STORE: { className: "Store", useSQLite: true } },
} as Partial<MiniflareOptions>;

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
  return { method, headers, ...(method === "PUT" ? { body: sent } : {}) } as RequestInit;
}

/** The Worker with STORE, and a service whose address is in it. */
export async function startOwn(
  bindings: Record<string, string> = {},
  options: Partial<MiniflareOptions> = {},
) {
  const service = await startService();
  const edge = await startEdge(bindings, { ...WITH_STORE, ...options });
  const send = (method: string, path: string, body?: Buffer | string, over?: Over) =>
    edge.get(path, signed(method, path, body === undefined ? undefined : Buffer.from(body), over));
  const put = async (key: string, value: Buffer | string) => {
    const answer = await send("PUT", `/-/store/${key}`, value);
    if (answer.status > 201) throw new Error(`${key}: ${answer.status} ${answer.text}`);
  };
  /** Writes what `fill` puts into a snapshot. */
  const publish = async <T>(fill: (snapshot: Published) => T): Promise<T> => {
    const documents: [string, Buffer | string][] = [];
    const result = fill({
      snapshot(name, value) {
        const isPlain = typeof value === "object" && !Buffer.isBuffer(value);
        documents.push([name, isPlain ? JSON.stringify(value) : (value as Buffer | string)]);
      },
    });
    for (const [name, value] of documents) await put(`porchlight/${name}`, value);
    return result;
  };
  await publish(({ snapshot }) => snapshot("origin.json", sealed(service.url)));
  return { service, edge, send, put, publish };
}
