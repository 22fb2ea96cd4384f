// The blog's permanent address, for Cloudflare Workers and workerd: docs/internals.md.

// biome-ignore format: one list
import { A_YEAR, DAY, endpointOf, hmac, LARGEST, NO_STORE, notFound, offline, pictureOf, refuse, SECOND, SIGNATURE, SIGNED_FOR, send, sized, sleep, WIDTHS } from "./answers.js";
import { Store } from "./store.js";

const [PASS_ON_LIMIT, REACH_FOR] = [100 * SECOND, 2 * SECOND];
const LARGE = 4 << 20; // More is not put into the edge cache.
const READ =
  /^\/(check|devices|game_status|images\/(list|count)|random_image|widget\.js|badge\.(json|svg)|card\.svg|v1\/users\/[^/]+|socket)$/;
const SECRETS = ["Authorization", "Sleepy-Secret", "Token", "X-API-Key", SIGNATURE]; // Headers.
// Set by whoever stands in front of the service, so a reader's own ones must not reach it.
const READERS_OWN =
  /^(x-porchlight.*|x-forwarded-.*|forwarded|cookie|expect|x-real-ip|true-client-ip|cf-.*|origin|referer|sec-fetch-.*|host)$/;
const SIGNED =
  /^(POST \/-\/sync|GET \/-\/store|(GET|HEAD|PUT|DELETE) \/-\/store\/[\w.-]+(\/[\w.-]+)*)$/;
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;
// What a tunnel says of itself is not true of this host. The others are of STORE for the Worker.
const NOT_OURS = ["Set-Cookie", "Alt-Svc", "X-Purge", "X-Hash", "X-Size"];
const PREFLIGHT = {
  "Access-Control-Max-Age": "86400",
  "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, If-None-Match, Range, X-API-Key, token, X-Requested-With",
};
/** What this isolate remembers, and another one starts without. @type {Memory} */
const memory = { at: 0, isThere: false, address: null };

export default {
  /** @param {Request} request @param {Env} env @param {Context} context */
  async fetch(request, env, context) {
    const url = new URL(request.url);
    const call = /** @type {Call} */ ({ request, url, env, context, event: ["", "", ""] });
    const answer = await route(call).catch((error) => {
      console.error(error);
      return offline();
    });
    const isRefused = url.pathname === "/socket" && [404, 503].includes(answer.status);
    // Most clients of sockets come back at once.
    if (isRefused && request.headers.has("Upgrade")) await sleep(20 * SECOND);
    if (call.event) {
      const init = { method: "POST", body: JSON.stringify(call.event) };
      context.waitUntil(askStore(env, "https://store/-/count", init).catch(console.error));
    }
    const headers = new Headers(answer.headers);
    // What was passed on: no deletion and no pause would reach a copy of it in front.
    if (headers.has("X-Porchlight")) headers.set("Cloudflare-CDN-Cache-Control", NO_STORE);
    headers.set("Access-Control-Allow-Origin", "*");
    headers.set("Access-Control-Expose-Headers", "ETag, Retry-After, Location");
    headers.set("X-Content-Type-Options", "nosniff");
    if (!headers.has("Cache-Control") && request.method !== "OPTIONS")
      headers.set("Cache-Control", NO_STORE);
    for (const name of NOT_OURS) headers.delete(name);
    const { status, webSocket } = answer;
    return new Response(answer.body, { status, headers, webSocket });
  },
};

async function route(/** @type {Call} */ call) {
  const { request, url } = call;
  const [method, path] = [request.method, url.pathname];
  const reads = /^(GET|HEAD)$/.test(method);
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    const isInside = /^\/((api\/)?device\/set|api\/((1\/)?upload\/?|process-reporter))$/.test(path);
    const isSecret = SECRETS.some((name) => request.headers.has(name));
    if (isInside || isSecret) return refuse(403, "HTTPS required");
    if (reads) return Response.redirect(url.href.replace(/^http/, "https"), 308);
  }
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
  if (path.startsWith("/-/")) return signed(call);
  const asked = reads ? pictureOf(url) : null;
  if (asked) return picture(call, asked);
  if (reads && READ.test(path)) return own(call);
  const answer = (await pass(call)) ?? offline();
  const [hash] = /[0-9a-f]{32}(?=[^/]*$)/i.exec(path) ?? [];
  if (method === "DELETE" && answer.ok && hash) await forget(call, [hash.toLowerCase()]);
  return answer;
}
/** The answer of STORE, or what it leaves to the service. @param {Call} call */
async function own(call) {
  const { request, url, env } = call;
  const headers = new Headers(request.headers);
  headers.set("X-Reader", await readerOf(request, env));
  headers.delete("X-Offline");
  const ask = async () => {
    const answer = await askStore(env, url.href, { method: request.method, headers });
    // STORE counts what it answers, and the service what is passed on.
    call.event = answer.headers.has("X-Pass") ? ["", "", ""] : null;
    return answer;
  };
  const answer = await ask();
  if (!answer.headers.has("X-Pass")) return answer;
  headers.set("X-Offline", "1");
  return (await pass(call)) ?? ask();
}

/** A picture from the edge cache, or else from STORE. @param {Call} call @param {Asked} asked */
async function picture(call, { hash, width, caching, refusal }) {
  const { request, url, env, context } = call;
  call.event = [endpointOf(url), "", await readerOf(request, env)];
  if (refusal) return refusal;
  const isPart = ["Range", "If-None-Match"].some((name) => request.headers.has(name));
  // A deletion does not reach the edge cache of another zone.
  const isElsewhere = env.ADDRESS && env.ADDRESS !== url.origin;
  const isCached = request.method === "GET" && !isPart && !isElsewhere;
  const key = cacheKey(call, hash + width);
  const kept = isCached ? await cached((cache) => cache.match(key)) : null;
  if (kept) {
    const tag = kept.headers.get("X-Hash") ?? "";
    call.event[1] = tag;
    const answer = new Response(kept.body, kept);
    answer.headers.set("Cache-Control", caching);
    answer.headers.set("Cache-Tag", tag);
    return answer;
  }
  const answer = await own(call);
  const size = Number(answer.headers.get("X-Size") ?? Infinity);
  // Without a cache nothing would read the copy.
  if (kept === null || size > LARGE || !answer.body) return answer;
  const [body, copy] = answer.body.tee();
  const entry = new Response(sized(copy, size), answer);
  entry.headers.set("Cache-Control", A_YEAR);
  context.waitUntil(cached((cache) => cache.put(key, entry)));
  return new Response(sized(body, size), answer);
}
/** The name of a picture in the edge cache. @param {Call} call @param {string} name */
const cacheKey = ({ url }, name) => new URL(`/i/${name}.webp`, url.origin).href;
/** A cache that is missing or fails is a miss, never an error: null. @type {UseCache} */
const cached = (use) => (async () => use(caches.default))().catch(() => null);
/** Drops pictures and their copies from both caches. @param {Call} call @param {string[]} hashes */
async function forget(call, hashes) {
  for (let at = 0; at < hashes.length && at < 600; at += 30)
    await call.context.cache?.purge({ tags: hashes.slice(at, at + 30) }).catch(console.error);
  const names = hashes.flatMap((hash) => ["", ...WIDTHS.map((w) => `.w${w}`)].map((w) => hash + w));
  // A request may ask caches only so many times.
  const first = names.slice(0, 24);
  await Promise.all(first.map((name) => cached((cache) => cache.delete(cacheKey(call, name)))));
}

/** The service's answer; null where it is off, or nobody answers as it. @param {Call} call */
async function pass({ request, url, env }) {
  if (Date.now() - memory.at > REACH_FOR) {
    const answer = await askStore(env, "https://store/-/reach", {});
    Object.assign(memory, await answer.json(), { at: Date.now() });
  }
  const { isThere, address } = memory;
  const target = targetOf(address ?? env.ORIGIN ?? "", url);
  if (!isThere || !target) return null;
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (READERS_OWN.test(name)) headers.delete(name);
  const { method, body } = request;
  const [now, ip] = [Math.floor(Date.now() / SECOND), addressOf(request, env)];
  const text = [now, ip, method, target.pathname + target.search].join("\n");
  const sum = env.EDGE_SECRET && (await hmac(env.EDGE_SECRET, text));
  if (sum) headers.set("X-Porchlight-Edge", `t=${now}, ip=${ip}, v1=${sum}`);
  const answer = await send(target.href, { method, headers, body }, PASS_ON_LIMIT);
  // A redirect to HTTPS is for who does not know this Worker's key: it would lead back here.
  if (answer?.headers.get("X-Porchlight") === "1" && answer.status !== 308) return answer;
  answer?.body?.cancel();
  return null;
}
/** Never joined as texts: `//host/x` names no host. @param {string} origin @param {URL} url */
function targetOf(origin, url) {
  const service = URL.canParse(origin) ? new URL(origin) : null;
  const isPlain = service?.protocol === "http:" && LOOPBACK.test(service.hostname);
  if (!service || !(isPlain || service.protocol === "https:")) return null;
  const { protocol, hostname, port } = service;
  return Object.assign(new URL(url), { protocol, hostname, port });
}
/** The reader's address; "" where it is not known. @param {Request} request @param {Env} env */
function addressOf(request, env) {
  const header = env.CLIENT_IP_HEADER && request.headers.get(env.CLIENT_IP_HEADER);
  const address = header?.split(",").at(-1)?.trim() ?? "";
  return /^[0-9a-f.:]{2,45}$/i.test(address) ? address : "";
}
/** The sum of an address or network (IPv6). @param {Request} request @param {Env} env */
async function readerOf(request, env) {
  let network = addressOf(request, env).toLowerCase();
  if (!network || !env.EDGE_SECRET) return "";
  network = network.replace(/^::ffff:(?=[^:]*$)/, "");
  if (network.includes(":")) {
    const [start = [], end = []] = network.split("::").map((part) => part.split(":"));
    const missing = network.includes("::") ? Math.max(8 - start.length - end.length, 0) : 0;
    const groups = [...start, ...Array(missing).fill("0"), ...end].slice(0, 4);
    network = groups.map((group) => Number.parseInt(group || "0", 16)).join(":");
  }
  return (await hmac(env.EDGE_SECRET, `reader\n${network}`)).slice(0, 16);
}

/** @param {Env} env @param {string} url @param {RequestInit} init @returns {Promise<Response>} */
async function askStore({ STORE }, url, init) {
  if (!STORE) return offline();
  return STORE.get(STORE.idFromName("porchlight")).fetch(url, { ...init, redirect: "manual" });
}
/** The service's own requests: `/-/sync`, `/-/store` and what is below that. @param {Call} call */
async function signed(call) {
  const { request, url, env } = call;
  const { method } = request;
  if (!env.STORE || !SIGNED.test(`${method} ${url.pathname}`)) return notFound();
  const header = /^t=(\d{1,15}), body=((?:[0-9a-f]{64})?), v1=([0-9a-f]{64})$/;
  const [, time, body = "", v1 = ""] = header.exec(request.headers.get(SIGNATURE) ?? "") ?? [];
  if (!time || !env.EDGE_SECRET) return refuse(401, "Unauthorized");
  const path = url.pathname + url.search;
  const sum = await hmac(env.EDGE_SECRET, ["store", time, method, path, body].join("\n"));
  // Not compared directly: how long it takes must say nothing of the right one.
  if ((await hmac(sum, v1)) !== (await hmac(sum, sum))) return refuse(401, "Unauthorized");
  const now = new Date(Date.now());
  if (Math.abs(+now - Number(time)) > SIGNED_FOR)
    return refuse(401, "Clock is off", { Date: now.toUTCString() });
  if (Number(request.headers.get("Content-Length")) > LARGEST)
    return refuse(413, "Object too large");
  try {
    const init = { method, headers: { "X-Time": time, "X-Body": body }, body: request.body };
    const answer = await askStore(env, url.href, init);
    call.event = null;
    // A sync may have another address.
    memory.at = 0;
    const [deleted] = /[0-9a-f]{32}/.exec(method === "DELETE" ? path : "") ?? [];
    const lost = deleted ?? answer.headers.get("X-Purge") ?? "";
    if (answer.ok && lost) await forget(call, lost.split(","));
    return answer;
  } catch (error) {
    const reason = String(error);
    if (/SQLITE_FULL|disk is full/.test(reason)) return refuse(507, "Not enough storage");
    if (!reason.includes("Exceeded allowed")) throw error;
    // The free plan's day ends at midnight UTC.
    const left = Math.ceil((DAY - (+now % DAY)) / SECOND);
    return refuse(507, "Not enough storage", { "Retry-After": String(left) });
  }
}

export { Store };
