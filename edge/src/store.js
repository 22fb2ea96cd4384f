// STORE: one Durable Object with SQLite, which only the Worker reaches. It has checked signatures.

// biome-ignore format: one list
import { badgeAt, DAY, decoded, deliver, endpointOf, IMAGES, isSync, json, LARGEST, listOf, NO_STORE, noImage, notFound, offline, PARTS_OF_SYNC, Pictures, parametersOf, pictureOf, placeAt, redirect, refuse, SECOND, SIGNATURE, SIGNED_FOR, sha256, sized, sleep, text, wishOf } from "./answers.js";

const [GAME_FOR, REACHED_FOR] = [180 * SECOND, 90 * SECOND]; // After a sync.
const SOCKETS = 300; // An address has an eighth.
const [SILENT_FOR, SUBSCRIBES_WITHIN] = [60 * SECOND, 10 * SECOND]; // A socket.
const [LONGEST, MOST_MESSAGES] = [4096, 120]; // Bytes of a message; of a reader in SILENT_FOR.
const [MOST_READERS, MOST_PICTURES] = [100_000, 10_000]; // Of a day, and of a batch of counts.
const BYTES_PER_ROW = 1_900_000;
const LARGE_READS = 16; // At a time, of objects with more than one row.
const [TURN_EVERY, TURN_WITHIN, TAKEN_WITHIN] = [100, 5 * SECOND, 60 * SECOND]; // The last: a row.
const COUNTS = "counts";
const SCHEMA = `CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, value TEXT);
  -- List 0 is the whole one, by parts; list 1 has the calls of an unfinished new one.
  CREATE TABLE IF NOT EXISTS pictures (list INTEGER, number INTEGER, rows TEXT,
    PRIMARY KEY (list, number)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS objects (key TEXT, number INTEGER, time INTEGER, size INTEGER,
    sha256 TEXT, bytes BLOB, PRIMARY KEY (key, number)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deleted ON objects (time) WHERE number = 0 AND size IS NULL`;
const nothing = () => ({ calls: new Map(), pictures: new Map() });
/** With a header, since others on the way may answer 404, too. */
const absent = () => json(404, { error: "Resource not found" }, { [SIGNATURE]: "absent" });

export class Store {
  constructor(/** @type {State} */ state, /** @type {Env} */ env) {
    this.context = state;
    this.storage = state.storage;
    this.bucket = env.BUCKET;
    // Answered without waking this object.
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair('{"op":3}', '{"op":3}'));
    this.lastChange = /** @type {Promise<unknown>} */ (Promise.resolve());
    this.isSaveDue = false;
    /** Until when a reader has used up its rate. @type {Map<string, number>} */
    this.rates = new Map();
    this.reads = 0;
    this.counts = /** @type {Counts} */ ({ days: [], readers: new Set(), closed: 0, ...nothing() });
    this.isUsed = this.sql("SELECT 1 FROM sqlite_master WHERE name = 'state'").length > 0;
    const [row] = this.isUsed ? this.sql("SELECT value FROM state") : [];
    this.synced = /** @type {Synced | null} */ (row ? JSON.parse(row.value) : null);
    const part = "SELECT rows FROM pictures WHERE list = 0 AND number = ?";
    const read = (/** @type {number} */ number) =>
      this.sql(part, number).flatMap(({ rows }) => JSON.parse(rows));
    this.pictures = this.synced?.images === undefined ? null : new Pictures(read);
    state.blockConcurrencyWhile(async () => {
      if (this.isUsed) this.counts = (await this.storage.get(COUNTS)) ?? this.counts;
      const { closed = 0 } = this.synced ?? {};
      // These are in a batch by now.
      if (this.counts.closed !== closed) Object.assign(this.counts, { ...nothing(), closed });
    });
  }
  async fetch(/** @type {Request} */ request) {
    const url = new URL(request.url);
    const { headers, method } = request;
    const path = url.pathname;
    if (path === "/-/reach") return json(200, this.reach());
    if (path === "/-/count") return json(200, this.count(await request.json()) ?? {});
    if (path.startsWith("/-/")) this.count(["", "", ""]);
    if (path === "/-/sync") return this.sync(request);
    const key = path.startsWith("/-/store") ? path.slice("/-/store/".length) : null;
    if (key === "") return this.list(url);
    if (key && /^(PUT|DELETE)$/.test(method)) return this.change(key, request);
    if (key) return this.get(key, method);
    const reader = headers.get("X-Reader") ?? "";
    const wait = headers.has("X-Offline") ? 0 : this.waitOf(reader);
    const answer = wait
      ? refuse(429, "Too many requests", { "Retry-After": String(wait) })
      : await this.answer(request, url, reader);
    const hash = answer.headers.get("X-Hash") ?? "";
    // What is passed on is counted by the service.
    if (!answer.headers.has("X-Pass")) this.count([wait ? "" : endpointOf(url), hash, reader]);
    return answer;
  }
  sql(/** @type {string} */ query, /** @type {SqlValue[]} */ ...values) {
    return this.storage.sql.exec(query, ...values).toArray();
  }
  // --- What readers are answered ---------------------------------------------
  /** @param {Request} request @param {URL} url @param {string} from @returns {Promise<Response>} */
  async answer(request, url, from) {
    const { synced, pictures } = this;
    if (!synced) return offline();
    const query = parametersOf(url);
    const path = url.pathname;
    const isOver = this.isOver();
    const { presence, game, devices, at } = synced;
    // What has ended there is as the service shows it, while it is there.
    const isAsThere = synced.state === "running" && presence.check.alive === false;
    const isShown = !isOver || (isAsThere && Date.now() - at <= REACHED_FOR);
    const check = isShown ? presence.check : presence.check_over;
    if (path === "/check") return json(200, check);
    if (path === "/game_status")
      return json(200, this.isOver((at + GAME_FOR) / SECOND) ? game.over : game.now);
    const shown = devices.map(({ until, now, over }) => (this.isOver(until) ? over : now));
    if (path === "/devices") return json(200, { devices: shown });
    if (path === "/widget.js")
      return text(synced.widget, "text/javascript", "public, max-age=3600");
    // An image proxy keeps what it got last, so it asks again soon.
    if (/^\/(badge|card)\./.test(path))
      return badgeAt(path, check, query, isOver ? "max-age=60" : "no-cache");
    if (path === "/socket") return this.open(request, from);
    if (path.startsWith("/v1/")) return this.user(decoded(path.slice("/v1/users/".length)));
    const asked = pictureOf(url);
    if (asked) return this.image(request, asked);
    if (!pictures) return offline();
    if (path === "/images/count") return json(200, { count: pictures.of("").length });
    if (path === "/images/list") return listOf(pictures, query);
    return this.random(request, url, pictures);
  }
  user(/** @type {string | null} */ id) {
    const data = this.lanyard();
    if (!data) return notFound();
    if (data.discord_user.id === id) return json(200, { data, success: true });
    const message = "User is not being monitored by Lanyard";
    return json(404, { error: { code: "user_not_monitored", message }, success: false });
  }
  /** Whether presence is over, or what holds until then. @param {number | null} [until] */
  isOver(until = this.synced?.valid_until ?? 0) {
    const isRunning = this.synced?.state === "running";
    return !isRunning || (until !== null && Date.now() > until * SECOND);
  }
  /** What Lanyard's clients see; null where that is off. */
  lanyard() {
    const { presence } = this.synced ?? {};
    return (this.isOver() ? presence?.lanyard_over : presence?.lanyard) ?? null;
  }
  /** Where the service is; null while it is off. */
  reach() {
    const { state = "", at = 0, address = null } = this.synced ?? {};
    const isOn = /running|paused/.test(state) && Date.now() - at <= REACHED_FOR;
    return { isThere: isOn, address };
  }
  /** What the service is asked for. Where it does not answer, the Worker asks again. */
  passed(/** @type {Request} */ request) {
    if (request.headers.has("X-Offline")) return offline();
    return new Response(null, { headers: { "X-Pass": "1" } });
  }
  /** @param {Request} request @param {Asked} asked */
  async image(request, { hash, width, caching }) {
    const row = this.pictures?.find(hash);
    // One that has just come is not told yet, and the service has it.
    const isOff = request.headers.has("X-Offline") && this.synced?.settings.storage === "edge";
    if (!row) return isOff && this.pictures ? noImage() : this.passed(request);
    const narrower = width && row[2] > Number(width.slice(2)) ? width : "";
    let answer = await this.picture(request, row, hash, narrower, caching);
    // Better the whole picture than none. It must not stay under the narrower one's address.
    if (!answer && narrower && request.headers.has("X-Offline"))
      answer = await this.picture(request, row, hash, "", null);
    if (answer?.status === 200 || answer?.status === 304) answer.headers.set("X-Hash", row[0]);
    return answer ?? this.passed(request);
  }
  /** Null where the service has to be asked. @param {Request} request @param {Row} row
   * @param {string} name @param {string} width @param {string | null} caching */
  async picture(request, row, name, width, caching) {
    const [hash, , , , size, , , , , place] = row;
    const key = `${IMAGES}${hash}${width}.webp`;
    const { delivery, storage_url: url } = this.synced?.settings ?? {};
    if (place === "disk" || (place === "s3" && !url)) return null;
    // Whether a narrower one is there, only the service knows.
    if (place === "s3" && delivery === "redirect")
      return width ? null : redirect(`${url}/${key}`, caching ? "public, max-age=300" : NO_STORE);
    const isElsewhere = place === "s3" && !width;
    const found = isElsewhere ? placeAt(`${url}/${key}`, size) : await this.locate(key);
    return found && deliver(request, { ...found, name: name + width, tag: hash }, caching);
  }
  /** @param {Request} request @param {URL} url @param {Pictures} pictures */
  async random(request, url, pictures) {
    const wish = wishOf(request, parametersOf(url));
    if (wish instanceof Response) return wish;
    const { orientation, album, seed, form, asked } = wish;
    const isAny = asked === "auto" && pictures.of(orientation, album).length === 0;
    let answer = null;
    for (let tries = 0; !answer && tries < 5; tries += 1) {
      const row = await pictures.draw(isAny ? "" : orientation, album, seed);
      if (!row) return refuse(404, "No images available");
      const [hash, , width, height, , , , thumbhash] = row;
      const place = `${url.origin}/i/${hash}.webp`;
      if (form === "json") answer = json(200, { hash, height, thumbhash, url: place, width });
      else if (form === "redirect") answer = redirect(`/i/${hash}.webp`, NO_STORE);
      else if (form === "text") answer = text(place, "text/plain", NO_STORE);
      else answer = await this.picture(request, row, hash, "", null);
    }
    answer ??= this.passed(request);
    if (asked === "auto") answer.headers.set("Vary", "Sec-CH-UA-Mobile, User-Agent");
    return answer;
  }
  // --- What the service syncs ------------------------------------------------
  /** The bytes of a request, as they were signed; else the refusal. @param {Request} request */
  async bytesOf({ headers, body }) {
    const bytes = await new Response(body).arrayBuffer();
    if (bytes.byteLength > LARGEST) return refuse(413, "Object too large");
    const sum = await sha256(bytes);
    const expected = headers.get("X-Body") || (bytes.byteLength === 0 && sum);
    return expected === sum ? bytes : refuse(400, "Body does not match its SHA-256");
  }
  /** `POST /-/sync`: all of it counts, or nothing. @param {Request} request */
  async sync(request) {
    const bytes = await this.bytesOf(request);
    if (bytes instanceof Response) return bytes;
    const sync = await new Response(bytes).json().catch(() => null);
    if (!isSync(sync)) return refuse(400, "Invalid sync");
    const time = Number(request.headers.get("X-Time"));
    const old = this.synced;
    const { images, counted, replaces, ...parts } = sync;
    const { from, to, put = [], delete: gone = [], more = false } = images;
    const isOther = !!old && old.service !== sync.service;
    if (isOther && !(replaces === old.service && from === 0))
      return json(409, { service: old.service });
    // One that is too far ahead was signed by a clock that has been set since.
    if (old && old.time >= time && old.time <= Date.now() + SIGNED_FOR)
      return refuse(409, "A later request came first", { "X-Time": String(old.time) });
    // That of the unfinished list comes first: a list anew may have the number of the old one.
    const isAnew = from === 0 || from === old?.unfinished;
    if (!isAnew && from !== old?.images) return json(409, { images: old?.images ?? 0 });
    if ((!old || isOther) && !PARTS_OF_SYNC.every((part) => part in sync))
      return refuse(400, "Invalid sync");

    const batch = this.batchAfter(counted);
    const closed = batch?.id ?? old?.closed ?? 0;
    const about = { time, at: Date.now(), batch, closed };
    const next = /** @type {Synced} */ ({ ...old, ...parts, ...about });
    if (isAnew) next.unfinished = more ? to : undefined;
    if (!isAnew || !more) next.images = to;
    // The number of another service's list says nothing of this one's.
    else if (isOther) next.images = 0;
    const lost = gone.flatMap((hash) => [hash, ...(this.pictures?.find(hash)?.[10] ?? [])]);
    const list = this.storage.transactionSync(() => {
      if (!this.isUsed) this.sql(SCHEMA);
      this.sql("INSERT OR REPLACE INTO state VALUES (0, ?)", JSON.stringify(next));
      if (!isAnew) return this.written(this.pictures, put, gone);
      if (from === 0) this.sql("DELETE FROM pictures WHERE list = 1");
      const call = "SELECT 1, coalesce(max(number), -1) + 1, ? FROM pictures WHERE list = 1";
      this.sql(`INSERT INTO pictures ${call}`, JSON.stringify([put, gone]));
      if (more) return this.pictures;
      const rows = new Map();
      const calls = "SELECT rows FROM pictures WHERE list = 1 ORDER BY number";
      for (const call of this.storage.sql.exec(calls)) {
        const [added, deleted] = JSON.parse(call.rows);
        for (const hash of deleted) rows.delete(hash);
        for (const row of added) rows.set(row[0], row);
      }
      this.sql("DELETE FROM pictures");
      return this.written(null, [...rows.values()], []);
    });
    this.isUsed = true;
    if (batch && batch.id !== old?.batch?.id) Object.assign(this.counts, nothing());
    this.counts.closed = closed;
    const before = this.lanyard();
    this.pictures = list;
    this.synced = next;
    await this.push(before, old?.presence.lanyard_over);
    const { id = null, calls = {}, pictures = {} } = batch ?? {};
    const counts = { batch: id, calls, pictures, days: this.counts.days };
    return json(200, { images: to, counts }, { "X-Purge": lost.join() });
  }
  /** @param {Pictures | null} list @param {Row[]} put @param {string[]} gone */
  written(list, put, gone) {
    const { next, changed } = (list ?? new Pictures(() => [])).after(put, gone);
    for (const number of changed) {
      const part = JSON.stringify([...next.part(number).values()]);
      this.sql("INSERT OR REPLACE INTO pictures VALUES (0, ?, ?)", number, part);
    }
    return next;
  }
  // --- Objects: the bytes of pictures ----------------------------------------
  /** An object; null where there is none. @param {string} key @returns {Promise<Place | null>} */
  async locate(key) {
    const about = `SELECT size, sha256, time, bytes IS NOT NULL AS here FROM objects
      WHERE key = ? AND number = 0 AND size IS NOT NULL`;
    const [row] = this.isUsed ? this.sql(about, key) : [];
    if (!row?.here && !(row && this.bucket)) return null;
    const { size, time, here } = row;
    const open = async (/** @type {Part | null} */ part) => {
      const { first, last } = part ?? { first: 0, last: size - 1 };
      if (here) return this.read(key, time, first, last);
      const range = { offset: first, length: last - first + 1 };
      return (await this.bucket?.get(key, { range }))?.body ?? noImage();
    };
    return { size, sum: row.sha256, open };
  }
  /** Bytes of an object. More than one row are read one by one, as their reader takes them.
   * @param {string} key @param {number} time @param {number} first @param {number} last */
  async read(key, time, first, last) {
    const [start = 0, stop = 0] = [first, last].map((byte) => Math.floor(byte / BYTES_PER_ROW));
    let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
    const end = () => {
      if (timer) this.reads -= 1;
      clearTimeout(timer);
      timer = undefined;
    };
    let number = start;
    const query = "SELECT bytes FROM objects WHERE key = ? AND number = ? AND time = ?";
    const piece = () => {
      const [row] = this.sql(query, key, number, time);
      if (!row) end();
      if (!row) throw new Error("deleted meanwhile");
      const before = number * BYTES_PER_ROW;
      return new Uint8Array(row.bytes).subarray(Math.max(first - before, 0), last + 1 - before);
    };
    if (start >= stop) return piece();
    for (let waited = 0; this.reads >= LARGE_READS; waited += TURN_EVERY) {
      if (waited >= TURN_WITHIN) return refuse(503, "Too many reads", { "Retry-After": "5" });
      await sleep(TURN_EVERY);
    }
    this.reads += 1;
    timer = setTimeout(end, (stop - start + 1) * TAKEN_WITHIN);
    /** @type {UnderlyingDefaultSource<Uint8Array<ArrayBuffer>>} */
    const source = {
      pull(reader) {
        if (number <= stop && !timer) throw new Error("not taken in time");
        if (number <= stop) reader.enqueue(piece());
        else reader.close();
        if (number > stop) end();
        number += 1;
      },
      cancel: end,
    };
    return new ReadableStream(source, { highWaterMark: 0 });
  }
  /** The service's own read. @param {string} key @param {string} method */
  async get(key, method) {
    const found = await this.locate(key);
    if (!found) return absent();
    const { size, sum, open } = found;
    const headers = { "Content-Type": "application/octet-stream", "X-Sha256": sum };
    if (method === "HEAD")
      return new Response(null, { headers: { ...headers, "Content-Length": String(size) } });
    const body = await open(null);
    return body instanceof Response ? body : new Response(sized(body, size), { headers });
  }
  /** @param {URL} url */
  list({ searchParams }) {
    const { prefix = "", after = "", limit: most = 1_000 } = Object.fromEntries(searchParams);
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
  /** PUT and DELETE, one after the other. @param {string} key @param {Request} request */
  async change(key, request) {
    const bytes = await this.bytesOf(request);
    if (bytes instanceof Response) return bytes;
    const turn = this.lastChange.then(async () => {
      const time = Number(request.headers.get("X-Time"));
      const last = "SELECT time, size FROM objects WHERE key = ? AND number = 0";
      const [row] = this.isUsed ? this.sql(last, key) : [];
      if (row && row.time >= time)
        return refuse(409, "A later request came first", { "X-Time": String(row.time) });
      const bucket = key.startsWith(IMAGES) ? this.bucket : undefined;
      const isPut = request.method === "PUT";
      await (isPut ? bucket?.put(key, bytes) : bucket?.delete(key));
      // With its time alone an object is deleted, so that no older request brings it back.
      const [size, sum] = isPut ? [bytes.byteLength, await sha256(bytes)] : [null, null];
      const own = isPut && !bucket ? bytes : null;
      this.storage.transactionSync(() => {
        if (!this.isUsed) this.sql(SCHEMA);
        // No signature that is still valid is as old as these.
        const old = Date.now() - 2 * SIGNED_FOR;
        this.sql("DELETE FROM objects WHERE number = 0 AND size IS NULL AND time < ?", old);
        this.sql("DELETE FROM objects WHERE key = ?", key);
        const put = "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?)";
        for (let from = 0; from === 0 || from < (own?.byteLength ?? 0); from += BYTES_PER_ROW) {
          const piece = own?.slice(from, from + BYTES_PER_ROW) ?? null;
          this.sql(put, key, from / BYTES_PER_ROW, time, size, sum, piece);
        }
      });
      this.isUsed = true;
      const existed = typeof row?.size === "number";
      if (isPut) return json(existed ? 200 : 201, { key, size, sha256: sum });
      return existed ? json(200, { key }) : absent();
    });
    this.lastChange = turn.catch(() => {});
    return turn;
  }
  // --- Sockets ---------------------------------------------------------------
  /** A new socket. What is known of its reader is attached to it: this object may leave memory.
   * @param {Request} request @param {string} network */
  async open({ headers, method }, network) {
    if (!this.lanyard()) return notFound();
    if (method !== "GET" || !/^websocket$/i.test(headers.get("Upgrade") ?? ""))
      return refuse(400, "WebSocket required");
    const others = this.context.getWebSockets().filter((socket) => {
      const beat = this.context.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      const isSilent = Date.now() - Math.max(socket.deserializeAttachment().at, beat) > SILENT_FOR;
      if (isSilent) socket.close(1000, "no heartbeat");
      return !isSilent;
    });
    const own = others.filter((socket) => socket.deserializeAttachment().network === network);
    if (others.length >= SOCKETS || (network && own.length >= Math.floor(SOCKETS / 8)))
      return refuse(503, "Too many sockets", { "Retry-After": "60" });
    const { 0: webSocket, 1: socket } = new WebSocketPair();
    this.context.acceptWebSocket(socket);
    const reader = { network, hasAsked: false, isSubscribed: false, since: 0, messages: 0 };
    socket.serializeAttachment({ ...reader, at: Date.now() });
    socket.send('{"op":1,"d":{"heartbeat_interval":30000}}');
    setTimeout(() => {
      if (!socket.deserializeAttachment().hasAsked) socket.close(1000, "no subscription");
    }, SUBSCRIBES_WITHIN);
    await this.setAlarm();
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
    const now = this.lanyard();
    const isMeant =
      isNamed && (all === true || [many ?? one].flat().includes(now?.discord_user.id));
    const latest = socket.deserializeAttachment();
    const isSubscribed = isMeant ? op === 2 : latest.isSubscribed;
    socket.serializeAttachment({ ...latest, isSubscribed, hasAsked: true });
    if (op === 4) return;
    const found = now && isMeant ? { [now.discord_user.id]: now } : {};
    const state = many === undefined && one !== undefined ? (found[one] ?? {}) : found;
    socket.send(JSON.stringify({ op: 0, t: "INIT_STATE", d: state }));
  }
  webSocketClose(/** @type {Socket} */ socket) {
    socket.close();
  }
  /** Sends what has changed. All sockets end where Lanyard is off, or is about another owner.
   * @param {Presence | null} before @param {Presence | null} [end] */
  async push(before, end) {
    const now = this.lanyard();
    const isOther = now?.discord_user.id !== before?.discord_user.id;
    const update = JSON.stringify({ op: 0, t: "PRESENCE_UPDATE", d: isOther ? end : now });
    const isNew = JSON.stringify(now) !== JSON.stringify(before);
    for (const socket of isNew ? this.context.getWebSockets() : []) {
      const isOpen = socket.readyState === 1;
      if (isOpen && socket.deserializeAttachment().isSubscribed) socket.send(update);
      if (isOther) socket.close(1001, "");
    }
    await this.setAlarm();
  }
  /** Where there are sockets: wakes this object at the end of the presence. */
  async setAlarm() {
    const end = (this.synced?.valid_until ?? 0) * SECOND + 1;
    if (this.isOver() || this.context.getWebSockets().length === 0) return;
    if (end < ((await this.storage.getAlarm()) ?? Infinity)) await this.storage.setAlarm(end);
  }
  /** The presence has ended, or was renewed meanwhile. An end that was synced has been sent. */
  async alarm() {
    const { state, presence } = this.synced ?? {};
    const before = this.isOver() && state === "running" ? presence?.lanyard : this.lanyard();
    await this.push(before ?? null);
  }
  // --- Limits and counts -----------------------------------------------------
  /** Seconds that this reader has to wait, as at the service. @param {string} reader */
  waitOf(reader) {
    const { requests_per_second: rate, burst } = this.synced?.settings ?? {};
    if (!reader || !rate || !burst) return 0;
    const now = Date.now();
    const each = SECOND / rate;
    const until = Math.max(this.rates.get(reader) ?? 0, now) + each;
    const wait = until - now - burst * each;
    if (wait > 0.5) return Math.ceil(wait / SECOND);
    // The oldest come first. Who may send as many as at the beginning is forgotten.
    this.rates.delete(reader);
    this.rates.set(reader, until);
    for (const [other, end] of this.rates) {
      if (end > now) break;
      this.rates.delete(other);
    }
    return 0;
  }
  /** Counts a request. @param {CountedEvent} event */
  count([endpoint, hash, reader]) {
    const { counts } = this;
    const now = Date.now();
    const day = new Date(now).toISOString().slice(0, 10);
    let [today] = counts.days;
    if (today?.day !== day) {
      today = { day, requests: 0, readers: 0 };
      counts.days = [today, ...counts.days.slice(0, 30)];
      counts.readers = new Set();
    }
    today.requests += 1;
    const { count = 0 } = counts.calls.get(endpoint) ?? {};
    if (endpoint) counts.calls.set(endpoint, { count: count + 1, last: now });
    if (hash && (counts.pictures.size < MOST_PICTURES || counts.pictures.has(hash)))
      counts.pictures.set(hash, (counts.pictures.get(hash) ?? 0) + 1);
    // Twenty bits, each day other ones.
    const start = Math.floor(now / DAY) % 12;
    if (endpoint && reader && counts.readers.size < MOST_READERS)
      counts.readers.add(Number.parseInt(reader.slice(start, start + 5), 16));
    today.readers = counts.readers.size;
    if (!this.isUsed || this.isSaveDue) return;
    this.isSaveDue = true;
    // Until then this object stays in memory.
    setTimeout(() => {
      this.isSaveDue = false;
      // Where the plan's day is used up, pictures are sent nevertheless.
      this.storage.put(COUNTS, counts).catch(console.error);
    }, 60 * SECOND);
  }
  /** The batch of counts to report, once this one was added. @param {number} [added] */
  batchAfter(added) {
    const { batch, closed = 0 } = this.synced ?? {};
    if (batch && batch.id !== added) return batch;
    const { calls, pictures } = this.counts;
    if (calls.size === 0) return undefined;
    const id = Math.max(Date.now(), closed + 1);
    return { id, calls: Object.fromEntries(calls), pictures: Object.fromEntries(pictures) };
  }
}
