// Porchlight's Worker: the blog's permanent address. It answers from its own store (STORE) or another one
// while the desktop is off, and passes the rest on. For Cloudflare Workers and workerd: docs/internals.md.

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const ASK_LIMIT = 3 * SECOND;
const STORE_LIMIT = 10 * SECOND;
const PASS_ON_LIMIT = 100 * SECOND;
const SHARED_FOR = 2 * SECOND;
const FRESH_FOR = SECOND / 2;
const OFF_FOR = 30 * SECOND;
const SIGNED_FOR = 300 * SECOND;
const SOCKETS = 300;
const SILENT_FOR = 60 * SECOND; // A socket; then another may have its place.
const LONGEST = 4096; // Of a reader's message, in bytes.
const MOST_MESSAGES = 120; // Of a reader in SILENT_FOR.
const READER_BITS = 1 << 17;
const BYTES_PER_ROW = 1_900_000;
const LARGEST = 50 << 20;
const LARGE = 4 << 20; // More is not held in memory for a slow reader.
const OWN = { method: "GET", reader: "", limit: ASK_LIMIT }; // A question of the Worker's own.
const ONLY_SIZE = { first: 0, last: -1 };
const ALL = { first: 0, last: Infinity };
const NO_STORE = "no-store";
const PREFLIGHT = {
  "Access-Control-Max-Age": "86400",
  "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, If-None-Match, Range, X-API-Key, token, X-Requested-With",
};
const BINARY = { "Content-Type": "application/octet-stream" };
const ENTRY = { "Content-Type": "image/webp", "X-Content-Type-Options": "nosniff" };
const JAVASCRIPT = "text/javascript; charset=utf-8";
const SCRIPT = { "Content-Type": JAVASCRIPT, "Cache-Control": "public, max-age=3600" };
const NOT_FOUND = "Resource not found";
const SIGNATURE = "X-Porchlight-Store";
const SECRETS = ["Authorization", "Sleepy-Secret", "Token", "X-API-Key", SIGNATURE]; // Headers.
const ABSENT = { [SIGNATURE]: "absent" }; // Others on the way may answer 404, too.
const IMAGES = "randomimg/";
const INDEX = "images/index.json";
const LANYARD = "lanyard.json";
const COUNTS = "counts";
const COUNTED = /^\/(check|devices|game_status|images\/count|images\/list|random_image)$/;
const FIELDS = "hash,contentType,createdAt,width,height,size,animated,color,thumbhash".split(",");
const WRONG =
  /^(?!(orientation=(landscape|portrait|square|auto)|type=(pc|mobile)|form=(image|json|redirect)|seed=.{0,200})$)(orientation|type|form|seed)=/su;
const UNSEEN = /[\p{Cc}\p{Bidi_C}\u200b\u2060\ufeff\ufffe\uffff]/gu;
const MARKS = /(?<=(\p{M}\p{Join_C}*){8})\p{M}/gu;
const JOINERS = /(?<=[^\s\p{Join_C}])\p{Join_C}*(\p{Join_C})(?=[^\s\p{Join_C}])|\p{Join_C}/gu;
const WIDTHS = ["320", "640", "960", "1280", "1920"];
// A CDN in front keeps an image for a day, so that a deleted one is gone there the day after.
const A_YEAR = "public, max-age=31536000, immutable, s-maxage=86400";
// Set by whoever stands in front of the service, so a reader's own ones must not reach it.
const READERS_OWN =
  /^(x-porchlight.*|x-forwarded-.*|forwarded|cookie|expect|x-real-ip|true-client-ip|cf-.*|origin|referer|sec-fetch-.*|host)$/;
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;
const none = () => /** @type {Tally} */ ({ requests: 0, calls: {}, readers: new Set() });
/** What this isolate remembers, and another one starts without. @type {Memory} */
const memory = { unusedUntil: 0, offUntil: 0, kept: new Map(), running: new Map(), tally: none() };

export default {
  /** @param {Request} request @param {Env} env @param {Context} context */
  async fetch(request, env, context) {
    let answer;
    try {
      const call = { request, url: new URL(request.url), env, context };
      answer = await route(call);
      await count(call, answer);
    } catch (error) {
      console.error(error);
      // Of the second kind is a snapshot that is not JSON.
      const isStore = error instanceof StoreUnavailable || error instanceof SyntaxError;
      answer = isStore ? offline() : refuse(500, "Internal server error");
    }
    const headers = new Headers(answer.headers);
    // What was passed on: no deletion and no pause would reach a copy of it in front.
    if (headers.has("X-Porchlight")) headers.set("Cloudflare-CDN-Cache-Control", NO_STORE);
    headers.set("Access-Control-Allow-Origin", "*");
    headers.set("Access-Control-Expose-Headers", "ETag, Retry-After, Location");
    headers.set("X-Content-Type-Options", "nosniff");
    if (/[?&]orientation=auto/.test(request.url))
      headers.set("Vary", "Sec-CH-UA-Mobile, User-Agent");
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", NO_STORE);
    // What a tunnel says of itself is not true of this host.
    for (const name of ["X-Porchlight-Proof", "Set-Cookie", "Alt-Svc"]) headers.delete(name);
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
  const [, folder, name = ""] = imageIn(url);
  if (reads) {
    if (folder) return image(call, name, folder === "i");
    if (path === "/random_image") return randomImage(call);
    if (path === "/check") return read(call, path, "check.json", check);
    if (path === "/devices") return read(call, path, "devices.json", devices);
    if (path === "/game_status") return read(call, path, "game_status.json", gameStatus);
    if (path === "/images/count") return read(call, path, INDEX, imageCount);
    if (path === "/images/list") return list(call);
    const [, user] = /^\/v1\/users\/(\d+)$/.exec(path) ?? [];
    if (user) return read(call, path, LANYARD, (snapshot) => lanyardUser(snapshot, user));
    if (path === "/socket") return socket(call);
    if (path === "/widget.js") return widget(call);
  }
  const answer = await pass(call);
  if (method === "DELETE" && answer.ok) await forget(call, path);
  return answer;
}
/** The folder and the name where an address is an image's. @param {URL} url */
const imageIn = ({ pathname }) =>
  /^\/(i|images(?!\/(?:list|count|add)$))\/([^/]+)$/.exec(pathname) ?? [];
/** @param {number} status @param {unknown} value @param {Record<string, string>} [more] */
function json(status, value, more) {
  const headers = { "Content-Type": "application/json", "Cache-Control": NO_STORE, ...more };
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return new Response(text, { status, headers });
}
/** @param {number} status @param {string} error @param {Record<string, string>} [more] */
const refuse = (status, error, more) => json(status, { error }, more);
const noImage = () => refuse(404, "Image not found");
const offline = () => refuse(503, "The service is offline", { "Retry-After": "60" });
const noSocket = () => refuse(503, "Too many sockets", { "Retry-After": "60" });

// --- Images ------------------------------------------------------------------
/** `/i/{hash}`, which is immutable and may be narrower, or `/images/{hash}`. @type {SendImage} */
const image = async (call, name, short) => {
  const asked = short ? call.url.searchParams.getAll("w").at(-1) : undefined;
  if (asked !== undefined && !WIDTHS.includes(asked)) return refuse(400, "Invalid width");
  const hash = hashOf(name);
  if (!hash) return noImage();
  let width = asked === undefined ? "" : `.w${asked}`;
  const caching = short ? A_YEAR : "no-cache, s-maxage=86400";
  const part = () => partFor(call.request, hash + width);
  let failure;
  try {
    let found = await cachedImage(call, hash + width);
    if (width && !found) {
      // An image that is not wider is its own narrower copy.
      const known = await cachedImage(call, hash);
      if ((await widthOf(known)) <= Number(asked)) width = "";
      else found = await storedImage(call, hash, width, part());
      const whole =
        found || known ? null : await readImage(call.env, hash, "", { first: 0, last: 29 });
      if ((await widthOf(whole)) <= Number(asked)) width = "";
    }
    if (!found && !width) found = await stored(call, hash, "", part());
    if (found) return deliver(call, found, hash + width, caching);
  } catch (error) {
    failure = error;
  }
  const answer = await imageOfService(call, hash, caching);
  if (answer) return answer;
  // Better the whole image than none. It must not stay under the narrower one's address.
  const original = width && !failure && (await stored(call, hash, "", part()));
  if (original) return deliver(call, original, hash, NO_STORE);
  if (failure) throw failure;
  return noImage();
};

/** One of the images that are meant, each equally likely, or the one of a seed. @param {Call} call */
async function randomImage(call) {
  const { request, url } = call;
  const { type, form = "image", seed, orientation: asked } = Object.fromEntries(url.searchParams);
  const album = albumOf(url);
  const wrong = [...url.searchParams].find((pair) => WRONG.test(pair.join("=")));
  if (wrong || album === "") return refuse(400, `Invalid ${wrong?.[0] ?? "album"}`);
  const index = await readIndex(call);
  const known = index && !(album && index.albums === false);
  // Its document may be missing, such as after a downgrade of the service.
  const places = seed === undefined || (known && (await readPage(call, index.places))?.positions);
  if (!known || !places) return (await imageOfService(call, null, NO_STORE)) ?? offline();
  const device = request.headers.get("Sec-CH-UA-Mobile") ?? request.headers.get("User-Agent");
  const fitting = /^\?1$|Mobi/.test(device ?? "") ? "portrait" : "landscape";
  const ofType = type && (type === "pc" ? "landscape" : "portrait");
  let orientation = asked === "auto" ? fitting : (asked ?? ofType);
  const meant = () => classes(orientation, album);
  if (asked === "auto" && countIn(index.pages, meant()) === 0) orientation = undefined;
  const total = countIn(index.pages, meant());
  if (total === 0) return refuse(404, "No images available");
  const name = (orientation?.[0] ?? "*") + (album ? `/${album}` : "");
  const draw = seed !== undefined && (await ofSeed(places[name] ?? [], seed));
  const part = form === "image" ? partFor(request, "") : ONLY_SIZE;
  // One that was deleted a moment ago is still in the index. Five are tried.
  for (const tried = new Set(); tried.size < Math.min(5, total); ) {
    let place = Math.floor(Math.random() * total);
    while (tried.has(place)) place = Math.floor(Math.random() * total);
    tried.add(place);
    if (draw) place = draw();
    const [item] = await items(call, index, place, 1, draw ? classes() : meant());
    const found = item && hashOf(item.hash) && (await stored(call, item.hash, "", part));
    if (!found) continue;
    const { hash, width, height, thumbhash = null } = item;
    if (form === "image") return deliver(call, found, hash, null);
    found.body?.cancel();
    const address = new URL(`/i/${hash}.webp`, url).href;
    if (form === "redirect") return Response.redirect(address, 302);
    return json(200, { hash, url: address, width, height, thumbhash });
  }
  return noImage();
}
/** Draws by the rule of `classes.rs`, as if what was drawn before were gone. @type {OfSeed} */
const ofSeed = async (all, seed) => {
  const places = [...all];
  const key = new DataView(await digest(utf8.encode(seed))).getBigUint64(0);
  const isFree = (/** @type {number} */ place) => typeof places[place] !== "number";
  return () => {
    let place = -1;
    for (let n = 0; n < 128 && isFree(place); n += 1) place = bucket(mixed(key, n), places.length);
    // Most are free: all images are compared.
    for (const other of isFree(place) ? places.keys() : [])
      if (!isFree(other) && (isFree(place) || mixed(key, 128 + other) < mixed(key, 128 + place)))
        place = other;
    return places.splice(place, 1, null)[0] ?? -1;
  };
};
const u64 = (/** @type {bigint} */ number) => BigInt.asUintN(64, number);
/** SplitMix64. @param {bigint} key @param {number} n */
function mixed(key, n) {
  let value = u64(key + BigInt(n + 1) * 0x9e3779b97f4a7c15n);
  value = u64((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n);
  value = u64((value ^ (value >> 27n)) * 0x94d049bb133111ebn);
  return value ^ (value >> 31n);
}
/** Jump consistent hashing. @param {bigint} key @param {number} places */
function bucket(key, places) {
  let [place, next, rest] = [0, 0, key];
  while (next < places) {
    [place, rest] = [next, u64(rest * 2862933555777941757n + 1n)];
    next = Math.floor((place + 1) * (2 ** 31 / (Number(rest >> 33n) + 1)));
  }
  return place;
}
/** The name in a path: in either case, with or without `.webp`. @param {string} segment */
const hashOf = (segment) => /^([0-9a-f]{32})(\.webp)?$/i.exec(segment)?.[1]?.toLowerCase();
/** What is read at first: nothing where the answer has no body, or has a part. @type {PartFor} */
const partFor = (request, name) => {
  const isWhole = !(name && (knows(request, name) || rangeOf(request, name, Infinity)));
  return request.method === "GET" && isWhole ? ALL : ONLY_SIZE;
};
/** An image, or its narrower copy (`.w640`), from the edge cache or the store. @type {ReadImage} */
const stored = async (call, hash, width, part) =>
  (await cachedImage(call, hash + width)) ?? (await storedImage(call, hash, width, part));
/** An image in the edge cache; a part comes from the store. @param {Call} call @param {string} name */
async function cachedImage(call, name) {
  if (call.request.headers.has("Range") || isElsewhere(call)) return null;
  const kept = await cached((cache) => cache.match(cacheKey(call, name)));
  return kept ? { body: kept.body, size: sizeOf(kept) } : null;
}
/** An image from the store. What is read whole is put into the edge cache. @type {ReadImage} */
const storedImage = async (call, hash, width, part) => {
  const { env, context } = call;
  const found = await readImage(env, hash, width, part);
  if (!found?.body || part !== ALL || isElsewhere(call)) return found;
  const key = cacheKey(call, hash + width);
  // Without a cache nothing would read the copy.
  if ((await cached((cache) => cache.match(key))) === null) return found;
  if (found.size <= LARGE) {
    const [body, copy] = found.body.tee();
    context.waitUntil(keep(key, { ...found, body: copy }));
    return { ...found, body };
  }
  // Read a second time, since a copy of the stream would be held until its reader has it.
  shared(context, key, 0, 0, async () => keep(key, await readImage(env, hash, width, ALL)));
  return found;
};
/** Puts a whole image into the edge cache. @param {string} key @param {Found | null} found */
async function keep(key, found) {
  if (!found?.body) return;
  const headers = { ...ENTRY, "Cache-Control": A_YEAR };
  const entry = new Response(sized(found.body, found.size), { headers });
  await cached((cache) => cache.put(key, entry));
}
/** An image in the store, where an imported one may have another name. @type {FindImage} */
const readImage = async (env, hash, width, part) => {
  const found = await readObject(env, `${IMAGES}${hash}${width}.webp`, part);
  if (found) return found;
  const other = hashOf((await readText(env, `names/${hash}`))?.trim() ?? "");
  return other ? readObject(env, `${IMAGES}${other}${width}.webp`, part) : null;
};
/** How wide an image is; NaN where it is no WebP. @param {Found | null} found */
async function widthOf(found) {
  const reader = found?.body?.getReader({ mode: "byob" });
  const start = reader && (await within(STORE_LIMIT, reader.readAtLeast(30, new Uint8Array(30))));
  reader?.cancel();
  const bytes = start?.value;
  if (bytes?.length !== 30) return Number.NaN;
  const view = new DataView(bytes.buffer);
  const text = String.fromCharCode(...bytes.subarray(0, 16));
  const kind = text.startsWith("RIFF") ? text.slice(8) : "";
  if (kind === "WEBPVP8 ") return view.getUint16(26, true) & 0x3fff;
  if (kind === "WEBPVP8L") return (view.getUint16(21, true) & 0x3fff) + 1;
  return kind === "WEBPVP8X" ? (view.getUint32(24, true) & 0xffffff) + 1 : Number.NaN;
}
/** The answer with an image, a part of it, or that it is known. @type {Deliver} */
const deliver = async ({ request, env }, found, name, caching) => {
  const { size } = found;
  const headers = new Headers({ "Cache-Control": caching ?? NO_STORE });
  let range = null;
  if (caching !== null) {
    headers.set("ETag", `"${name}"`);
    headers.set("Cache-Tag", name.slice(0, 32));
    if (knows(request, name)) {
      found.body?.cancel();
      return new Response(null, { status: 304, headers });
    }
    headers.set("Accept-Ranges", "bytes");
    if (request.method === "GET" && !found.body) range = rangeOf(request, name, size);
    if (range && range.first > range.last)
      return refuse(416, "Range not satisfiable", { "Content-Range": `bytes */${size}` });
  }
  headers.set("Content-Type", "image/webp");
  headers.set("Content-Disposition", `inline; filename="${name}.webp"`);
  if (request.method === "HEAD") {
    found.body?.cancel();
    if (size >= 0) headers.set("Content-Length", String(size));
    return new Response(null, { headers });
  }
  const sent = found.body ? found : await readObject(env, found.key ?? "", range ?? ALL);
  if (!sent?.body) return noImage();
  // A store may answer with the whole object nevertheless.
  if (!range || !sent.isPart) return new Response(sized(sent.body, sent.size), { headers });
  const { first, last } = range;
  headers.set("Content-Range", `bytes ${first}-${last}/${size}`);
  return new Response(sized(sent.body, last - first + 1), { status: 206, headers });
};
/** Whether the reader has this image already. @param {Request} request @param {string} name */
function knows(request, name) {
  const tags = request.headers.get("If-None-Match")?.split(",") ?? [];
  return tags.some((tag) => [`"${name}"`, `W/"${name}"`, "*"].includes(tag.trim()));
}
/** The one range that is asked for: beyond the image `first` is after `last`. @type {RangeOf} */
const rangeOf = (request, name, size) => {
  const asked = /^bytes=\s*(?=-?\d)(\d*)-(\d*)\s*$/i.exec(request.headers.get("Range") ?? "");
  const version = request.headers.get("If-Range");
  if (!asked || !(size >= 0) || (version !== null && version.trim() !== `"${name}"`)) return null;
  const [, first = "", last = ""] = asked;
  if (first === "") return { first: Math.max(size - Number(last), 0), last: size - 1 };
  if (last !== "" && Number(first) > Number(last)) return null;
  return { first: Number(first), last: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
};
/** The same stream, with a `Content-Length`. @param {ReadableStream} body @param {number} size */
const sized = (body, size) => (size >= 0 ? body.pipeThrough(new FixedLengthStream(size)) : body);
/** Whether the edge cache is another zone's: a deletion does not reach it. @param {Call} call */
const isElsewhere = ({ url, env }) => !!env.ADDRESS && env.ADDRESS !== url.origin;
/** The name of an image in the edge cache. @param {Call} call @param {string} name */
const cacheKey = ({ url }, name) => new URL(`/i/${name}.webp`, url.origin).href;
/** A cache that is missing or fails is a miss, never an error: null. @type {UseCache} */
const cached = (use) => (async () => use(caches.default))().catch(() => null);
/** Drops an image and its copies from both caches. @param {Call} call @param {string} path */
async function forget(call, path) {
  const hash = /([0-9a-f]{32})[^/]*$/i.exec(path)?.[1]?.toLowerCase();
  if (!hash) return;
  const names = [hash, ...WIDTHS.map((width) => `${hash}.w${width}`)];
  await call.context.cache?.purge({ tags: [hash] }).catch(console.error);
  await Promise.all(names.map((each) => cached((cache) => cache.delete(cacheKey(call, each)))));
}

// --- Where objects are: STORE, BUCKET, STORAGE_URL ---------------------------
/** The store answers neither with an object nor that there is none. */
class StoreUnavailable extends Error {}
/** An object, or null where no place has it. A failing place hides no other. @type {ReadPlace} */
const readObject = async (env, key, part) => {
  const own = key.startsWith(IMAGES) ? [readBucket, readStore] : [readStore, readBucket];
  let failure;
  for (const read of [...own, readUrl]) {
    try {
      const found = await read(env, key, part);
      if (found) return { ...found, key };
    } catch (error) {
      failure ??= new StoreUnavailable(String(error));
    }
  }
  if (failure) throw failure;
  return null;
};
/** How a part is asked for. @param {Part} part @returns {RequestInit} */
function initFor({ first, last }) {
  if (last < 0) return { method: "HEAD" };
  return last < Infinity ? { headers: { Range: `bytes=${first}-${last}` } } : {};
}
/** @type {ReadPlace} */
const readStore = async (env, key, part) => {
  if (!env.STORE || Date.now() < memory.unusedUntil) return null;
  const { status, ok, headers, body } = await askStore(env.STORE, `/-/store/${key}`, initFor(part));
  if (ok) return { body, size: Number(headers.get("X-Size")), isPart: status === 206 };
  body?.cancel();
  if (!headers.has(SIGNATURE)) throw new StoreUnavailable(`STORE answered ${status}`);
  if (headers.has("X-Unused")) memory.unusedUntil = Date.now() + OFF_FOR;
  return null;
};
/** @type {ReadPlace} */
const readBucket = async ({ BUCKET }, key, { first, last }) => {
  if (!BUCKET) return null;
  const part = last < Infinity ? { range: { offset: first, length: last - first + 1 } } : undefined;
  const found = await (last < 0 ? BUCKET.head(key) : BUCKET.get(key, part));
  if (!found) return null;
  const { body = null, size, customMetadata } = found;
  return { body, size, isPart: !!part, sha256: customMetadata?.sha256 };
};
const storageUrl = (/** @type {Env} */ env) => env.STORAGE_URL?.replace(/\/+$/, "");
/** @type {ReadPlace} */
const readUrl = async (env, key, part) => {
  const base = storageUrl(env);
  if (!base || env.BUCKET) return null;
  const answer = await send(`${base}/${key}`, initFor(part), STORE_LIMIT);
  const isPart = answer?.status === 206 && part.last < Infinity;
  if (answer && (answer.status === 200 || isPart))
    return { body: part.last < 0 ? null : answer.body, size: sizeOf(answer), isPart };
  answer?.body?.cancel();
  // Without the right to list, a store answers 403 for what it does not have.
  if (answer?.status === 404 || answer?.status === 403) return null;
  throw new StoreUnavailable(`the object store answered ${answer?.status ?? "nothing"}`);
};
/** The bytes of a body; NaN where that is not known or compressed. @param {Response} answer */
const sizeOf = ({ headers }) =>
  headers.has("Content-Encoding") ? NaN : Number(headers.get("Content-Length") ?? NaN);
/** The key of a part of the snapshot. @param {Env} env @param {string} name */
const keyOf = (env, name) => `${env.PREFIX ?? "porchlight/"}${name}`;
/** A text of the snapshot; null where there is none. @param {Env} env @param {string} name */
async function readText(env, name) {
  const found = await readObject(env, keyOf(env, name), ALL);
  if (!found) return null;
  const text = await within(STORE_LIMIT, new Response(found.body).text());
  if (text === null) throw new StoreUnavailable(`${name} did not arrive`);
  return text;
}
/** @param {Env} env @param {string} name */
const readJson = async (env, name) => JSON.parse((await readText(env, name)) ?? "null");
/** @param {Call} call @returns {Promise<Index | null>} */
const readIndex = async (call) =>
  (await published(call, INDEX)) ??
  shared(call.context, INDEX, SHARED_FOR, STORE_LIMIT, () => readJson(call.env, INDEX));
/** Whether images of a class, like `landscape/cats`, are meant. @type {Classes} */
const classes = (orientation, album) => (name) =>
  (!orientation || name.startsWith(`${orientation}/`)) &&
  (album === undefined || name.slice(name.indexOf("/") + 1) === album);
/** The album that is asked for, cleaned as by the service; "" for a wrong name. @param {URL} url */
const albumOf = ({ searchParams }) => {
  const { album } = Object.fromEntries(searchParams);
  const line = album?.replace(/[\t-\r\x85\u2028\u2029]/g, " ").replace(UNSEEN, "");
  const name = line?.replace(MARKS, "").replace(JOINERS, "$1").trim();
  return name && [...name].length > 64 ? "" : name;
};
/** How many images are meant. @param {Index["pages"]} pages @param {Meant} meant */
const countIn = (pages, meant) => {
  const all = pages.flatMap(({ count, classes = { "/": count } }) => Object.entries(classes));
  return all.reduce((sum, [name, count]) => sum + (meant(name) ? count : 0), 0);
};
const classOf = (/** @type {Item} */ { width, height, album = "" }) =>
  `${["portrait", "square", "landscape"][Math.sign(width - height) + 1]}/${album}`;
/** What never changes under its name. @param {Call} call @param {string} [name] */
const readPage = async ({ env, context }, name) =>
  name && shared(context, name, DAY, STORE_LIMIT, () => readJson(env, `images/${name}.json`));
/** `many` of the images that are meant from the place `start` on, newest first. @type {Items} */
const items = async (call, index, start, many, meant) => {
  const found = /** @type {Item[]} */ ([]);
  let before = 0;
  for (const part of index.pages) {
    const count = countIn([part], meant);
    const from = Math.max(start - before, 0);
    const to = Math.min(start + many - before, count);
    before += count;
    if (from >= to) continue;
    const page = await readPage(call, part.name);
    if (!page) throw new StoreUnavailable(`${part.name} is missing`);
    const images = page.images.filter((/** @type {Item} */ item) => meant(classOf(item)));
    found.push(...images.slice(from, to));
  }
  return found;
};

// --- What the snapshot says --------------------------------------------------
/** Presence. A heartbeat that is too old by now counts no more. @param {any} snapshot */
function check(snapshot) {
  const { state, since: _since, written_at: _at, valid_until: until, ...body } = snapshot;
  const valid = Date.now() <= until * SECOND;
  body.alive = valid && (state === "online" || state === "away");
  for (const name of ["application", "introduce", "rgba"])
    if (name in body && !body.alive) body[name] = "";
  // One of the two behaviours does not have this field.
  if ("applicationOnline" in body) body.applicationOnline = valid && state === "online";
  return json(200, body);
}
/** What a device has reported ends with its report. @param {{ devices: any[] }} snapshot */
const devices = ({ devices: all }) => {
  const over = { online: false, application: "", introduce: "", rgba: "", battery: undefined };
  const now = all.map(({ valid_until: until, ...device }) =>
    Date.now() <= until * SECOND ? device : { ...device, ...over, charging: undefined },
  );
  return json(200, { devices: now });
};
const gameStatus = (/** @type {any} */ { valid_until: until, ...body }) =>
  json(200, Date.now() <= until * SECOND ? body : { status: "在线" });
const imageCount = (/** @type {Index} */ { total }) => json(200, { count: total });
/** What Lanyard's clients see; after its time no activity. Null for none, or off. @type {PresenceIn} */
const presenceIn = (snapshot) => {
  const { data, valid_until: until } = snapshot ?? {};
  if (!data?.discord_user) return null;
  return Date.now() <= until * SECOND ? data : gone(data);
};
/** @param {Presence} presence @returns {Presence} */
function gone(presence) {
  const off = Object.entries(presence).map(([name, value]) => [name, value !== true && value]);
  const kv = Object.fromEntries(Object.keys(presence.kv ?? {}).map((key) => [key, ""]));
  const nothing = { discord_status: "offline", spotify: null, activities: [], kv };
  return { ...Object.fromEntries(off), ...nothing };
}
function lanyardUser(/** @type {any} */ snapshot, /** @type {string} */ id) {
  const data = presenceIn(snapshot);
  if (!data) return refuse(404, NOT_FOUND);
  if (data.discord_user.id === id) return json(200, { success: true, data });
  const error = { code: "user_not_monitored", message: "User is not being monitored by Lanyard" };
  return json(404, { success: false, error });
}
async function list(/** @type {Call} */ call) {
  const page = wholeNumber(call.url, "page", 1n);
  if (page === null) return refuse(400, "Invalid page");
  const asked = wholeNumber(call.url, "limit", 10n);
  if (asked === null) return refuse(400, "Invalid limit");
  const limit = asked > 100n ? 100n : asked;
  const detail = call.url.searchParams.getAll("detail").at(-1);
  const album = albumOf(call.url);
  if (album === "") return refuse(400, "Invalid album");
  const meant = classes(undefined, album);
  const ofAlbum = album === undefined ? "" : `&album=${encodeURIComponent(album)}`;
  const more = (detail === "1" ? "&detail=1" : "") + ofAlbum;
  return read(call, `/images/list?page=${page}&limit=${limit}${more}`, INDEX, async (index) => {
    if (album && index.albums === false)
      return Date.now() < memory.offUntil ? offline() : pass(call, ASK_LIMIT);
    const found = await items(call, index, Number((page - 1n) * limit), Number(limit), meant);
    const images = JSON.stringify(found, FIELDS.slice(0, detail === "1" ? Infinity : 3));
    // Not from numbers: a large page number would be rounded.
    const size = `"size":${limit},"total":${countIn(index.pages, meant)}`;
    return json(200, `{"images":${images},"pagination":{"current":${page},${size}}}`);
  });
}
/** A parameter from 1 to 2^63 − 1, in digits alone. Null for another. @type {WholeNumber} */
const wholeNumber = (url, name, standard) => {
  const text = url.searchParams.getAll(name).at(-1) ?? String(standard);
  const number = /^\d+$/.test(text) ? BigInt(text) : 0n;
  return number >= 1n && number < 2n ** 63n ? number : null;
};
/** The custom element. Who can only write to the store must not run scripts. @param {Call} call */
async function widget(call) {
  const { EDGE_SECRET: secret } = call.env;
  const text = secret && (await readText(call.env, "widget.js").catch(() => ""));
  const [, sum, script] = /^\/\/([0-9a-f]{64})\n([\s\S]*)$/.exec(text || "") ?? [];
  if (secret && script && (await hmac(secret, script)) === sum)
    return new Response(script, { headers: SCRIPT });
  return pass(call);
}

// --- The reads: from the snapshot in STORE, or else the service is asked first -------------------
/** The answer from STORE. Where no store has it, the request is passed on. @type {Read} */
const read = async (call, path, name, answer) => {
  const own = await published(call, name);
  if (own) return answer(own);
  if (!call.env.STORE || storageUrl(call.env)) return readLive(call, path, name, answer);
  return pass(call);
};
/** A document in STORE, at most half a second old; null where it has none. @type {Published} */
const published = async ({ env, context }, name) => {
  if (!env.STORE || Date.now() < memory.unusedUntil) return null;
  const reading = await shared(context, `STORE ${name}`, FRESH_FOR, STORE_LIMIT, async () => {
    const found = await readStore(env, keyOf(env, name), ALL);
    return { value: found && (await new Response(found.body).json()) };
  });
  return reading?.value;
};
/** The service's answer, which has the mark `X-Porchlight`, or the snapshot's. @type {Read} */
const readLive = async (call, path, name, answer) => {
  const live = await question(call, path);
  if (live !== null) return json(200, live, { "X-Porchlight": "1" });
  const snapshot = name === INDEX ? await readIndex(call) : await readJson(call.env, name);
  return snapshot ? answer(snapshot) : offline();
};
/** Asks the service, unless it is known to be off; null without an answer. @type {AskService} */
const question = ({ url, env, context }, path) =>
  shared(context, path, SHARED_FOR, ASK_LIMIT, async () => {
    if (Date.now() < memory.offUntil) return null;
    // The tunnel may have another address by now.
    if (memory.offUntil > 0) memory.origin = null;
    memory.offUntil = 0;
    const origin = await readOrigin(env, context, OFF_FOR);
    if (origin === null) return null;
    const answer = await ask(env, origin, new URL(path, url), OWN);
    const text = answer?.status === 200 ? await within(ASK_LIMIT, answer.text()) : null;
    if (text !== null) return text;
    answer?.body?.cancel().catch(() => {});
    // One that refuses is there, but answers too much already.
    if (!answer || answer.status === 200 || answer.status >= 500)
      memory.offUntil = Date.now() + OFF_FOR;
    return null;
  });

// --- The service -------------------------------------------------------------
/** Passes a request on: one that may have a secret only to an address that has proved itself. Null does
 * not mean that the service is off. @param {Call} call @param {number} limit */
async function passOn({ request, url, env, context }, limit) {
  const origin = await readOrigin(env, context, SHARED_FOR);
  if (origin === null) return null;
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (READERS_OWN.test(name)) headers.delete(name);
  const { method, body } = request;
  const isPlain = !(body || url.search || SECRETS.some((name) => headers.has(name)));
  const question = { method, headers, body, reader: readerOf(request, env), limit };
  const mayAsk = isPlain || (await isProven(env, context, origin));
  const answer = mayAsk && (await ask(env, origin, url, question));
  if (answer) return answer;
  if (memory.origin && Date.now() - memory.origin.readAt > SHARED_FOR) memory.origin = null;
  return null;
}
/** @param {Call} call @param {number} limit */
const pass = async (call, limit = PASS_ON_LIMIT) => (await passOn(call, limit)) ?? offline();
/** An image of the service, or of the store to which it redirects. @type {ImageOfService} */
const imageOfService = async (call, hash, caching) => {
  const answer = await passOn(call, STORE_LIMIT);
  const place = answer?.headers.get("Location") ?? "";
  // The second is the answer to `form=redirect`.
  if (answer?.status !== 302 || /^\/i\/[0-9a-f]{32}\.webp$/.test(place)) return answer;
  const start = `${storageUrl(call.env)}/${IMAGES}`;
  const [, own = "", width = ""] =
    /^([0-9a-f]{32})((?:\.w\d{3,4})?)\.webp$/.exec(place.slice(start.length)) ?? [];
  if (!own || !place.startsWith(start)) return null;
  for (const wait of [SECOND, 0]) {
    const part = partFor(call.request, hash ? hash + width : "");
    const found = await readObject(call.env, `${IMAGES}${own}${width}.webp`, part);
    if (found) return deliver(call, found, (hash ?? own) + width, hash && caching);
    if (wait) await sleep(wait); // It may be on its way there.
  }
  return new Response(null, { status: 302, headers: { Location: place } });
};
/** A signed request to the service; null without an answer that proves to be its own. @type {Ask} */
const ask = async (env, origin, url, { reader, limit, ...init }) => {
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
  // Bound to this host: whoever has an old address of the tunnel cannot pass on to the present one.
  const proof = env.EDGE_SECRET && (await hmac(env.EDGE_SECRET, `proof\n${target.host}\n${sum}`));
  const isOwn = isMarked && !!proof && answer.headers.get("X-Porchlight-Proof") === proof;
  if (isOwn) memory.proven = { url: origin, at: Date.now() };
  // The one in ORIGIN was written by the owner.
  if (isOwn || (isMarked && env.ORIGIN)) return answer;
  answer?.body?.cancel();
  return null;
};
/** The same address at the service, or null. Set part by part, never joined: `//host/x` cannot name
 * another host. @param {string} origin @param {URL} url */
function targetOf(origin, url) {
  const service = URL.canParse(origin) ? new URL(origin) : null;
  const isPlain = service?.protocol === "http:" && LOOPBACK.test(service.hostname);
  if (!service || !(isPlain || service.protocol === "https:")) return null;
  const { protocol, hostname, port } = service;
  return Object.assign(new URL(url), { protocol, hostname, port });
}
/** Whether the address has just proved to be the service's: that of a quick tunnel can be somebody
 * else's a moment later. @param {Env} env @param {Context} context @param {string} origin */
async function isProven(env, context, origin) {
  const proven = () => memory.proven?.url === origin && Date.now() - memory.proven.at < OFF_FOR;
  if (env.ORIGIN || proven()) return true;
  await shared(context, `proof of ${origin}`, 0, ASK_LIMIT, async () => {
    const answer = await ask(env, origin, new URL(`/?${crypto.randomUUID()}`, origin), OWN);
    answer?.body?.cancel();
  });
  return proven();
}
/** Where the service is. A reading without an address may be so many ms old. @type {ReadOrigin} */
const readOrigin = async (env, context, patience) => {
  const { ORIGIN, EDGE_SECRET: secret } = env;
  if (ORIGIN || !secret) return ORIGIN || null;
  const address = () =>
    memory.origin && Date.now() - memory.origin.writtenAt < DAY ? memory.origin.url : null;
  const age = Date.now() - (memory.origin?.readAt ?? 0);
  if (address() || age <= patience) return address();
  await shared(context, "origin.json", 0, STORE_LIMIT, async () => {
    const readAt = Date.now();
    const { sealed } = (await readJson(env, "origin.json").catch(() => null)) ?? {};
    const text = sealed && (await unseal(secret, sealed).catch(() => null));
    const { url = null, written_at: at = 0 } = JSON.parse(text || "{}");
    memory.origin = { url, writtenAt: at * SECOND, readAt };
  });
  return address();
};
/** The reader's address, for limits and statistics. @param {Request} request @param {Env} env */
function readerOf(request, env) {
  const header = env.CLIENT_IP_HEADER && request.headers.get(env.CLIENT_IP_HEADER);
  const address = header?.split(",").at(-1)?.trim() ?? "";
  return /^[0-9a-f.:]{2,45}$/i.test(address) ? address : "";
}

// --- Requests to STORE: the service's own, and readers' sockets --------------
/** `/-/store` and what is below it. @param {Call} call @returns {Promise<Response>} */
async function signed(call) {
  const { request, url, env } = call;
  const { method } = request;
  const path = url.pathname + url.search;
  const [isStore, key] = /^\/-\/store(?:\/([\w.-]+(?:\/[\w.-]+)*))?$/.exec(url.pathname) ?? [];
  const isObject = key !== undefined && key !== COUNTS;
  const isKnown = isStore && (isObject ? /^(GET|HEAD|PUT|DELETE)$/ : /^GET$/).test(method);
  if (!env.STORE || !isKnown) return refuse(404, NOT_FOUND);
  const header = /^t=(\d{1,15}), body=((?:[0-9a-f]{64})?), v1=([0-9a-f]{64})$/;
  const [, time, body = "", v1 = ""] = header.exec(request.headers.get(SIGNATURE) ?? "") ?? [];
  if (!time || !env.EDGE_SECRET) return refuse(401, "Unauthorized");
  const sum = await hmac(env.EDGE_SECRET, ["store", time, method, path, body].join("\n"));
  // Not compared directly: how long it takes must say nothing of the right one.
  if ((await hmac(sum, v1)) !== (await hmac(sum, sum))) return refuse(401, "Unauthorized");
  const now = Date.now();
  const clock = { Date: new Date(now).toUTCString() };
  if (Math.abs(now - Number(time)) > SIGNED_FOR) return refuse(401, "Clock is off", clock);
  if (Number(request.headers.get("Content-Length")) > LARGEST)
    return refuse(413, "Object too large");
  memory.unusedUntil = 0;
  try {
    const part = method === "GET" ? ALL : ONLY_SIZE;
    const isRead = isObject && key.startsWith(IMAGES) && /^(GET|HEAD)$/.test(method);
    const found = isRead ? await readBucket(env, key, part) : null;
    if (found) {
      const { body, size, sha256 = "" } = found;
      const headers = { ...BINARY, "Content-Length": String(size), "X-Sha256": sha256 };
      return new Response(body && sized(body, size), { headers });
    }
    const headers = { "X-Time": time, "X-Body": body };
    const answer = await askStore(env.STORE, path, { method, headers, body: request.body });
    if (method === "DELETE" && answer.ok) await forget(call, key ?? "");
    const length = Number(answer.headers.get("X-Size") ?? NaN);
    return new Response(answer.body && sized(answer.body, length), answer);
  } catch (error) {
    const reason = String(error);
    if (/SQLITE_FULL|disk is full/.test(reason)) return refuse(507, "Not enough storage");
    if (!reason.includes("Exceeded allowed")) throw new StoreUnavailable(reason);
    // The free plan's day ends at midnight UTC.
    const left = Math.ceil((DAY - (now % DAY)) / SECOND);
    return refuse(507, "Not enough storage", { "Retry-After": String(left) });
  }
}
/** One request to the object, which takes along what was counted. @type {AskStore} */
const askStore = async (store, path, init) => {
  const headers = new Headers(init?.headers);
  const { tally } = memory;
  memory.tally = none();
  headers.set("X-Tally", JSON.stringify({ ...tally, readers: [...tally.readers] }));
  const stub = store.get(store.idFromName("porchlight"));
  return stub.fetch(`https://store${path}`, { ...init, headers });
};
/** `/socket` of STORE. Those that are refused come back at once, so they wait. @param {Call} call */
async function socket({ request, env }) {
  const headers = { Upgrade: request.headers.get("Upgrade") ?? "" };
  if (!/^websocket$/i.test(headers.Upgrade)) return refuse(400, "WebSocket required");
  const answer = await (env.STORE && askStore(env.STORE, "/socket", { headers }).catch(() => null));
  if (answer?.webSocket) return answer;
  await sleep(20 * SECOND);
  return answer ?? noSocket();
}

// --- STORE itself ------------------------------------------------------------
/** All objects, in one Durable Object with SQLite. Only the Worker reaches it, and has checked who
 * asks. Nothing is written before the first object, so a Worker that does not use it costs nothing. */
export class Store {
  constructor(/** @type {State} */ state, /** @type {Env} */ env) {
    this.state = state;
    this.storage = state.storage;
    this.bucket = env.BUCKET;
    this.lanyard = keyOf(env, LANYARD);
    // Answered without waking this object.
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair('{"op":3}', '{"op":3}'));
    this.lastChange = /** @type {Promise<unknown>} */ (Promise.resolve());
    this.isSaveDue = false;
    /** @type {Counts} */
    this.counts = { days: [], calls: {}, bits: new Uint8Array(READER_BITS / 8), ones: 0 };
    this.isUsed = this.sql("SELECT 1 FROM sqlite_master WHERE name = 'objects'").length > 0;
    this.kept = /** @type {Promise<any> | null} */ (null);
    state.blockConcurrencyWhile(async () => {
      if (this.isUsed) this.counts = (await this.storage.get(COUNTS)) ?? this.counts;
    });
  }
  async fetch(/** @type {Request} */ request) {
    const { pathname, searchParams } = new URL(request.url);
    const key = pathname.slice("/-/store/".length);
    this.add(JSON.parse(request.headers.get("X-Tally") ?? ""));
    if (pathname === "/socket") return this.open();
    if (key === COUNTS) return json(200, { ...this.counts, bits: undefined, ones: undefined });
    if (!key) return this.list(searchParams);
    if (/^(PUT|DELETE)$/.test(request.method)) return this.change(key, request);
    return this.get(key, request.method, request.headers.get("Range"));
  }
  sql(/** @type {string} */ query, /** @type {SqlValue[]} */ ...values) {
    return this.storage.sql.exec(query, ...values).toArray();
  }
  get(/** @type {string} */ key, /** @type {string} */ method, /** @type {string?} */ range) {
    if (!this.isUsed) return refuse(404, NOT_FOUND, { ...ABSENT, "X-Unused": "1" });
    const about = "SELECT size, sha256 FROM objects WHERE key = ? AND number = 0";
    // The bytes of what is in BUCKET are not here.
    const [row] = this.sql(`${about} AND bytes IS NOT NULL`, key);
    if (!row) return refuse(404, NOT_FOUND, ABSENT);
    const { size, sha256 } = row;
    const headers = { ...BINARY, "X-Size": String(size), "X-Sha256": sha256 };
    if (method === "HEAD")
      return new Response(null, { headers: { ...headers, "Content-Length": `${size}` } });
    const asked = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
    const first = Number(asked?.[1] ?? 0);
    const last = Math.min(Number(asked?.[2] ?? Infinity), size - 1);
    const bytes = new Uint8Array(last - first + 1);
    const rows = "SELECT number, bytes FROM objects WHERE key = ? AND number BETWEEN ? AND ?";
    const rowOf = (/** @type {number} */ place) => Math.floor(place / BYTES_PER_ROW);
    for (const row of this.storage.sql.exec(rows, key, rowOf(first), rowOf(last))) {
      const start = row.number * BYTES_PER_ROW;
      const piece = new Uint8Array(row.bytes, Math.max(first - start, 0));
      bytes.set(piece.subarray(0, last + 1 - Math.max(start, first)), Math.max(start - first, 0));
    }
    return new Response(bytes, { status: asked ? 206 : 200, headers });
  }
  list(/** @type {URLSearchParams} */ asked) {
    const { prefix = "", after = "", limit: most = 1_000 } = Object.fromEntries(asked);
    const limit = Math.min(Number(most), 1_000);
    if (!Number.isInteger(limit) || limit < 1) return refuse(400, "Invalid limit");
    const query = `SELECT key, size, time, sha256 FROM objects WHERE key >= ? AND key < ?
      AND key <> ? AND number = 0 AND size IS NOT NULL ORDER BY key LIMIT ?`;
    // "~" comes after all characters of a key.
    const values = [after > prefix ? after : prefix, `${prefix}~`, after, limit + 1];
    const found = this.isUsed ? this.sql(query, ...values) : [];
    const next = found.length > limit ? found[limit - 1]?.key : null;
    return json(200, { objects: found.slice(0, limit), next });
  }
  /** PUT and DELETE, one after the other. One that is not later than the key's last gets a 409. */
  async change(/** @type {string} */ key, /** @type {Request} */ { method, headers, body }) {
    const bytes = await new Response(body).arrayBuffer();
    const size = bytes.byteLength;
    if (size > LARGEST) return refuse(413, "Object too large");
    const sha256 = hex(await digest(bytes));
    const expected = headers.get("X-Body") || (size === 0 && sha256);
    if (expected !== sha256) return refuse(400, "Body does not match its SHA-256");
    const turn = this.lastChange.then(async () => {
      const time = Number(headers.get("X-Time"));
      const last = "SELECT time FROM objects WHERE key = ? AND number = 0";
      const [row] = this.isUsed ? this.sql(last, key) : [];
      if (row && row.time >= time)
        return refuse(409, "A later request came first", { "X-Time": String(row.time) });
      const bucket = key.startsWith(IMAGES) ? this.bucket : undefined;
      const before = key === this.lanyard ? presenceIn(await this.snapshot()) : null;
      let answer;
      if (method === "PUT") {
        await bucket?.put(key, bytes, { customMetadata: { sha256 } });
        const existed = this.write(key, { time, size, sha256, bytes: bucket ? null : bytes });
        answer = json(existed ? 200 : 201, { key, size, sha256 });
      } else {
        await bucket?.delete(key);
        const existed = this.write(key, { time });
        answer = existed ? json(200, { key }) : refuse(404, NOT_FOUND, ABSENT);
      }
      if (key === this.lanyard) await this.push(before);
      return answer;
    });
    this.lastChange = turn.catch(() => {});
    return turn;
  }
  /** Replaces an object in one transaction, and says whether there was one. With its time alone it is
   * deleted, so that no older request brings it back. @param {string} key @param {Written} object */
  write(key, { time, size = null, sha256 = null, bytes = null }) {
    const put = `INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      time = excluded.time, size = excluded.size, sha256 = excluded.sha256, bytes = excluded.bytes`;
    const existed = this.storage.transactionSync(() => {
      this.sql(`CREATE TABLE IF NOT EXISTS objects (key TEXT, number INTEGER, time INTEGER,
        size INTEGER, sha256 TEXT, bytes BLOB, PRIMARY KEY (key, number)) WITHOUT ROWID`);
      const isDeleted = "number = 0 AND size IS NULL";
      this.sql(`CREATE INDEX IF NOT EXISTS deleted ON objects (time) WHERE ${isDeleted}`);
      // No signature that is still valid is as old as these.
      const old = Date.now() - 2 * SIGNED_FOR;
      this.sql(`DELETE FROM objects WHERE ${isDeleted} AND time < ?`, old);
      const [row] = this.sql("SELECT size FROM objects WHERE key = ? AND number = 0", key);
      this.sql("DELETE FROM objects WHERE key = ? AND number > 0", key);
      const pieces = Math.max(Math.ceil((bytes?.byteLength ?? 0) / BYTES_PER_ROW), 1);
      for (let number = 0; number < pieces; number += 1) {
        const piece = bytes?.slice(number * BYTES_PER_ROW, (number + 1) * BYTES_PER_ROW) ?? null;
        this.sql(put, key, number, time, size, sha256, piece);
      }
      return typeof row?.size === "number";
    });
    this.isUsed = true;
    this.kept = null;
    return existed;
  }
  /** `lanyard.json`, read once until something is written; what has no presence where it is missing. */
  snapshot() {
    const read = async () => this.get(this.lanyard, "GET", null).json();
    this.kept ??= read().catch(() => null);
    return this.kept;
  }
  /** A new socket. What is known of its reader is attached to it: this object may leave memory. */
  async open() {
    const snapshot = await this.snapshot();
    const now = presenceIn(snapshot);
    if (!now) return snapshot?.success === false ? refuse(404, NOT_FOUND) : noSocket();
    let others = 0;
    for (const socket of this.state.getWebSockets()) {
      const beat = this.state.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      const last = Math.max(socket.deserializeAttachment().at, beat);
      if (Date.now() - last <= SILENT_FOR) others += 1;
      else socket.close(1000, "no heartbeat");
    }
    if (others >= SOCKETS) return noSocket();
    const { 0: webSocket, 1: socket } = new WebSocketPair();
    this.state.acceptWebSocket(socket);
    socket.serializeAttachment({ isSubscribed: false, at: Date.now(), since: 0, messages: 0 });
    socket.send('{"op":1,"d":{"heartbeat_interval":30000}}');
    await this.push(now);
    return new Response(null, { status: 101, webSocket });
  }
  /** @param {Socket} socket @param {string | ArrayBuffer} message */
  async webSocketMessage(socket, message) {
    const reader = { ...socket.deserializeAttachment(), at: Date.now() };
    if (reader.at - reader.since > SILENT_FOR) [reader.since, reader.messages] = [reader.at, 0];
    socket.serializeAttachment({ ...reader, messages: reader.messages + 1 });
    if (reader.messages >= MOST_MESSAGES) return socket.close(1008, "too_many_messages");
    const sent = new Blob([message]);
    if (sent.size > LONGEST) return socket.close(1009, "message_too_large");
    const asked = await new Response(sent).json().catch(() => null);
    if (asked?.constructor !== Object) return socket.close(4006, "invalid_payload");
    const { op, d } = asked;
    if (![2, 3, 4].includes(op)) return socket.close(4004, "unknown_opcode");
    if (op === 2 && (d?.constructor !== Object || Object.keys(d).length === 0))
      return socket.close(4005, "requires_data_object");
    const verb = op === 2 ? "subscribe_to" : "unsubscribe_from";
    const [one, many, all] = ["id", "ids", "all"].map((end) => d?.[`${verb}_${end}`]);
    const isNamed = many === undefined ? one !== undefined || all === true : Array.isArray(many);
    if (op === 2 && !isNamed) return socket.close(4006, "invalid_payload");
    if (op === 3) return;
    const now = presenceIn(await this.snapshot());
    const isMeant =
      isNamed && (all === true || [many ?? one].flat().includes(now?.discord_user.id));
    const latest = socket.deserializeAttachment();
    if (isMeant) socket.serializeAttachment({ ...latest, isSubscribed: op === 2 });
    if (op === 4) return;
    const found = now && isMeant ? { [now.discord_user.id]: now } : {};
    const state = many === undefined && one !== undefined ? (found[one] ?? {}) : found;
    socket.send(JSON.stringify({ op: 0, t: "INIT_STATE", d: state }));
  }
  webSocketClose(/** @type {Socket} */ socket) {
    socket.close();
  }
  /** Sends readers what has changed since `before`, and later its end. @param {Presence | null} before */
  async push(before) {
    const snapshot = await this.snapshot();
    const now = presenceIn(snapshot);
    const sockets = this.state.getWebSockets().filter(({ readyState }) => readyState === 1);
    const d = now ?? (before && gone(before));
    const text = JSON.stringify({ op: 0, t: "PRESENCE_UPDATE", d });
    const isNew = JSON.stringify(now) !== JSON.stringify(before);
    for (const socket of isNew ? sockets : []) {
      if (socket.deserializeAttachment().isSubscribed) socket.send(text);
      if (!now) socket.close(1001, "");
    }
    const end = snapshot?.valid_until * SECOND + 1;
    if (sockets.length === 0 || !(end > Date.now())) return;
    if (end < ((await this.storage.getAlarm()) ?? Infinity)) await this.storage.setAlarm(end);
  }
  /** The presence has ended, or was renewed meanwhile. */
  async alarm() {
    const now = presenceIn(await this.snapshot());
    await this.push(now?.discord_status === "offline" ? null : now);
  }
  /** Adds what an isolate counted. @param {Tally} tally */
  add({ requests, calls, readers }) {
    const now = new Date(Date.now()).toISOString();
    const day = now.slice(0, 10);
    const { counts } = this;
    let [today] = counts.days;
    if (today?.day !== day) {
      today = { day, requests: 0, readers: 0 };
      counts.days = [today, ...counts.days.slice(0, 30)];
      counts.bits.fill(0);
      counts.ones = 0;
    }
    for (const [path, many] of Object.entries(calls)) {
      const count = (counts.calls[path]?.count ?? 0) + many;
      counts.calls[path] = { count, lastUpdated: now };
    }
    for (const bit of readers) {
      const byte = counts.bits[bit >> 3] ?? 0;
      counts.ones += 1 - ((byte >> (bit & 7)) & 1);
      counts.bits[bit >> 3] = byte | (1 << (bit & 7));
    }
    today.requests += requests;
    // Two readers can have the same bit: so many they most likely are.
    today.readers = Math.round(-READER_BITS * Math.log(1 - counts.ones / READER_BITS));
    if (!this.isUsed || this.isSaveDue) return;
    this.isSaveDue = true;
    // Until then this object stays in memory.
    setTimeout(() => {
      this.isSaveDue = false;
      // Where the plan's day is used up, images are sent nevertheless.
      this.storage.put(COUNTS, counts).catch(console.error);
    }, 60 * SECOND);
  }
}

// --- What is counted ---------------------------------------------------------
/** Counts a request that was not passed on. Of a reader's address, or network (IPv6), one bit of many is
 * kept, another one each day. @param {Call} call @param {Response} answer */
async function count({ request, url, env, context }, answer) {
  const { STORE, EDGE_SECRET } = env;
  if (!STORE || Date.now() < memory.unusedUntil) return;
  const [, folder] = imageIn(url);
  const path = folder ? `/${folder}/{hash}` : url.pathname;
  const isOwn = /^(GET|HEAD)$/.test(request.method) && !answer.headers.has("X-Porchlight");
  const isCounted = isOwn && (folder || COUNTED.test(path));
  const reader = readerOf(request, env).split("::")[0]?.split(":").slice(0, 4).join(":");
  const text = ["reader", Math.floor(Date.now() / DAY), reader].join("\n");
  const sum = isCounted && reader && EDGE_SECRET ? await hmac(EDGE_SECRET, text) : "";
  const { calls, readers } = memory.tally;
  memory.tally.requests += 1;
  if (isCounted) calls[path] = (calls[path] ?? 0) + 1;
  if (sum && readers.size < 1_000) readers.add(parseInt(sum.slice(0, 8), 16) % READER_BITS);
  if (memory.isTallyDue) return;
  memory.isTallyDue = true;
  const sent = sleep(20 * SECOND).then(async () => {
    memory.isTallyDue = false;
    if (memory.tally.requests > 0) await askStore(STORE, `/-/store/${COUNTS}`);
  });
  context.waitUntil(sent.catch(console.error));
}

// --- Time, secrets -----------------------------------------------------------
/** Fetches; null without an answer in time. The limit ends with its head. @type {Send} */
const send = async (url, init, limit) => {
  const stop = new AbortController();
  const sent = fetch(url, { ...init, redirect: "manual", signal: stop.signal });
  const answer = await within(limit, sent);
  if (!answer) stop.abort();
  return answer;
};
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** What the work comes to; null where it fails or takes longer. It goes on nevertheless.
 * @template T @param {number} limit in ms @param {Promise<T>} work @returns {Promise<T | null>} */
function within(limit, work) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), limit);
    work.then(resolve, () => resolve(null)).finally(() => clearTimeout(timer));
  });
}
/** Work that all requests share while it runs, kept for `life` ms unless it came to null. It outlives
 * its first request; what the platform ended nevertheless is begun again. @type {Share} */
const shared = async (context, key, life, limit, begin) => {
  const { kept, running } = memory;
  const old = kept.get(key);
  if (old && Date.now() - old.at < life) return old.value;
  const other = running.get(key);
  if (other && Date.now() - other.at < OFF_FOR) return within(limit, other.work);
  const at = Date.now();
  const work = begin().then((value) => {
    kept.delete(key);
    // As old as the question, not as its answer.
    if (life > 0 && value !== null) kept.set(key, { at, value });
    const [oldest] = kept.keys();
    if (kept.size > 64 && oldest) kept.delete(oldest);
    return value;
  });
  running.set(key, { at, work });
  const end = () => running.get(key)?.work === work && running.delete(key);
  context.waitUntil(work.then(end, end));
  return within(limit, work);
};
const utf8 = new TextEncoder();
const digest = (/** @type {BufferSource} */ bytes) => crypto.subtle.digest("SHA-256", bytes);
const hex = (/** @type {ArrayBuffer} */ bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
/** HMAC-SHA256 in hexadecimal digits. @param {string} secret @param {string} text */
async function hmac(secret, text) {
  const [raw, algorithm] = [utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }];
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, utf8.encode(text)));
}
/** The text in base64 of a nonce and AES-256-GCM; fails with another key. @type {Unseal} */
const unseal = async (secret, sealed) => {
  const bytes = Uint8Array.from(atob(sealed), (character) => character.charCodeAt(0));
  const sum = await digest(utf8.encode(secret));
  const key = await crypto.subtle.importKey("raw", sum, "AES-GCM", false, ["decrypt"]);
  const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, 12) };
  return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12)));
};
