// A stand-in for the service at the other end of the tunnel.

import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Asked, type Handler, serve } from "./http.ts";

export const SECRET = "a secret of these tests";

export function hmac(text: string, secret = SECRET): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export type Answers = (asked: Asked) => Answer | Promise<Answer> | "hang" | undefined;

/** The parts of `X-Porchlight-Edge`, and whether its sum is right. */
export function signature(asked: Asked): { t: number; ip: string; right: boolean } {
  const header = String(asked.headers["x-porchlight-edge"] ?? "");
  const [, t = "", ip = "", v1 = ""] =
    /^t=(\d+), ip=([^,]*), v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const right = v1 === hmac([t, ip, asked.method, asked.path].join("\n"));
  return { t: Number(t), ip, right };
}

/** Marked like the service's own, unless `answers` overrides it. */
export async function startService(answers: Answers = () => undefined) {
  const service = { answers, url: "", asked: [] as Asked[] };
  const handler: Handler = async (asked, response) => {
    const answer = await (service.answers(asked) ?? standard(asked));
    if (answer !== "hang") send(answer, response);
  };
  return Object.assign(service, await serve(handler));
}

function send(answer: Answer, response: ServerResponse) {
  const headers = { "X-Porchlight": "1", ...answer.headers };
  for (const [name, value] of Object.entries(headers)) {
    if (value !== "") response.setHeader(name, value);
  }
  response.writeHead(answer.status ?? 200);
  response.end(answer.body ?? "");
}

const JSON_TYPE = { "Content-Type": "application/json", "Cache-Control": "no-store" };

export function json(body: unknown, status = 200): Answer {
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

function standard(asked: Asked): Answer {
  const path = asked.path.split("?")[0];
  if (path === "/") return { body: "Porchlight is on" };
  if (/^\/(i|images)\//.test(asked.path) && asked.method === "GET") {
    return json({ error: "Image not found" }, 404);
  }
  return json({ path: asked.path, method: asked.method, length: asked.body.length });
}
