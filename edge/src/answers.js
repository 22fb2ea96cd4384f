// What readers are answered, from the rows that the service has told.
// --- Time, sums and requests ------------------------------------------------
export const SECOND = 1000;
export const DAY = 86_400 * SECOND;
export const SIGNATURE = "X-Porchlight-Store";
export const SIGNED_FOR = 300 * SECOND;
export const LARGEST = 50 << 20;
export const sleep = (/** @type {number} */ ms) => new Promise((wake) => setTimeout(wake, ms));
/** Fetches; null without an answer in time. The limit in ms ends with its head.
 * @param {string} url @param {RequestInit} init @param {number} limit */
export async function send(url, init, limit) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), limit);
  const sent = fetch(url, { ...init, redirect: "manual", signal: stop.signal });
  return sent.catch(() => null).finally(() => clearTimeout(timer));
}
const utf8 = new TextEncoder();
const hex = (/** @type {ArrayBuffer} */ bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
/** SHA-256 in hexadecimal digits. @param {string | ArrayBuffer} value */
export async function sha256(value) {
  const bytes = typeof value === "string" ? utf8.encode(value) : value;
  return hex(await crypto.subtle.digest("SHA-256", bytes));
}
/** HMAC-SHA256 in hexadecimal digits. @param {string} secret @param {string} message */
export async function hmac(secret, message) {
  const [raw, algorithm] = [utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }];
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, utf8.encode(message)));
}
// --- Replies, as the service has them ---------------------------------------
export const NO_STORE = "no-store";
/** @param {string} body @param {string} type @param {string} caching @param {Metadata} [more] */
export function text(body, type, caching, more) {
  const headers = { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": caching, ...more };
  return whole(body, { headers });
}
/** An answer that names its length, also where HEAD takes its body away.
 * @param {string} body @param {{ status?: number, headers: Metadata }} init */
function whole(body, init) {
  const bytes = new TextEncoder().encode(body);
  const headers = { ...init.headers, "Content-Length": String(bytes.length) };
  return new Response(bytes, { ...init, headers });
}
/** @param {number} status @param {unknown} value @param {Metadata} [more] */
export function json(status, value, more) {
  const headers = { "Content-Type": "application/json", "Cache-Control": NO_STORE, ...more };
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return whole(body, { status, headers });
}
/** @param {number} status @param {string} error @param {Metadata} [more] */
export const refuse = (status, error, more) => json(status, { error }, more);
export const notFound = () => refuse(404, "Resource not found");
export const noImage = () => refuse(404, "Image not found");
export const offline = () => refuse(503, "The service is offline", { "Retry-After": "60" });
/** A redirect as the service sends it. @param {string} place @param {string} caching */
export const redirect = (place, caching) =>
  new Response(null, { status: 302, headers: { Location: place, "Cache-Control": caching } });
// --- What is asked ----------------------------------------------------------
export const WIDTHS = ["320", "640", "960", "1280", "1920"];
// A CDN in front keeps a picture for a day, so that a deleted one is gone there the day after.
export const A_YEAR = "public, max-age=31536000, immutable, s-maxage=86400";
const PICTURE = /^\/(i|images(?!\/(?:list|count|add)$))\/([^/]+)(?:\/([^/]+))?$/;
const COUNTED = /^\/(check|devices|game_status|images\/count|images\/list|random_image)$/;
const ORIENTATION = /^(landscape|portrait|square)$/;
const UNSEEN = /[\p{Cc}\p{Bidi_C}\u200b\u2060\ufeff\ufffe\uffff]/gu;
const MARKS = /(?<=(\p{M}\p{Join_C}*){8})\p{M}/gu;
const JOINERS = /(?<=[^\s\p{Join_C}])\p{Join_C}*(\p{Join_C})(?=[^\s\p{Join_C}])|\p{Join_C}/gu;

/** The text in a part of an address; null where it is no UTF-8. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part.replace(/%(?![\da-f]{2})/gi, "%25"));
  } catch {
    return null;
  }
}
/** The last parameter of each name: null where it is no UTF-8. @param {URL} url @returns {Query} */
export function parametersOf({ search }) {
  const parts = search.slice(1).replaceAll("+", " ").split("&").filter(Boolean);
  const pairs = parts.map((part) => part.split(/=(.*)/s));
  return new Map(pairs.map(([name = "", value = ""]) => [decoded(name) ?? "", decoded(value)]));
}
/** A clean line of at most so many characters. @param {string} words @param {number} longest */
export function oneLine(words, longest) {
  const line = words.replace(/[\t-\r\x85\u2028\u2029]/g, " ").replace(UNSEEN, "");
  const clean = line.replace(MARKS, "").replace(JOINERS, "$1").trim();
  return [...clean].slice(0, longest).join("");
}
/** The picture that an address names, or a refusal; null for another one. @param {URL} url */
export function pictureOf(url) {
  const [, folder, segment = "", name] = PICTURE.exec(url.pathname) ?? [];
  if (!folder || (name !== undefined && folder !== "i")) return null;
  const width = folder === "i" ? parametersOf(url).get("w") : undefined;
  const [, digits] = /^([0-9a-f]{32})(?:\.webp)?$/i.exec(segment) ?? [];
  const isNamed = name === undefined || /^[^/]*\.webp$/s.test(decoded(name) ?? "");
  const isWide = width === undefined || WIDTHS.includes(width ?? "");
  let refusal = digits && isNamed ? null : noImage();
  if (isNamed && !isWide) refusal = refuse(400, "Invalid width");
  const caching = folder === "i" ? A_YEAR : "no-cache, s-maxage=86400";
  return { hash: digits?.toLowerCase() ?? "", width: width ? `.w${width}` : "", caching, refusal };
}
/** The endpoint of a path as calls are counted; "" where they are not. @param {URL} url */
export function endpointOf(url) {
  if (COUNTED.test(url.pathname)) return url.pathname;
  return pictureOf(url) ? `/${url.pathname.split("/")[1]}/{hash}` : "";
}
/** The album that is asked for; null for a wrong name. @param {Query} parameters */
export function albumOf(parameters) {
  const name = parameters.has("album") ? oneLine(parameters.get("album") ?? "", 65) : undefined;
  return name === "" || (name && [...name].length > 64) ? null : name;
}
/** Null for a wrong one. @param {Query} query @param {string} name @param {string} standard */
export function wholeNumber(query, name, standard) {
  const digits = query.has(name) ? (query.get(name) ?? "") : standard;
  const number = /^\d+$/.test(digits) ? BigInt(digits) : 0n;
  return number >= 1n && number < 2n ** 63n ? number : null;
}
/** What `/random_image` is asked for. @param {Request} request @param {Query} query */
export function wishOf({ headers }, query) {
  const { type, orientation: asked, seed, form = "image" } = Object.fromEntries(query);
  const album = albumOf(query);
  const device = headers.get("Sec-CH-UA-Mobile") ?? headers.get("User-Agent") ?? "";
  const fitting = /^\?1$|Mobi/.test(device) ? "portrait" : "landscape";
  const ofType = type === undefined ? "" : type === "pc" ? "landscape" : "portrait";
  const orientation = asked === "auto" ? fitting : (asked ?? ofType);
  const wrong =
    (type !== undefined && type !== "pc" && type !== "mobile" && "type") ||
    (asked === null && "orientation") ||
    ((seed === null || (seed && [...seed].length > 200)) && "seed") ||
    (asked !== undefined && !ORIENTATION.test(orientation) && "orientation") ||
    (album === null && "album") ||
    (!["image", "json", "redirect", "text"].includes(form ?? "") && "form");
  if (wrong) return refuse(400, `Invalid ${wrong}`);
  return { orientation, album: album ?? undefined, seed: seed ?? undefined, form, asked };
}
// --- Pictures' bytes --------------------------------------------------------
export const IMAGES = "randomimg/";

/** `caching` is null for what is another picture the next time.
 * @param {Request} request @param {Found} found @param {string | null} caching */
export async function deliver(request, { name, tag, size, open }, caching) {
  const headers = new Headers({ "Cache-Control": caching ?? NO_STORE });
  let range = null;
  if (caching !== null) {
    headers.set("ETag", `"${name}"`);
    headers.set("Cache-Tag", tag);
    const known = request.headers.get("If-None-Match")?.split(",") ?? [];
    if (known.some((one) => [`"${name}"`, `W/"${name}"`, "*"].includes(one.trim())))
      return new Response(null, { status: 304, headers });
    headers.set("Accept-Ranges", "bytes");
    if (request.method === "GET") range = rangeOf(request, name, size);
    if (range && range.first > range.last)
      return refuse(416, "Range not satisfiable", { "Content-Range": `bytes */${size}` });
  }
  headers.set("Content-Type", "image/webp");
  headers.set("Content-Disposition", `inline; filename="${name}.webp"`);
  const isHead = request.method === "HEAD";
  if (isHead) headers.set("Content-Length", String(size));
  if (isHead) return new Response(null, { headers });
  const body = await open(range);
  if (body instanceof Response) return body;
  const { first, last } = range ?? { first: 0, last: size - 1 };
  if (range) headers.set("Content-Range", `bytes ${first}-${last}/${size}`);
  // From STORE to the Worker, a length is not in the headers.
  else if (caching) headers.set("X-Size", String(size));
  return new Response(sized(body, last - first + 1), { status: range ? 206 : 200, headers });
}
/** Null for all of it; one beyond the picture ends before it begins.
 * @param {Request} request @param {string} name @param {number} size @returns {Part | null} */
function rangeOf(request, name, size) {
  const asked = /^bytes=\s*(?=-?\d)(\d*)-(\d*)\s*$/i.exec(request.headers.get("Range") ?? "");
  const version = request.headers.get("If-Range");
  if (!asked || (version !== null && version.trim() !== `"${name}"`)) return null;
  const [, first = "", last = ""] = asked;
  if (first === "") return { first: Math.max(size - Number(last), 0), last: size - 1 };
  if (last !== "" && Number(first) > Number(last)) return null;
  return { first: Number(first), last: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}
/** A body with a `Content-Length`. @param {Bytes} body @param {number} size */
export const sized = (body, size) =>
  body instanceof ReadableStream ? body.pipeThrough(new FixedLengthStream(size)) : body;
/** An object elsewhere. @param {string} url @param {number} size @returns {Place} */
export function placeAt(url, size) {
  const open = async (/** @type {Part | null} */ part) => {
    const init = part ? { headers: { Range: `bytes=${part.first}-${part.last}` } } : {};
    const answer = await send(url, init, 10 * SECOND);
    return answer?.status === (part ? 206 : 200) ? answer.body : offline();
  };
  return { size, sum: "", open };
}
// --- The list of pictures ---------------------------------------------------
const [PARTS, TYPE] = [32, "image/webp"];
const numberOf = (/** @type {string} */ hash) => Number.parseInt(hash.slice(0, 2), 16) >> 3;
/** Newest first, then by hash. @param {Row} one @param {Row} other */
function inOrder(one, other) {
  if (one[1] !== other[1]) return one[1] < other[1] ? 1 : -1;
  return one[0] < other[0] ? -1 : 1;
}

/** The rows. A part is read when it is first needed. */
export class Pictures {
  constructor(/** @type {(part: number) => Row[]} */ read) {
    this.read = read;
    this.parts = /** @type {(Map<string, Row> | undefined)[]} */ (Array(PARTS).fill(undefined));
    this.sorted = /** @type {Row[] | null} */ (null);
    this.index = /** @type {Index | null} */ (null);
  }
  /** @param {number} number @returns {Map<string, Row>} */
  part(number) {
    this.parts[number] ??= new Map(this.read(number).map((row) => [row[0], row]));
    return this.parts[number];
  }
  /** The row of a picture, by its hash or by a second name. @param {string} hash */
  find(hash) {
    return this.part(numberOf(hash)).get(hash) ?? this.all().names.get(hash);
  }
  /** All rows by class (`*`, `landscape`, `/cats`, `landscape/cats`), newest first. */
  all() {
    if (this.index) return this.index;
    const each = this.sorted ?? this.parts.flatMap((_, part) => [...this.part(part).values()]);
    this.sorted = each.sort(inOrder);
    const index = { classes: new Map([["*", each]]), names: new Map() };
    for (const row of each) {
      const [, , width, height, , , , , album, , names = []] = row;
      const orientation = ["portrait", "square", "landscape"][Math.sign(width - height) + 1] ?? "";
      const classes = album === null ? [] : [`/${album}`, `${orientation}/${album}`];
      for (const name of [orientation, ...classes]) {
        const rows = index.classes.get(name);
        if (rows) rows.push(row);
        else index.classes.set(name, [row]);
      }
      for (const name of names) index.names.set(name, row);
    }
    this.index = index;
    return index;
  }
  /** The pictures of a class, newest first. @param {string} orientation @param {string} [album] */
  of(orientation, album) {
    const name = album === undefined ? orientation || "*" : `${orientation}/${album}`;
    return this.all().classes.get(name) ?? [];
  }
  /** One of a class: each equally likely, or the first whose hash is at or after the sum of a seed,
   * around the ring. @param {string} orientation @param {string} [album] @param {string} [seed] */
  async draw(orientation, album, seed) {
    const sum = seed === undefined ? "" : (await sha256(seed)).slice(0, 32);
    const rows = this.of(orientation, album);
    if (!sum || rows.length === 0) return rows[Math.floor(Math.random() * rows.length)];
    return rows.reduce((first, row) => {
      const isAfter = row[0] >= sum;
      return (isAfter === first[0] >= sum ? row[0] < first[0] : isAfter) ? row : first;
    });
  }
  /** The list after a change, and its changed parts. @param {Row[]} put @param {string[]} gone */
  after(put, gone) {
    const next = new Pictures(this.read);
    const touched = new Set([...gone, ...put.map(([hash]) => hash)]);
    const changed = new Set([...touched].map(numberOf));
    next.parts = this.parts.map((part, number) =>
      changed.has(number) ? new Map(this.part(number)) : part,
    );
    for (const hash of gone) next.part(numberOf(hash)).delete(hash);
    for (const row of put) next.part(numberOf(row[0])).set(row[0], row);
    // Nearly in order, so that the next sort is quick.
    const newest = new Map(put.map((row) => [row[0], row])).values();
    next.sorted = this.sorted && [...newest, ...this.sorted.filter(([hash]) => !touched.has(hash))];
    return { next, changed };
  }
}
/** `/images/list` @param {Pictures} pictures @param {Query} parameters */
export function listOf(pictures, parameters) {
  const page = wholeNumber(parameters, "page", "1");
  if (page === null) return refuse(400, "Invalid page");
  const asked = wholeNumber(parameters, "limit", "10");
  if (asked === null) return refuse(400, "Invalid limit");
  const limit = asked > 100n ? 100n : asked;
  const album = albumOf(parameters);
  if (album === null) return refuse(400, "Invalid album");
  const rows = pictures.of("", album);
  const start = Number((page - 1n) * limit);
  const isDetailed = parameters.get("detail") === "1";
  const images = rows.slice(start, start + Number(limit)).map((row) => {
    const [hash, createdAt, width, height, size, animated, color, thumbhash] = row;
    if (!isDetailed) return { contentType: TYPE, createdAt, hash };
    return { animated, color, contentType: TYPE, createdAt, hash, height, size, thumbhash, width };
  });
  // Not from numbers: a large page number would be rounded.
  const pagination = `{"current":${page},"size":${limit},"total":${rows.length}}`;
  return json(200, `{"images":${JSON.stringify(images)},"pagination":${pagination}}`);
}
// --- What the service tells -------------------------------------------------
/** The parts that come only where they changed. */
export const PARTS_OF_SYNC = ["presence", "game", "devices", "settings", "widget"];
// Of values as JSON.
const [HASH, NUMBER, TRUTH] = [/^"[0-9a-f]{32}"$/, /^\d{1,20}$/, /^(true|false)$/];
const [OBJECT, MAYBE_TEXT, PLACE] = [/^\{/, /^("|null$)/, /^"(disk|s3|edge)"$/];
const MAYBE_USER = /^(null$|\{.*"discord_user":\{[^}]*"id":")/;
const TIME = /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/;
const PREVIEW = [TRUTH, MAYBE_TEXT, MAYBE_TEXT, MAYBE_TEXT];
const ROW = { ...[HASH, TIME, NUMBER, NUMBER, NUMBER, ...PREVIEW, PLACE], "10?": [HASH] };
const BOTH = { now: OBJECT, over: OBJECT };
const LIMITS = { requests_per_second: NUMBER, burst: NUMBER };
const STORAGE = { delivery: /^"(redirect|direct)"$/, storage: PLACE, storage_url: MAYBE_TEXT };
const PRESENCE = {
  check: OBJECT,
  check_over: OBJECT,
  lanyard: MAYBE_USER,
  lanyard_over: MAYBE_USER,
};
const LIST = /^-?\d{1,20}$/; // Below zero where it is not whole yet.
/** With a `?` after the names of what may be left out; a list has the shape of each. */
const SYNC = {
  ...{ service: HASH, "replaces?": HASH, state: /^"(running|paused|asleep|stopped)"$/ },
  ...{ valid_until: NUMBER, address: MAYBE_TEXT, "presence?": PRESENCE, "game?": BOTH },
  "devices?": [{ until: /^(\d{1,15}|null)$/, ...BOTH }],
  ...{ "settings?": { ...STORAGE, ...LIMITS }, "widget?": /^"/, "counted?": NUMBER },
  images: { from: LIST, to: LIST, "put?": [ROW], "delete?": [HASH], "more?": TRUTH },
};
/** @param {any} value @param {any} shape @returns {boolean} */
function fits(value, shape) {
  if (shape instanceof RegExp) return shape.test(JSON.stringify(value) ?? "");
  if (Array.isArray(shape))
    return Array.isArray(value) && value.every((one) => fits(one, shape[0]));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(shape).every(([key, part]) => {
    const name = key.replace("?", "");
    return (name !== key && value[name] === undefined) || fits(value[name], part);
  });
}
/** Whether this is a sync. @param {unknown} value @returns {value is Sync} */
export const isSync = (value) => fits(value, SYNC);
// --- Badges and the card ----------------------------------------------------
const [BADGE_TEXT, CARD_TEXT, MARGIN, TITLE] = [240, 252, 6, 16];
const FONTS =
  "Verdana,'DejaVu Sans','Noto Sans SC','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif";
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const SEGMENTS = new Intl.Segmenter("und", { granularity: "grapheme" });
const UNDRAWN =
  /(?![\u115f\u2d7f\uff9e\uff9f])[\p{DI}\p{Grapheme_Extend}\u1160-\u11ff\ud7b0-\ud7fb\u0605\u070f\u0890\u0891\u08e2\ua8fa]/u;
const WIDE =
  /(?!\p{RI})[\p{EPres}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;
const EMOJI =
  /\p{Emoji}\ufe0f|\p{Extended_Pictographic}.*\u200d.*\p{Extended_Pictographic}|\p{EBase}\p{EMod}|\p{RI}{2}/su;
// The advances of DejaVu Sans 2.37 in thousandths of the font's size, after `@` from another character
// on; `*` is for how often. widths.rs has the same, and the licence.
const ADVANCES = `
@20 318 401 460 838 636 950 780 275 390*2 500 838 318 361 318 337 636*10 337*2 838*3 531 1000 684
686 698 770 632 575 775 752 295*2 656 557 863 748 787 603 787 695 635 611 732 684 989 685 611 685
390 337 390 838 500*2 613 635 550 635 615 352 635 634 278*2 579 278 974 634 612 635*2 411 521 392
634 592 818 592*2 525 636 337 636 838 @a0 318 401 636*4 337 500*2 1000 471 612 838 @ae 1000 500*2
838 401*2 500 636*2 318 500 401 471 612 969*3 531 684*6 974 698 632*4 295*4 775 748 787*5 838 787
732*4 611 605 630 613*6 982 550 615*4 278*4 612 634 612*5 838 612 634*4 592 635 592 684,613*3
698,550*4 770 635 775 635 632,615*5 775,635*4 752 634 916 695 295,278*5 590 556 295 278 656 579*2
557,278*2 557 375 557 342 562 284 748,634*3 813 748 634 787,612*3 1070 1023 695,411*3 635,521*4
611,392*3 732,634*6 989 818 611 592 611 685,525*3 352 @1a0 913 612 @1af 858 634 @1cd 684 613 295
278 787 612 732,634*5 @218 635 521 611 392 @391 684 686 557 684 632 685 752 787 295 656 684 863 748
632 787 752 603 @3a3 632 611*2 787 685 787 764 295 611 659 541 634 338 579 659 638 592 612 541 544
634 612 338 589 592 636 559 558 612 602 635 587 634 602 579 660 578 660 837 338 579 612 579 837
@400 632*2 786 610 698 635 295*3 1094 1045 786 710 748 609 752 684 686*2 610 781 632 1077 641 748*2
710 752 863 752 787 752 603 698 611 609 861 685 776 686 1069 1094 833 882 686 698 1080 695 613 617
589 525 691 615 901 532 650*2 604 639 754 654 612 654 635 550 583 592 855 592 681 591 915 942 707
790 589 549 842 602 615*2 625 525 549 521 278*3 902 898 652 604 650 592 654 @490 610 525 @1ea0
684,613*12 632,615*8 295,278*2 787,612*7 913,612*5 732,634*2 858,634*5 611,592*4 @2010 361*2 636
500 1000*2 500*2 318*4 518*4 500*2 590*2 334 667 1000 318 @2030 1342 1735 227 374 520 227 374 520
339 400*2 @20ac 636 @2122 1000`;
const WIDTH_OF = new Map();
for (const row of ADVANCES.split("@").slice(1)) {
  const [first = "", ...parts] = row.split(/\s+/).filter(Boolean);
  const widths = parts.flatMap((part) => {
    const [some = "", times = 1] = part.split("*");
    return Array(Number(times)).fill(some.split(",").map(Number)).flat();
  });
  for (const [n, width] of widths.entries()) WIDTH_OF.set(Number.parseInt(first, 16) + n, width);
}

/** @param {string} path @param {Check} check @param {Query} query @param {string} caching */
export function badgeAt(path, check, query, caching) {
  const label = oneLine(query.get("label") ?? "", 64);
  const isDark = query.get("theme") === "dark";
  const isChinese = query.get("lang")?.startsWith("zh");
  const isOn = check.alive && check.applicationOnline !== false;
  const words = isChinese ? ["离线", "离开", "在线"] : ["Offline", "Away", "Online"];
  const state = words[isOn ? 2 : Number(check.alive)] ?? "";
  const { application = "", introduce = "", rgba = "" } = isOn ? check : {};
  const parts = /^(\d+),(\d+),(\d+)/.exec(rgba)?.slice(1).map(Number) ?? [255, 180, 84];
  const colour = (isOn ? parts : [139, 144, 153]).map((part) => part.toString(16).padStart(2, "0"));
  const shown = { title: application || state, introduce, state, colour: `#${colour.join("")}` };
  const name = label || (isChinese ? "状态" : "status");
  if (path === "/badge.json") {
    const body = { color: shown.colour, label: name, message: shown.title, schemaVersion: 1 };
    return json(200, body, { "Cache-Control": caching });
  }
  const drawn = path === "/badge.svg" ? badge(shown, name, isDark) : card(shown, label, isDark);
  return text(drawn, "image/svg+xml", caching, { "Content-Security-Policy": POLICY });
}
/** @param {Shown} shown @param {string} name @param {boolean} isDark */
function badge({ title, colour }, name, isDark) {
  const [ground, ink] = isDark ? ["#2f343d", "#f2f3f5"] : ["#e6e8eb", "#24272d"];
  const [label, message] = [cut(name, 11, BADGE_TEXT), cut(title, 11, BADGE_TEXT)];
  const [left, right] = [label.width + 2 * MARGIN, message.width + 2 * MARGIN];
  const whole = left + right;
  const said = `${escaped(label.words)}: ${escaped(message.words)}`;
  const parts = `<rect width="${left}" height="20" fill="${ground}"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>`;
  const texts = at(label, MARGIN, 14, ink) + at(message, left + MARGIN, 14, inkOn(colour));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="20" viewBox="0 0 ${whole} 20" role="img" aria-label="${said}"><clipPath id="r"><rect width="${whole}" height="20" rx="4"/></clipPath><g clip-path="url(#r)">${parts}</g><g font-family="${FONTS}">${texts}</g></svg>`;
}
/** @param {Shown} shown @param {string} label @param {boolean} isDark */
function card(shown, label, isDark) {
  const [ground, edge, ink, faint] = isDark
    ? ["#1d2026", "#343943", "#f2f3f5", "#a3a9b4"]
    : ["#ffffff", "#dcdfe4", "#1d2026", "#5c6470"];
  const heading = label ? `${label} · ${shown.state}` : shown.state;
  // Without a description the two other lines stand in the middle.
  const down = shown.introduce ? 0 : 12;
  // Offline and away have one line alone.
  const title = shown.title === shown.state ? "" : shown.title;
  const line = (/** @type {[string, number, number, string?]} */ [words, y, size, fill]) =>
    words && at(cut(words, size, CARD_TEXT), 48, y, fill);
  const lines = line([heading, title ? 30 + down : 53, 12, faint]);
  const others = line([title, 53 + down, TITLE, ink]) + line([shown.introduce, 75, 12, faint]);
  const said = `${escaped(heading)}: ${escaped(shown.title)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="96" viewBox="0 0 320 96" role="img" aria-label="${said}"><rect x=".5" y=".5" width="319" height="95" rx="12" fill="${ground}" stroke="${edge}"/><circle cx="26" cy="48" r="8" fill="${shown.colour}"/><g font-family="${FONTS}">${lines}${others}</g></svg>`;
}
/** Black or white, by the luminance of WCAG 2.2. @param {string} colour `#rrggbb` */
function inkOn(colour) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const channel = Number.parseInt(colour.slice(place, place + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  // Where the contrast with both is the same, 4.6.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
const clusters = (/** @type {string} */ words) =>
  Array.from(SEGMENTS.segment(words), ({ segment }) => segment);
/** A text as far as it fits, with an ellipsis where it is cut.
 * @param {string} whole @param {number} size @param {number} longest @returns {Line} */
function cut(whole, size, longest) {
  const of = (/** @type {string} */ cluster) => advance(cluster) * size;
  const width = (/** @type {string} */ words) =>
    Math.ceil(clusters(words).reduce((sum, cluster) => sum + of(cluster), 0));
  // As it is drawn: a run of spaces is one.
  let words = whole.replace(/[ \t\n\f\r]+/g, " ").replace(/^ | $/g, "");
  if (width(words) > longest) {
    let [room, kept] = [longest - of("…"), ""];
    for (const cluster of clusters(words)) {
      room -= of(cluster);
      if (room >= 0) kept += cluster;
    }
    words = `${kept.trimEnd()}…`;
  }
  return { words, width: width(words), size };
}
/** Drawn from this point of the baseline. Marks that stack are cut off at the edges of the `<svg>`.
 * @param {Line} line @param {number} x @param {number} baseline @param {string} [fill] */
function at({ words, width, size }, x, baseline, fill) {
  const stroke = size === TITLE ? 0.6 : 0;
  const rise = size * 1.2;
  const box = `x="${x - MARGIN}" y="${(baseline - rise).toFixed(1)}" width="${width + 2 * MARGIN}" height="${(size * 1.7).toFixed(1)}"`;
  return `<svg ${box}><text x="${MARGIN}" y="${rise.toFixed(1)}" textLength="${width}" lengthAdjust="spacingAndGlyphs" unicode-bidi="plaintext" font-size="${size}" fill="${fill}" stroke="${fill}" stroke-width="${stroke}">${escaped(words)}</text></svg>`;
}
const escaped = (/** @type {string} */ words) =>
  words.replace(
    /[&<>"']/g,
    (sign) => `&${["amp", "lt", "gt", "quot", "#x27"]["&<>\"'".indexOf(sign)]};`,
  );
/** How many cells of a terminal a text has: the crate unicode-width. @param {string} words */
function cellsOf(words) {
  if (EMOJI.test(words)) return 2;
  const of = (/** @type {string} */ sign) => (UNDRAWN.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1);
  // An emoji that is drawn as a text.
  const plain = words.replace(/\p{EPres}\ufe0e/gu, "x");
  return [...plain].reduce((sum, sign) => sum + of(sign), 0);
}
/** As a part of the font's size. @param {string} cluster what a reader sees as one character */
function advance(cluster) {
  const first = cluster.codePointAt(0) ?? 0;
  const parts = cluster.split("\u200d");
  let cells = cellsOf(cluster);
  // A soft hyphen and its like; vowels of Hangul have no width either, but are drawn alone.
  if (cells === 0 && !/[\p{Alphabetic}\p{N}]/u.test(cluster)) return 0;
  // No font joins more than four emoji to one; what it does not join is drawn narrower.
  if (cells === 2 && parts.length > 4) cells = parts.reduce((sum, part) => sum + cellsOf(part), 0);
  cells = Math.max(cells, 1);
  const measured = WIDTH_OF.get(first);
  if (measured !== undefined && cells === 1) return measured / 1000;
  const isChinese = (first >= 0x2e80 && first <= 0xffef) || first >= 0x20000;
  return cells * (isChinese ? 0.5 : 0.65);
}
