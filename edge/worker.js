// Porchlight's Worker: the blog's permanent address.
//
// The desktop that runs Porchlight sleeps at night; this Worker does not. It sends images from the
// object store, answers the four public questions from the snapshot there while the desktop is off,
// and passes everything else on to the desktop. One module without dependencies, for Cloudflare
// Workers and for workerd anywhere. docs/edge.md says how to set it up.

/**
 * The variables of the Worker.
 * @typedef {object} Env
 * @property {string} [STORAGE_URL] where the object store is read
 * @property {Bucket} [BUCKET] an R2 binding, read instead of STORAGE_URL
 * @property {string} [PREFIX] where the snapshot lies in the store
 * @property {string} [EDGE_SECRET] the key that the Worker shares with the service
 * @property {string} [ORIGIN] the service's address, instead of the one in the store
 * @property {string} [CLIENT_IP_HEADER] the header with the reader's address; unset: none is sent
 */
/**
 * What is used of an R2 binding.
 * @typedef {object} Bucket
 * @property {(key: string, part?: object) => Promise<{ size: number, body: ReadableStream } | null>} get
 * @property {(key: string) => Promise<{ size: number } | null>} head
 */
/** @typedef {{ waitUntil(work: Promise<unknown>): void }} Context what outlives the answer */
/** @typedef {{ request: Request, url: URL, env: Env, context: Context }} Call one request */
/** @typedef {{ body: ReadableStream | null, size: number }} Found an object; the size may be NaN */
/** @typedef {{ total: number, pages: { name: string, count: number }[] }} Index */
/** @typedef {{ hash: string, contentType: string, createdAt: string }} Item */

const SECOND = 1000;
const QUESTION_LIMIT = 3 * SECOND;
const IMAGE_LIMIT = 10 * SECOND;
const STORE_LIMIT = 10 * SECOND;
const PASS_ON_LIMIT = 100 * SECOND;
const SHARED_FOR = 2 * SECOND;
const OFF_FOR = 30 * SECOND;
const PROVEN_FOR = 30 * SECOND;
const DAY = 86_400 * SECOND;
const MOST_KEPT = 64;
const WIDTHS = ["320", "640", "960", "1280", "1920"];

// How many bytes of an object are read.
const NONE = 0;
const ALL = Infinity;
/** The width of a WebP stands in these. */
const FIRST_BYTES = 30;
/** A larger image is not held in memory for a reader who is slower than the edge cache. */
const LARGE = 4 << 20;

const GET = { method: "GET" };
const NO_STORE = "no-store";
// A CDN in front keeps an image for a day, so that a deleted one is gone there the day after.
const A_YEAR = "public, max-age=31536000, immutable, s-maxage=86400";
const REVALIDATE = "no-cache, s-maxage=86400";

// Set by whoever stands in front of the service, so a reader's own ones must not reach it.
const READERS_OWN =
  /^(x-porchlight.*|x-forwarded-.*|forwarded|cookie|x-real-ip|true-client-ip|cf-.*|origin|referer|sec-fetch-.*|host)$/;

/** What this isolate remembers. Nothing here is needed: another isolate starts without it. */
const memory = {
  /** Until when the service is left alone, and 0 while it is not known to be off. */
  offUntil: 0,
  /** @type {{ url: string | null, writtenAt: number, readAt: number } | null} */
  origin: null,
  /** The address that last proved itself. */
  proven: { url: "", at: 0 },
  /** @type {Map<string, { at: number, value: any }>} */
  kept: new Map(),
  /** @type {Map<string, { at: number, work: Promise<any> }>} */
  running: new Map(),
};

export default {
  /** @param {Request} request @param {Env} env @param {Context} context */
  async fetch(request, env, context) {
    let answer;
    try {
      answer = await route({ request, url: new URL(request.url), env, context });
    } catch (error) {
      console.error(error);
      answer = error instanceof StoreUnavailable ? offline() : refuse(500, "Internal server error");
    }
    const headers = new Headers(answer.headers);
    headers.set("Access-Control-Allow-Origin", "*");
    headers.set("Access-Control-Expose-Headers", "ETag, Retry-After, Location");
    headers.set("X-Content-Type-Options", "nosniff");
    // What a tunnel says of itself is not true of this host.
    for (const name of ["X-Porchlight-Proof", "Set-Cookie", "Alt-Svc"]) headers.delete(name);
    return new Response(answer.body, { status: answer.status, headers });
  },
};

/** @param {Call} call */
async function route(call) {
  const { request, url, env } = call;
  const { method } = request;
  const reads = method === "GET" || method === "HEAD";
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    if (request.headers.has("Authorization")) return refuse(403, "HTTPS required");
    if (reads) {
      url.protocol = "https:";
      const headers = { Location: url.href, "Cache-Control": NO_STORE };
      return new Response(null, { status: 308, headers });
    }
  }
  if (method === "OPTIONS") return preflight();
  const [, folder, name = ""] = /^\/(i|images)\/([^/]+)$/.exec(url.pathname) ?? [];
  const isImage = folder === "i" || (folder === "images" && !/^(list|count|add)$/.test(name));
  if (reads && isImage) return image(call, name, folder === "i");
  if (reads) {
    switch (url.pathname) {
      case "/random_image":
        return randomImage(call);
      case "/check":
        return read(call, "/check", () => check(env));
      case "/game_status":
        return read(call, "/game_status", () => gameStatus(env));
      case "/images/count":
        return read(call, "/images/count", () => count(call));
      case "/images/list":
        return list(call);
      case "/widget.js":
        return widget(call);
    }
  }
  const answer = (await passOn(call, PASS_ON_LIMIT)) ?? offline();
  if (method === "DELETE" && isImage && answer.ok) await forget(call, name);
  return answer;
}

// --- Answers -------------------------------------------------------------------------------------

/** @param {number} status @param {string} text @param {Record<string, string>} [more] */
function json(status, text, more) {
  const headers = { "Content-Type": "application/json", "Cache-Control": NO_STORE, ...more };
  return new Response(text, { status, headers });
}

/** @param {number} status @param {string} error @param {Record<string, string>} [more] */
function refuse(status, error, more) {
  return json(status, JSON.stringify({ error }), more);
}

function offline() {
  return refuse(503, "The service is offline", { "Retry-After": "60" });
}

function preflight() {
  const headers = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match",
    "Access-Control-Max-Age": "86400",
  };
  return new Response(null, { status: 204, headers });
}

// --- Images --------------------------------------------------------------------------------------

/**
 * `/i/{hash}`, which is immutable and may be narrower, or `/images/{hash}`.
 * @param {Call} call @param {string} name @param {boolean} short
 */
async function image(call, name, short) {
  const asked = short ? call.url.searchParams.getAll("w").at(-1) : undefined;
  if (asked !== undefined && !WIDTHS.includes(asked)) return refuse(400, "Invalid width");
  const hash = hashOf(name);
  if (!hash) return refuse(404, "Image not found");
  let width = asked === undefined ? "" : `.w${asked}`;
  const caching = short ? A_YEAR : REVALIDATE;
  const bytes = () => bytesFor(call.request, hash + width);
  let failure;
  try {
    let found = await cachedImage(call, hash + width);
    if (width && !found) {
      // An image that is not wider is its own narrower copy.
      const fits = async (/** @type {Found | null} */ whole) =>
        (await widthOf(whole)) <= Number(asked);
      const known = await cachedImage(call, hash);
      if (await fits(known)) width = "";
      else found = await storedImage(call, hash, width, bytes());
      if (!found && !known && (await fits(await readImage(call.env, hash, "", FIRST_BYTES))))
        width = "";
    }
    if (!found && !width) found = await stored(call, hash, "", bytes());
    if (found) return deliver(call, found, hash + width, caching);
  } catch (error) {
    failure = error;
  }
  const answer = await imageOfService(call, hash, caching);
  if (answer) return answer;
  // Better the whole image than none. It must not stay under the narrower one's address.
  const original = width && !failure && (await stored(call, hash, "", bytes()));
  if (original) return deliver(call, original, hash, NO_STORE);
  if (failure) throw failure;
  return refuse(404, "Image not found");
}

/** One of all images, each equally likely. @param {Call} call */
async function randomImage(call) {
  const index = await readIndex(call);
  if (!index) return (await imageOfService(call, null, NO_STORE)) ?? offline();
  const total = index.pages.reduce((sum, page) => sum + page.count, 0);
  if (total === 0) return refuse(404, "No images available");
  // An image that was deleted a moment ago is still in the index. Five different ones are tried.
  const tried = new Set();
  while (tried.size < Math.min(5, total)) {
    const place = Math.floor(Math.random() * total);
    if (tried.has(place)) continue;
    tried.add(place);
    const [item] = await items(call, index, place, 1);
    const hash = hashOf(item?.hash ?? "");
    const found = hash && (await stored(call, hash, "", bytesFor(call.request, "")));
    if (found) return deliver(call, found, hash, null);
  }
  return refuse(404, "Image not found");
}

/** The name in a path: in either case, with or without `.webp`. @param {string} segment */
function hashOf(segment) {
  try {
    const name = decodeURIComponent(segment).toLowerCase();
    return /^([0-9a-f]{32})(\.webp)?$/.exec(name)?.[1];
  } catch {
    return undefined;
  }
}

/** How much of the image of this name the answer has. @param {Request} request @param {string} name */
function bytesFor(request, name) {
  return request.method === "GET" && !(name && knows(request, name)) ? ALL : NONE;
}

/**
 * An image from the edge cache or the store.
 * @param {Call} call @param {string} hash
 * @param {string} width `.w640`, or nothing for the image itself
 * @param {number} bytes all or none @returns {Promise<Found | null>}
 */
async function stored(call, hash, width, bytes) {
  return (await cachedImage(call, hash + width)) ?? (await storedImage(call, hash, width, bytes));
}

/** @param {Call} call @param {string} name @returns {Promise<Found | null>} */
async function cachedImage(call, name) {
  const kept = await cached((cache) => cache.match(cacheKey(call, name)));
  return kept ? { body: kept.body, size: sizeOf(kept) } : null;
}

/**
 * An image from the store. What is read whole is put into the edge cache.
 * @param {Call} call @param {string} hash @param {string} width @param {number} bytes
 * @returns {Promise<Found | null>}
 */
async function storedImage(call, hash, width, bytes) {
  const { env, context } = call;
  const found = await readImage(env, hash, width, bytes);
  if (!found?.body || bytes !== ALL) return found;
  const key = cacheKey(call, hash + width);
  // Without a cache nothing would read the copy.
  if ((await cached((cache) => cache.match(key))) === null) return found;
  if (found.size <= LARGE) {
    const [body, copy] = found.body.tee();
    context.waitUntil(keep(key, { body: copy, size: found.size }));
    return { body, size: found.size };
  }
  // Read a second time, since a copy of the stream would be held until its reader has it.
  together(context, key, 0, async () => keep(key, await readImage(env, hash, width, ALL)));
  return found;
}

/** Puts a whole image into the edge cache. @param {string} key @param {Found | null} found */
async function keep(key, found) {
  if (!found?.body) return;
  const headers = {
    "Content-Type": "image/webp",
    "Cache-Control": A_YEAR,
    "X-Content-Type-Options": "nosniff",
  };
  const entry = new Response(sized(found.body, found.size), { headers });
  await cached((cache) => cache.put(key, entry));
}

/**
 * An image in the store, where it may have another name if it was imported.
 * @param {Env} env @param {string} hash @param {string} width @param {number} bytes
 */
async function readImage(env, hash, width, bytes) {
  const found = await readObject(env, `randomimg/${hash}${width}.webp`, bytes);
  if (found) return found;
  const other = hashOf((await readText(env, `names/${hash}`))?.trim() ?? "");
  return other ? readObject(env, `randomimg/${other}${width}.webp`, bytes) : null;
}

/** How wide an image is; NaN where it is no WebP. @param {Found | null} found */
async function widthOf(found) {
  const bytes = found?.body && (await within(STORE_LIMIT, firstBytes(found.body)));
  if (!bytes) return Number.NaN;
  const view = new DataView(bytes.buffer);
  const text = String.fromCharCode(...bytes.subarray(0, 16));
  if (!text.startsWith("RIFF")) return Number.NaN;
  switch (text.slice(8)) {
    case "WEBPVP8 ":
      return view.getUint16(26, true) & 0x3fff;
    case "WEBPVP8L":
      return (view.getUint16(21, true) & 0x3fff) + 1;
    case "WEBPVP8X":
      return (view.getUint32(24, true) & 0xffffff) + 1;
    default:
      return Number.NaN;
  }
}

/** The start of a stream, which ends there; null where it is shorter. @param {ReadableStream} body */
async function firstBytes(body) {
  const bytes = new Uint8Array(FIRST_BYTES);
  const reader = body.getReader();
  let place = 0;
  while (place < FIRST_BYTES) {
    const { done, value } = await reader.read();
    if (done) return null;
    bytes.set(value.subarray(0, FIRST_BYTES - place), place);
    place += value.length;
  }
  reader.cancel();
  return bytes;
}

/**
 * The answer with an image, or the part that was asked for, or that it is known already.
 * @param {Call} call @param {Found} found @param {string} name
 * @param {string | null} caching null where the next answer is another image
 */
function deliver({ request }, found, name, caching) {
  const { body, size } = found;
  const headers = new Headers({ "Cache-Control": caching ?? NO_STORE });
  let first = 0;
  let last = size - 1;
  let status = 200;
  if (caching !== null) {
    headers.set("ETag", `"${name}"`);
    if (knows(request, name)) {
      body?.cancel();
      return new Response(null, { status: 304, headers });
    }
    headers.set("Accept-Ranges", "bytes");
    const range = request.method === "GET" ? rangeOf(request, name, size) : null;
    if (range && range.first > range.last) {
      body?.cancel();
      return refuse(416, "Range not satisfiable", { "Content-Range": `bytes */${size}` });
    }
    if (range) {
      ({ first, last } = range);
      status = 206;
      headers.set("Content-Range", `bytes ${first}-${last}/${size}`);
    }
  }
  headers.set("Content-Type", "image/webp");
  headers.set("Content-Disposition", `inline; filename="${name}.webp"`);
  if (request.method === "HEAD" || !body) {
    body?.cancel();
    if (size >= 0) headers.set("Content-Length", String(size));
    return new Response(null, { status, headers });
  }
  const part = status === 206 ? cut(body, first, last) : body;
  return new Response(sized(part, last - first + 1), { status, headers });
}

/** Whether the reader has this image already. @param {Request} request @param {string} name */
function knows(request, name) {
  const tags = request.headers.get("If-None-Match")?.split(",") ?? [];
  const own = [`"${name}"`, `W/"${name}"`, "*"];
  return tags.some((tag) => own.includes(tag.trim()));
}

/**
 * The one range that is asked for; null for the whole image. With `first` after `last` the image
 * has no such part.
 * @param {Request} request @param {string} name @param {number} size
 */
function rangeOf(request, name, size) {
  const asked = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(request.headers.get("Range") ?? "");
  const version = request.headers.get("If-Range");
  if (!asked || !(size >= 0) || (version !== null && version.trim() !== `"${name}"`)) return null;
  const [, first = "", last = ""] = asked;
  if (first === "" && last === "") return null;
  if (first === "") return { first: Math.max(size - Number(last), 0), last: size - 1 };
  if (last !== "" && Number(first) > Number(last)) return null;
  return { first: Number(first), last: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}

/**
 * The bytes of a stream from `first` to `last`.
 * @param {ReadableStream<Uint8Array>} body @param {number} first @param {number} last
 */
function cut(body, first, last) {
  let place = 0;
  /** @type {Transformer<Uint8Array, Uint8Array>} */
  const cutter = {
    transform(chunk, part) {
      const start = Math.max(first - place, 0);
      const end = Math.min(last + 1 - place, chunk.length);
      if (start < end) part.enqueue(chunk.subarray(start, end));
      place += chunk.length;
      if (place > last) part.terminate();
    },
  };
  return body.pipeThrough(new TransformStream(cutter));
}

/**
 * The same stream with its length, so that the answer has a `Content-Length`.
 * @param {ReadableStream} body @param {number} size
 */
function sized(body, size) {
  return size >= 0 ? body.pipeThrough(new FixedLengthStream(size)) : body;
}

/** The name of an image in the edge cache. @param {Call} call @param {string} name */
function cacheKey({ url }, name) {
  return new URL(`/i/${name}.webp`, url.origin).href;
}

/**
 * A cache that is missing or fails is a miss, never an error: null.
 * @template T @param {(cache: Cache) => Promise<T>} use
 */
async function cached(use) {
  try {
    return await use(caches.default);
  } catch {
    return null;
  }
}

/**
 * Drops a deleted image and its narrower copies from this data centre's cache.
 * @param {Call} call @param {string} name
 */
async function forget(call, name) {
  const hash = hashOf(name);
  if (!hash) return;
  const names = [hash, ...WIDTHS.map((width) => `${hash}.w${width}`)];
  await Promise.all(names.map((each) => cached((cache) => cache.delete(cacheKey(call, each)))));
}

// --- The object store ----------------------------------------------------------------------------

/** The store answers neither with an object nor that there is none. */
class StoreUnavailable extends Error {}

/** @param {Env} env */
function storageUrl(env) {
  return env.STORAGE_URL?.replace(/\/+$/, "");
}

/**
 * An object, or what is known of it; null where there is none.
 * @param {Env} env @param {string} key @param {number} bytes how many of its first ones
 * @returns {Promise<Found | null>}
 */
async function readObject(env, key, bytes) {
  const part = bytes < ALL;
  if (env.BUCKET) {
    try {
      const range = part ? { range: { offset: 0, length: bytes } } : undefined;
      if (bytes > 0) return await env.BUCKET.get(key, range);
      const known = await env.BUCKET.head(key);
      return known && { body: null, size: known.size };
    } catch (error) {
      throw new StoreUnavailable(String(error));
    }
  }
  const base = storageUrl(env);
  if (!base) return null;
  /** @type {RequestInit} */
  const init = { method: bytes > 0 ? "GET" : "HEAD" };
  if (part && bytes > 0) init.headers = { Range: `bytes=0-${bytes - 1}` };
  const answer = await send(`${base}/${key}`, init, STORE_LIMIT);
  if (answer?.status === 200 || (part && answer?.status === 206)) {
    return { body: bytes > 0 ? answer.body : null, size: sizeOf(answer) };
  }
  answer?.body?.cancel();
  // Without the right to list, a store answers 403 for what it does not have.
  if (answer?.status === 404 || answer?.status === 403) return null;
  throw new StoreUnavailable(`the object store answered ${answer?.status ?? "nothing"}`);
}

/**
 * The bytes of an answer's body; NaN where its length is not known or is that of a compressed one.
 * @param {Response} answer
 */
function sizeOf({ headers }) {
  return headers.has("Content-Encoding")
    ? Number.NaN
    : Number(headers.get("Content-Length") ?? NaN);
}

/** A text of the snapshot; null where there is none. @param {Env} env @param {string} name */
async function readText(env, name) {
  const found = await readObject(env, `${env.PREFIX ?? "porchlight/"}${name}`, ALL);
  if (!found) return null;
  const text = await within(STORE_LIMIT, new Response(found.body).text());
  if (text === null) throw new StoreUnavailable(`${name} did not arrive`);
  return text;
}

/** @param {Env} env @param {string} name */
async function readJson(env, name) {
  const text = await readText(env, name);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new StoreUnavailable(`${name} is not JSON`);
  }
}

/** @param {Call} call @returns {Promise<Index | null>} */
function readIndex({ env, context }) {
  const path = "images/index.json";
  return shared(context, path, SHARED_FOR, STORE_LIMIT, () => readJson(env, path));
}

/**
 * `many` images from the place `start` on, newest first.
 * @param {Call} call @param {Index} index @param {number} start @param {number} many
 */
async function items({ env, context }, index, start, many) {
  /** @type {Item[]} */
  const found = [];
  let before = 0;
  for (const { name, count } of index.pages) {
    const from = Math.max(start - before, 0);
    const to = Math.min(start + many - before, count);
    before += count;
    if (from >= to) continue;
    const path = `images/${name}.json`;
    // A page never changes under its name.
    const page = await shared(context, path, DAY, STORE_LIMIT, () => readJson(env, path));
    if (!page) throw new StoreUnavailable(`${path} is missing`);
    found.push(...page.images.slice(from, to));
  }
  return found;
}

// --- The four questions, and what the snapshot answers -------------------------------------------

/**
 * The service's answer, or else the snapshot's. Only the first has the mark `X-Porchlight`.
 * @param {Call} call @param {string} path @param {() => Promise<string | null>} snapshot
 */
async function read(call, path, snapshot) {
  const live = await question(call, path);
  if (live !== null) return json(200, live, { "X-Porchlight": "1" });
  const text = await snapshot();
  return text === null ? offline() : json(200, text);
}

/**
 * Asks the service, unless it is known to be off; null where it gives no answer to show.
 * @param {Call} call @param {string} path @returns {Promise<string | null>}
 */
function question({ url, env, context }, path) {
  return shared(context, path, SHARED_FOR, QUESTION_LIMIT, async () => {
    if (Date.now() < memory.offUntil) return null;
    // The tunnel may have another address by now.
    if (memory.offUntil > 0) memory.origin = null;
    memory.offUntil = 0;
    const origin = await readOrigin(env, context, OFF_FOR);
    if (origin === null) return null;
    const answer = await ask(env, origin, new URL(path, url), GET, "", QUESTION_LIMIT);
    if (answer && answer.status === 200) {
      const text = await within(QUESTION_LIMIT, answer.text());
      if (text !== null) return text;
    } else if (answer && answer.status < 500) {
      // It is there, but answers too much already.
      answer.body?.cancel();
      return null;
    }
    memory.offUntil = Date.now() + OFF_FOR;
    return null;
  });
}

/**
 * Presence as the service last published it. A heartbeat that is too old by now counts no more.
 * @param {Env} env
 */
async function check(env) {
  const snapshot = await readJson(env, "check.json");
  if (!snapshot) return null;
  const {
    state,
    since: _since,
    written_at: _writtenAt,
    valid_until: validUntil,
    ...body
  } = snapshot;
  const valid = Date.now() <= validUntil * SECOND;
  body.alive = valid && (state === "online" || state === "away");
  // What was in front says nothing of someone who is gone.
  const shown = body.alive ? [] : ["application", "introduce", "rgba"];
  for (const name of shown) if (name in body) body[name] = "";
  // One of the two behaviours does not have this field.
  if ("applicationOnline" in body) body.applicationOnline = valid && state === "online";
  return JSON.stringify(body);
}

/** @param {Env} env */
async function gameStatus(env) {
  const snapshot = await readJson(env, "game_status.json");
  if (!snapshot) return null;
  const { valid_until: validUntil, ...body } = snapshot;
  return JSON.stringify(Date.now() <= validUntil * SECOND ? body : { status: "在线" });
}

/** @param {Call} call */
async function count(call) {
  const index = await readIndex(call);
  return index && JSON.stringify({ count: index.total });
}

/** @param {Call} call */
async function list(call) {
  const page = wholeNumber(call.url, "page", 1n);
  if (page === null) return refuse(400, "Invalid page");
  const asked = wholeNumber(call.url, "limit", 10n);
  if (asked === null) return refuse(400, "Invalid limit");
  const limit = asked > 100n ? 100n : asked;
  return read(call, `/images/list?page=${page}&limit=${limit}`, async () => {
    const index = await readIndex(call);
    if (!index) return null;
    const found = await items(call, index, Number((page - 1n) * limit), Number(limit));
    const images = found.map(({ hash, contentType, createdAt }) => ({
      hash,
      contentType,
      createdAt,
    }));
    // Not from numbers: a large page number would be rounded.
    const pagination = `{"current":${page},"size":${limit},"total":${index.total}}`;
    return `{"images":${JSON.stringify(images)},"pagination":${pagination}}`;
  });
}

/**
 * A parameter from 1 to 2^63 − 1, in digits alone; of several the last counts. Null for another.
 * @param {URL} url @param {string} name @param {bigint} standard
 */
function wholeNumber(url, name, standard) {
  const text = url.searchParams.getAll(name).at(-1);
  if (text === undefined) return standard;
  if (!/^\d+$/.test(text)) return null;
  const number = BigInt(text);
  return number >= 1n && number < 2n ** 63n ? number : null;
}

/**
 * The script of the custom element. What the store has is sent only if the service signed it:
 * whoever can write to the store must not run scripts on the blog.
 * @param {Call} call
 */
async function widget(call) {
  const { env } = call;
  const text = env.EDGE_SECRET ? await readText(env, "widget.js").catch(() => null) : null;
  const [, sum, script] = /^\/\/([0-9a-f]{64})\n([\s\S]*)$/.exec(text ?? "") ?? [];
  if (env.EDGE_SECRET && sum && script && (await hmac(env.EDGE_SECRET, script)) === sum) {
    const headers = {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
    };
    return new Response(script, { headers });
  }
  return (await passOn(call, PASS_ON_LIMIT)) ?? offline();
}

// --- The service ---------------------------------------------------------------------------------

/**
 * Passes a request on as it came, a token or a body only to an address that has proved itself; null when it cannot be delivered. This says nothing of whether
 * the service is off: a reader could send what it refuses.
 * @param {Call} call @param {number} limit
 */
async function passOn({ request, url, env, context }, limit) {
  const origin = await readOrigin(env, context, SHARED_FOR);
  if (origin === null) return null;
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (READERS_OWN.test(name)) headers.delete(name);
  const { method, body } = request;
  const isPlain = body === null && !headers.has("Authorization");
  const answer =
    (isPlain || (await isProven(env, context, origin))) &&
    (await ask(env, origin, url, { method, headers, body }, readerOf(request, env), limit));
  if (answer) return answer;
  // The tunnel may have another address by now.
  if (memory.origin && Date.now() - memory.origin.readAt > SHARED_FOR) memory.origin = null;
  return null;
}

/**
 * An image of the service. Where it redirects to the store, the image comes from there.
 * @param {Call} call @param {string | null} hash null for a random one @param {string} caching
 */
async function imageOfService(call, hash, caching) {
  const answer = await passOn(call, IMAGE_LIMIT);
  if (answer?.status !== 302) return answer;
  const start = `${storageUrl(call.env)}/randomimg/`;
  const place = answer.headers.get("Location") ?? "";
  const [, own = "", width = ""] =
    /^([0-9a-f]{32})((?:\.w\d{3,4})?)\.webp$/.exec(place.slice(start.length)) ?? [];
  if (!own || !place.startsWith(start)) return null;
  for (const wait of [SECOND, 0]) {
    const bytes = bytesFor(call.request, "");
    const found = await readObject(call.env, `randomimg/${own}${width}.webp`, bytes);
    if (found) return deliver(call, found, (hash ?? own) + width, hash && caching);
    // It may be on its way there.
    if (wait) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  const headers = new Headers(answer.headers);
  headers.set("Cache-Control", NO_STORE);
  return new Response(null, { status: 302, headers });
}

/**
 * One request to the service, signed; null without an answer that proves to be the service's own.
 * @param {Env} env @param {string} origin @param {URL} url
 * @param {{ method: string, headers?: Headers, body?: ReadableStream | null }} init
 * @param {string} reader the reader's address, or nothing @param {number} limit
 */
async function ask(env, origin, url, init, reader, limit) {
  const target = targetOf(origin, url);
  if (!target) return null;
  const headers = new Headers(init.headers);
  let sum = "";
  if (env.EDGE_SECRET) {
    const now = Math.floor(Date.now() / SECOND);
    const path = target.pathname + target.search;
    sum = await hmac(env.EDGE_SECRET, [now, reader, init.method, path].join("\n"));
    headers.set("X-Porchlight-Edge", `t=${now}, ip=${reader}, v1=${sum}`);
  }
  const answer = await send(target.href, { ...init, headers }, limit);
  const isMarked = answer?.headers.get("X-Porchlight") === "1" && answer.status !== 308;
  // The one in ORIGIN was written by the owner.
  if (isMarked && env.ORIGIN) return answer;
  if (isMarked && env.EDGE_SECRET) {
    // Bound to this host: whoever has an old address of the tunnel cannot pass on to the present one.
    const proof = await hmac(env.EDGE_SECRET, ["proof", target.host, sum].join("\n"));
    if (answer.headers.get("X-Porchlight-Proof") === proof) {
      memory.proven = { url: origin, at: Date.now() };
      return answer;
    }
  }
  answer?.body?.cancel();
  return null;
}

/**
 * The request's own address at the service; null where the service must not be reached like that.
 * Set part by part, never joined: a path like `//host/x` cannot name another host.
 * @param {string} origin @param {URL} url
 */
function targetOf(origin, url) {
  const service = URL.canParse(origin) ? new URL(origin) : null;
  const isPlain = service?.protocol === "http:" && isLoopback(service.hostname);
  if (!service || !(isPlain || service.protocol === "https:")) return null;
  const target = new URL(url);
  target.protocol = service.protocol;
  target.hostname = service.hostname;
  target.port = service.port;
  return target;
}

/**
 * Whether the address has just proved that it is the service's: an address of a quick tunnel can be
 * somebody else's a moment later.
 * @param {Env} env @param {Context} context @param {string} origin @returns {Promise<boolean>}
 */
async function isProven(env, context, origin) {
  const proven = () => memory.proven.url === origin && Date.now() - memory.proven.at < PROVEN_FOR;
  if (env.ORIGIN || proven()) return true;
  await together(context, `proof of ${origin}`, QUESTION_LIMIT, async () => {
    const url = new URL(`/?${crypto.randomUUID()}`, origin);
    const answer = await ask(env, origin, url, GET, "", QUESTION_LIMIT);
    answer?.body?.cancel();
  });
  return proven();
}

/**
 * Where the service is; null where it is not to be asked.
 * @param {Env} env @param {Context} context
 * @param {number} patience how old a reading without an address may be, in ms
 * @returns {Promise<string | null>}
 */
async function readOrigin(env, context, patience) {
  if (env.ORIGIN) return env.ORIGIN;
  const secret = env.EDGE_SECRET;
  if (!secret) return null;
  const address = () =>
    memory.origin && Date.now() - memory.origin.writtenAt < DAY ? memory.origin.url : null;
  if (memory.origin && (address() || Date.now() - memory.origin.readAt <= patience)) {
    return address();
  }
  await together(context, "origin.json", STORE_LIMIT, async () => {
    const found = { url: null, writtenAt: 0, readAt: Date.now() };
    try {
      const { sealed } = await readJson(env, "origin.json");
      const { url, written_at: writtenAt } = JSON.parse(await unseal(secret, sealed));
      Object.assign(found, { url, writtenAt: writtenAt * SECOND });
    } finally {
      memory.origin = found;
    }
  });
  return address();
}

/**
 * The reader's address, for the service's limits and statistics.
 * @param {Request} request @param {Env} env
 */
function readerOf(request, env) {
  const header = env.CLIENT_IP_HEADER && request.headers.get(env.CLIENT_IP_HEADER);
  const address = header?.split(",").at(-1)?.trim() ?? "";
  return /^[0-9a-f.:]{2,45}$/i.test(address) ? address : "";
}

/** @param {string} host */
function isLoopback(host) {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

// --- Time, secrets -------------------------------------------------------------------------------

/**
 * Fetches; null without an answer in time. The limit ends with the head of the answer.
 * @param {string} url @param {RequestInit} init @param {number} limit in ms
 */
async function send(url, init, limit) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), limit);
  try {
    return await fetch(url, { ...init, redirect: "manual", signal: stop.signal });
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What the work comes to; null where it fails or takes longer. It goes on nevertheless.
 * @template T @param {number} limit in ms @param {Promise<T>} work @returns {Promise<T | null>}
 */
function within(limit, work) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), limit);
    const end = () => clearTimeout(timer);
    work.then(resolve, () => resolve(null)).finally(end);
  });
}

/**
 * Work that all requests of this isolate share while it runs; null where it fails or takes longer
 * than this request waits. It outlives the request that began it; what the platform ended
 * nevertheless is begun again.
 * @template T @param {Context} context @param {string} key @param {number} limit in ms
 * @param {() => Promise<T>} begin @returns {Promise<T | null>}
 */
function together(context, key, limit, begin) {
  const running = memory.running.get(key);
  if (running && Date.now() - running.at < OFF_FOR) return within(limit, running.work);
  const entry = { at: Date.now(), work: begin() };
  memory.running.set(key, entry);
  const end = () => {
    if (memory.running.get(key) === entry) memory.running.delete(key);
  };
  context.waitUntil(entry.work.then(end, end));
  return within(limit, entry.work);
}

/**
 * The same, and what it came to is kept for a while, unless it is null.
 * @template T @param {Context} context @param {string} key @param {number} life in ms
 * @param {number} limit in ms @param {() => Promise<T | null>} begin @returns {Promise<T | null>}
 */
async function shared(context, key, life, limit, begin) {
  const kept = memory.kept.get(key);
  if (kept && Date.now() - kept.at < life) return kept.value;
  return together(context, key, limit, async () => {
    const value = await begin();
    memory.kept.delete(key);
    if (value !== null) memory.kept.set(key, { at: Date.now(), value });
    const [oldest] = memory.kept.keys();
    if (memory.kept.size > MOST_KEPT && oldest) memory.kept.delete(oldest);
    return value;
  });
}

/** HMAC-SHA256 in hexadecimal digits. @param {string} secret @param {string} text */
async function hmac(secret, text) {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
  ]);
  const sum = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The text behind base64 of a nonce and AES-256-GCM; fails where another key sealed it.
 * @param {string} secret @param {string} sealed
 */
async function unseal(secret, sealed) {
  const bytes = Uint8Array.from(atob(sealed), (character) => character.charCodeAt(0));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  const key = await crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["decrypt"]);
  const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, 12) };
  return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12)));
}
