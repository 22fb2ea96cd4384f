// `/i/{hash}`, with and without a name, and `/images/{hash}`: from the edge cache, STORE, an R2 bucket,
// an object store elsewhere, or the service.

import { describe, expect, test } from "vitest";
import { startEdge } from "./harness/edge.ts";
import { serve } from "./harness/http.ts";
import { nameOf, row, SETTINGS, servedBy, startOwn } from "./harness/own.ts";
import { json } from "./harness/service.ts";

const WITH_CACHE = { cache: true };
const WITH_BUCKET = { r2Buckets: ["BUCKET"] };
const A_YEAR = "public, max-age=31536000, immutable, s-maxage=86400";
const REVALIDATED = "no-cache, s-maxage=86400";
const NAME = nameOf(1);
const OTHER = nameOf(2);
const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, place) => place % 251));
const NOT_FOUND = { error: "Image not found" };
const OFF = () => ({ status: 530, headers: { "X-Porchlight": "" } });

/** Bytes that differ by their place. */
function bytes(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, place) => (place * 7) % 253));
}

/** The Worker with a picture. */
async function start(options = {}, over = {}, content: Buffer | string = BYTES) {
  const own = await startOwn({}, options);
  await own.add([row(1, over)], () => content);
  return own;
}

describe("a picture", () => {
  test.each([
    `/i/${NAME}`,
    `/i/${NAME}.webp`,
    `/i/${NAME.toUpperCase()}.WEBP`,
    `/i/${NAME}/a-cat.webp`,
    `/i/${NAME}.webp/%E7%8C%AB.webp`,
  ])("is sent whole at %s", async (path) => {
    const { edge, service } = await start();
    const answer = await edge.get(path);
    expect(answer.status).toBe(200);
    expect(answer.body.equals(BYTES)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "ETag, Retry-After, Location",
      "cache-control": A_YEAR,
      "cache-tag": NAME,
      "content-disposition": `inline; filename="${NAME}.webp"`,
      "content-length": "1000",
      "content-type": "image/webp",
      etag: `"${NAME}"`,
      "x-content-type-options": "nosniff",
    });
    expect(service.asked).toEqual([]);
  });

  test("at /images is revalidated by browsers, and has no width", async () => {
    const { edge } = await start();
    const answer = await edge.get(`/images/${NAME}?w=7`);
    expect([answer.status, answer.body.length]).toEqual([200, 1000]);
    expect(answer.headers.get("Cache-Control")).toBe(REVALIDATED);
  });

  test("is known by its tag, but only while it is there", async () => {
    const { edge } = await start(WITH_CACHE);
    // The second time beside the whole picture in the cache.
    for (let times = 0; times < 2; times += 1) {
      if (times > 0) await edge.get(`/i/${NAME}`);
      if (times > 0) await expect.poll(() => edge.cached([NAME])).toEqual([NAME]);
      for (const known of [`"${NAME}"`, `W/"${NAME}"`, `"other", "${NAME}"`, "*"]) {
        const answer = await edge.get(`/i/${NAME}`, { headers: { "If-None-Match": known } });
        expect([answer.status, answer.text]).toEqual([304, ""]);
        expect(answer.headers.get("ETag")).toBe(`"${NAME}"`);
      }
      const other = await edge.get(`/i/${NAME}`, { headers: { "If-None-Match": '"other"' } });
      expect(other.status).toBe(200);
    }
    const gone = await edge.get(`/i/${OTHER}`, { headers: { "If-None-Match": `"${OTHER}"` } });
    expect(gone.status).toBe(404);
  });

  test.each([
    ["bytes=0-0", 0, 0],
    ["bytes=10-19", 10, 19],
    ["bytes=990-", 990, 999],
    ["bytes=990-5000", 990, 999],
    ["bytes=-10", 990, 999],
    ["bytes=-5000", 0, 999],
  ])("is sent in part for %s", async (range, first, last) => {
    const { edge } = await start(WITH_CACHE);
    for (let times = 0; times < 2; times += 1) {
      if (times > 0) await edge.get(`/i/${NAME}`);
      if (times > 0) await expect.poll(() => edge.cached([NAME])).toEqual([NAME]);
      const answer = await edge.get(`/i/${NAME}`, { headers: { Range: range } });
      expect(answer.status).toBe(206);
      expect(answer.headers.get("Content-Range")).toBe(`bytes ${first}-${last}/1000`);
      expect(answer.headers.get("Content-Length")).toBe(String(last - first + 1));
      expect(answer.body.equals(BYTES.subarray(first, last + 1))).toBe(true);
    }
  });

  test.each(["bytes=1000-", "bytes=-0"])("has no part %s", async (range) => {
    const { edge } = await start();
    const answer = await edge.get(`/i/${NAME}`, { headers: { Range: range } });
    expect([answer.status, answer.json()]).toEqual([416, { error: "Range not satisfiable" }]);
    expect(answer.headers.get("Content-Range")).toBe("bytes */1000");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  test.each([
    { Range: "bytes=0-1,5-6" },
    { Range: "bytes=9-3" },
    { Range: "bytes=-" },
    { Range: "lines=0-1" },
    { Range: "bytes=0-1", "If-Range": '"other"' },
    { Range: "bytes=0-1", "If-Range": `W/"${NAME}"` },
  ])("is sent whole for %j", async (headers) => {
    const { edge } = await start();
    const answer = await edge.get(`/i/${NAME}`, { headers: headers as Record<string, string> });
    expect([answer.status, answer.body.length]).toEqual([200, 1000]);
  });

  test("answers HEAD like GET, without its bytes and with no range", async () => {
    const { edge, service } = await start();
    const init = { method: "HEAD", headers: { Range: "bytes=0-1" } };
    const answer = await edge.get(`/i/${NAME}`, init);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers.get("Content-Length")).toBe("1000");
    expect(answer.headers.get("ETag")).toBe(`"${NAME}"`);
    service.answers = OFF;
    expect((await edge.get(`/i/${OTHER}`, init)).status).toBe(404);
  });

  test.each([1, 1_899_999, 1_900_000, 1_900_001, 3_800_000, 9_000_000])(
    "of %i bytes is sent whole and in parts",
    async (size) => {
      const whole = bytes(size);
      const { edge } = await start({}, {}, whole);
      const answer = await edge.get(`/i/${NAME}.webp`);
      expect([answer.status, answer.body.equals(whole)]).toEqual([200, true]);
      expect(answer.headers.get("Content-Length")).toBe(String(size));
      const cuts = [0, size - 1, 1_899_999, 1_900_000, 1_900_001, 3_799_999, 3_800_000];
      const places = cuts.filter((place) => place < size);
      for (const first of places)
        for (const last of places.filter((place) => place >= first)) {
          const headers = { Range: `bytes=${first}-${last}` };
          const part = await edge.get(`/i/${NAME}`, { headers });
          const isRight = part.body.equals(whole.subarray(first, last + 1));
          expect([first, last, part.status, isRight]).toEqual([first, last, 206, true]);
          expect(part.headers.get("Content-Length")).toBe(String(last - first + 1));
        }
    },
  );

  test("that is deleted is a 404 with the sync, although its bytes are still here", async () => {
    const { edge, sync } = await start();
    await sync({}, [], [NAME]);
    for (const path of [`/i/${NAME}`, `/images/${NAME}`]) {
      const answer = await edge.get(path);
      expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
    }
  });
});

describe("a name", () => {
  test("may be the second one of a picture", async () => {
    const own = await startOwn({}, WITH_CACHE);
    const { edge, put, sync } = own;
    const rows = [row(2, { names: [NAME, nameOf(3)] })];
    await own.add(rows, () => BYTES);
    await put(`randomimg/${OTHER}.w640.webp`, BYTES.subarray(0, 64));
    const whole = await edge.get(`/i/${NAME}.webp`);
    expect([whole.status, whole.body.length]).toEqual([200, 1000]);
    expect(whole.headers.get("ETag")).toBe(`"${NAME}"`);
    const disposition = `inline; filename="${NAME}.webp"`;
    expect(whole.headers.get("Content-Disposition")).toBe(disposition);
    expect((await edge.get(`/i/${NAME}.webp?w=640`)).body.length).toBe(64);
    const names = [NAME, `${NAME}.w640`];
    await expect.poll(() => edge.cached(names)).toEqual(names);
    // A deletion purges it under each of its names.
    await sync({}, [], [OTHER]);
    expect(await edge.cached(names)).toEqual([]);
    expect(new Set((await edge.seen()).purged)).toEqual(new Set([OTHER, NAME, nameOf(3)]));
    expect((await edge.get(`/i/${NAME}`)).status).toBe(404);
  });

  test.each([
    "/i/nothing",
    "/images/nothing",
    `/i/${NAME}.png`,
    `/i/${NAME}0`,
    "/i/%ff",
    `/i/${NAME}/a-cat`,
    `/i/${NAME}/a-cat.png?w=7`,
    "/i/nothing/a-cat.webp",
  ])("like %s is of no picture, and no server is asked", async (path) => {
    const { service, edge } = await start();
    const answer = await edge.get(path);
    expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(service.asked).toEqual([]);
  });

  test.each([`/images/${NAME}/x.webp`, `/i/${NAME}/x/y.webp`, "/i/", "/images/by-source/x"])(
    "like %s is the service's to answer",
    async (path) => {
      const { edge, service } = await start();
      expect((await edge.get(path)).headers.get("X-Porchlight")).toBe("1");
      expect(service.asked.map((asked) => asked.path)).toEqual([path]);
    },
  );

  test("that is unknown is the service's to answer, which has one that has just come", async () => {
    const { edge, service, sync } = await start(WITH_CACHE);
    service.answers = OFF;
    const off = await edge.get(`/i/${OTHER}.webp`);
    expect([off.status, JSON.parse(off.text)]).toEqual([404, NOT_FOUND]);
    service.answers = () => ({ headers: { ETag: '"own"' }, body: "from the service" });
    expect((await edge.get(`/i/${OTHER}.webp`)).text).toBe("from the service");
    await sync({ settings: { ...SETTINGS, storage: "disk" } });
    const answer = await edge.get(`/i/${OTHER}.webp`);
    expect([answer.status, answer.text]).toEqual([200, "from the service"]);
    expect(answer.headers.get("ETag")).toBe('"own"');
    // Browsers may keep it, a cache in front may not: no deletion would reach it there.
    expect(answer.headers.get("Cloudflare-CDN-Cache-Control")).toBe("no-store");
    expect(await edge.cached([OTHER])).toEqual([]);
    service.answers = OFF;
    expect((await edge.get(`/i/${OTHER}`)).status).toBe(503);
    expect((await edge.get(`/i/${NAME}`)).status).toBe(200);
  });
});

describe("a width", () => {
  test("comes from STORE", async () => {
    const { edge, put } = await start();
    await put(`randomimg/${NAME}.w640.webp`, BYTES.subarray(0, 64));
    for (const path of [`/i/${NAME}.webp?w=640`, `/i/${NAME}/x.webp?w=320&w=640`]) {
      const answer = await edge.get(path);
      expect([answer.status, answer.body.length]).toEqual([200, 64]);
      expect(answer.headers.get("ETag")).toBe(`"${NAME}.w640"`);
      const disposition = `inline; filename="${NAME}.w640.webp"`;
      expect(answer.headers.get("Content-Disposition")).toBe(disposition);
    }
  });

  test("that is not stored is asked of the service", async () => {
    const { edge, service, sync } = await start();
    service.answers = ({ path }) => (path.endsWith("?w=640") ? { body: "narrow" } : undefined);
    expect((await edge.get(`/i/${NAME}.webp?w=640`)).text).toBe("narrow");
    expect(service.asked.map(({ path }) => path)).toEqual([`/i/${NAME}.webp?w=640`]);
    // The service has counted it.
    expect((await sync()).calls).toEqual({});
  });

  test("that is not stored is the original while the service is off", async () => {
    const { edge, service, sync } = await start(WITH_CACHE);
    service.answers = OFF;
    const check = async () => {
      const headers = { Range: "bytes=0-1", "If-None-Match": "*" };
      const answer = await edge.get(`/i/${NAME}.webp?w=640`, { headers });
      expect([answer.status, answer.body.length]).toEqual([200, 1000]);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("ETag")).toBeNull();
    };
    await check();
    await sync({ state: "asleep" });
    const { length } = service.asked;
    await edge.ahead(2_500);
    await check();
    expect(service.asked.length).toBe(length);
    expect(await edge.cached([`${NAME}.w640`])).toEqual([]);
    const { calls, pictures } = await sync();
    expect(calls).toMatchObject({ "/i/{hash}": {} });
    expect(pictures[NAME]).toBeGreaterThan(0);
  });

  test.each([1, 400, 639, 640])("of %i pixels or more is the picture itself", async (width) => {
    const { edge, service } = await start(WITH_CACHE, { width });
    for (let times = 0; times < 2; times += 1) {
      const answer = await edge.get(`/i/${NAME}.webp?w=640`);
      expect([answer.status, answer.body.equals(BYTES)]).toEqual([200, true]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": A_YEAR,
        "cache-tag": NAME,
        "content-disposition": `inline; filename="${NAME}.webp"`,
        "content-length": "1000",
        etag: `"${NAME}"`,
      });
      await expect.poll(() => edge.cached([`${NAME}.w640`])).toEqual([`${NAME}.w640`]);
    }
    const known = { "If-None-Match": `"${NAME}"` };
    expect((await edge.get(`/i/${NAME}?w=640`, { headers: known })).status).toBe(304);
    expect(service.asked).toEqual([]);
  });

  test("of 641 pixels is asked of the service", async () => {
    const { edge, service } = await start({}, { width: 641 });
    service.answers = ({ path }) => (path.endsWith("?w=640") ? { body: "narrow" } : undefined);
    expect((await edge.get(`/i/${NAME}?w=640`)).text).toBe("narrow");
  });

  test.each(["641", "", "0640", "640px", "%ff"])("%j is none", async (width) => {
    const { edge, service } = await start();
    for (const path of [`/i/${NAME}?w=640&w=${width}`, `/i/nothing/x.webp?w=${width}`]) {
      const answer = await edge.get(path);
      expect([answer.status, answer.json()]).toEqual([400, { error: "Invalid width" }]);
    }
    expect(service.asked).toEqual([]);
  });
});

describe("the edge cache", () => {
  test("keeps whole pictures and nothing else, without a question to STORE", async () => {
    const { edge, service, sync } = await start(WITH_CACHE);
    service.answers = ({ path }) => (path === `/i/${OTHER}` ? { body: "passed on" } : undefined);
    await edge.get(`/i/${NAME}`, { method: "HEAD" });
    await edge.get(`/i/${NAME}`, { headers: { "If-None-Match": "*" } });
    await edge.get(`/i/${OTHER}`);
    await edge.get(`/i/${NAME}`, { headers: { Range: "bytes=0-1" } });
    await edge.get("/random_image");
    const all = [NAME, OTHER, `${NAME}.w320`];
    expect(await edge.cached(all)).toEqual([]);
    await edge.get(`/images/${NAME.toUpperCase()}`);
    await expect.poll(() => edge.cached(all)).toEqual([NAME]);
    const entry = await edge.entry(NAME);
    expect([entry?.status, entry?.body.equals(BYTES)]).toEqual([200, true]);
    expect(entry?.headers.get("Content-Type")).toBe("image/webp");
    await edge.fail("no question", "refuse");
    const [short, long] = [await edge.get(`/i/${NAME}`), await edge.get(`/images/${NAME}`)];
    await edge.fail("", "refuse");
    for (const [answer, caching] of [
      [short, A_YEAR],
      [long, REVALIDATED],
    ] as const) {
      expect([answer.status, answer.body.equals(BYTES)]).toEqual([200, true]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": caching,
        "cache-tag": NAME,
        "content-length": "1000",
        etag: `"${NAME}"`,
      });
      expect(answer.headers.get("X-Hash")).toBeNull();
    }
    // They are counted, too, a moment later.
    await edge.get(`/i/${NAME}`);
    await expect.poll(async () => (await sync()).pictures[NAME]).toBeGreaterThan(3);
  });

  test("keeps pictures of up to 4 MB", async () => {
    const own = await startOwn({}, WITH_CACHE);
    const sizes = [4 << 20, (4 << 20) + 1];
    await own.add([row(1), row(2)], (hash) => bytes(sizes[hash === NAME ? 0 : 1] ?? 0));
    for (const name of [OTHER, NAME]) expect((await own.edge.get(`/i/${name}`)).status).toBe(200);
    await expect.poll(() => own.edge.cached([NAME, OTHER])).toEqual([NAME]);
  });

  test.each([`/images/${NAME.toUpperCase()}.webp`, `/api/v1/images/${NAME}`])(
    "drops a picture that is deleted through the Worker by %s",
    async (path) => {
      const { edge, service, put } = await start(WITH_CACHE);
      await put(`randomimg/${NAME}.w640.webp`, BYTES);
      await edge.get(`/i/${NAME}`);
      await edge.get(`/i/${NAME}?w=640`);
      const both = [NAME, `${NAME}.w640`];
      await expect.poll(() => edge.cached(both)).toEqual(both);
      const headers = { Authorization: "Bearer token" };
      service.answers = () => json({ error: "Unauthorized" }, 401);
      await edge.get(path, { method: "DELETE", headers });
      expect(await edge.cached(both)).toEqual(both);
      service.answers = () => json({ message: "Image deleted successfully" });
      await edge.get(path, { method: "DELETE", headers });
      expect(service.asked.at(-1)?.headers.authorization).toBe("Bearer token");
      expect(await edge.cached(both)).toEqual([]);
    },
  );

  test.each(["the store", "a sync"])("drops what is deleted in %s", async (where) => {
    const { edge, put, send, sync } = await start(WITH_CACHE);
    await put(`randomimg/${NAME}.w640.webp`, BYTES);
    await edge.get(`/i/${NAME}`);
    await edge.get(`/i/${NAME}?w=640`);
    const both = [NAME, `${NAME}.w640`];
    await expect.poll(() => edge.cached(both)).toEqual(both);
    const path = `/-/store/randomimg/${NAME}.webp`;
    await send("DELETE", path, "", { secret: "another" });
    expect([await edge.cached(both), (await edge.seen()).purged]).toEqual([both, []]);
    if (where === "a sync") await sync({}, [], [NAME]);
    else expect((await send("DELETE", path)).status).toBe(200);
    expect([await edge.cached(both), (await edge.seen()).purged]).toEqual([[], [NAME]]);
  });

  test("of another address keeps nothing that is deleted at the Worker's own", async () => {
    const own = await startOwn({ ADDRESS: "https://light.example" }, WITH_CACHE);
    const { edge, sync } = own;
    await own.add([row(1), row(2)], () => BYTES);
    const other = `https://light.name.workers.dev/i/${NAME}`;
    expect((await edge.get(other)).status).toBe(200);
    // What was put into the cache then is there by now.
    await edge.get(`/i/${OTHER}`);
    await expect.poll(() => edge.cached([OTHER])).toEqual([OTHER]);
    await sync({}, [], [NAME]);
    expect((await edge.get(other)).status).toBe(404);
  });
});

describe("the place of a picture", () => {
  test("on the disk of the service is asked there", async () => {
    const { edge, service } = await start({}, { place: "disk" });
    service.answers = ({ path }) => (path.includes(NAME) ? { body: path } : undefined);
    for (const path of [`/i/${NAME}.webp`, `/images/${NAME}`, `/i/${NAME}?w=320`])
      expect((await edge.get(path)).text).toBe(path);
    service.answers = OFF;
    for (const path of [`/i/${NAME}.webp`, `/i/${NAME}?w=320`])
      expect([path, (await edge.get(path)).status]).toEqual([path, 503]);
  });

  test("at the Worker, whose bytes are lost, is asked of the service", async () => {
    const { edge, service, send } = await start();
    await send("DELETE", `/-/store/randomimg/${NAME}.webp`);
    service.answers = ({ path }) => (path === `/i/${NAME}` ? { body: "still here" } : undefined);
    expect((await edge.get(`/i/${NAME}`)).text).toBe("still here");
  });

  const elsewhere = (storage_url: string | null, delivery = "redirect") => ({
    settings: { ...SETTINGS, storage: "s3", delivery, storage_url },
  });

  test("elsewhere is a redirect for five minutes", async () => {
    const { edge, service, sync } = await start({}, { place: "s3", names: [OTHER] });
    await sync(elsewhere("https://cdn.example/pictures"));
    const place = `https://cdn.example/pictures/randomimg/${NAME}.webp`;
    for (const path of [`/i/${NAME}`, `/images/${NAME}`, `/i/${OTHER}`, `/i/${NAME}?w=1920`])
      for (const method of ["GET", "HEAD"]) {
        const answer = await edge.get(path, { method });
        expect([path, answer.status, answer.text]).toEqual([path, 302, ""]);
        expect(answer.headers.get("Location")).toBe(place);
        expect(answer.headers.get("Cache-Control")).toBe("public, max-age=300");
        expect(answer.headers.get("ETag")).toBeNull();
      }
    const random = await edge.get("/random_image");
    expect([random.status, random.headers.get("Location")]).toEqual([302, place]);
    expect(random.headers.get("Cache-Control")).toBe("no-store");
    expect(service.asked).toEqual([]);
    // Which narrower ones are there, the service knows.
    service.answers = () => ({ status: 302, headers: { Location: "https://cdn.example/narrow" } });
    const narrow = await edge.get(`/i/${NAME}?w=640`);
    expect([narrow.status, narrow.headers.get("Location")]).toEqual([
      302,
      "https://cdn.example/narrow",
    ]);
    service.answers = OFF;
    const whole = await edge.get(`/i/${NAME}?w=640`);
    expect([whole.status, whole.headers.get("Location")]).toEqual([302, place]);
    expect(whole.headers.get("Cache-Control")).toBe("no-store");
  });

  test("elsewhere is sent from there with direct delivery", async () => {
    const own = await startOwn({}, WITH_CACHE);
    const { edge, service, sync } = own;
    let isThere = true;
    const store = await serve(({ path, headers }, response) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? [];
      const found = path === `/x/randomimg/${NAME}.webp` && isThere;
      const body = first ? BYTES.subarray(Number(first), Number(last) + 1) : BYTES;
      // The type that a store sends must not matter.
      response.writeHead(found ? (first ? 206 : 200) : 404, {
        "Content-Type": "text/html",
        "Content-Length": found ? body.length : 0,
      });
      response.end(found ? body : undefined);
    });
    await sync(elsewhere(`${store.url}/x`, "direct"), [row(1, { place: "s3", size: 1000 })]);
    const part = await edge.get(`/i/${NAME}`, { headers: { Range: "bytes=5-9" } });
    expect([part.status, part.body]).toEqual([206, BYTES.subarray(5, 10)]);
    const head = await edge.get(`/i/${NAME}`, { method: "HEAD" });
    expect(head.headers.get("Content-Length")).toBe("1000");
    const whole = await edge.get(`/i/${NAME}`);
    expect([whole.status, whole.body.equals(BYTES)]).toEqual([200, true]);
    expect(whole.headers.get("Content-Type")).toBe("image/webp");
    expect(whole.headers.get("Cache-Control")).toBe(A_YEAR);
    await expect.poll(() => edge.cached([NAME])).toEqual([NAME]);
    expect((await edge.get("/random_image")).body.equals(BYTES)).toBe(true);
    expect(service.asked).toEqual([]);
    service.answers = ({ path }) => (path.endsWith("w=320") ? { body: "narrow" } : undefined);
    expect((await edge.get(`/i/${NAME}?w=320`)).text).toBe("narrow");
    await sync({}, [row(1, { place: "s3", size: 1000 })], [NAME]);
    isThere = false;
    expect((await edge.get(`/i/${NAME}`)).status).toBe(503);
  });

  test.each(["redirect", "direct"])(
    "elsewhere without an address is the service's: %s",
    async (how) => {
      const { edge, service, sync } = await start({}, { place: "s3" });
      await sync(elsewhere(null, how));
      service.answers = ({ path }) => (path.includes(NAME) ? { body: "its own" } : undefined);
      expect((await edge.get(`/i/${NAME}`)).text).toBe("its own");
    },
  );

  test("in an R2 bucket is read there", async () => {
    const whole = bytes(3_000_000);
    const { edge, send } = await start(WITH_BUCKET, {}, whole);
    const key = `randomimg/${NAME}.webp`;
    expect((await edge.inBucket(key))?.equals(whole)).toBe(true);
    const answer = await edge.get(`/i/${NAME}`);
    expect([answer.status, answer.body.equals(whole)]).toEqual([200, true]);
    expect(answer.headers.get("Content-Length")).toBe("3000000");
    const part = await edge.get(`/i/${NAME}`, { headers: { Range: "bytes=5-2999998" } });
    expect([part.status, part.body.equals(whole.subarray(5, 2_999_999))]).toEqual([206, true]);
    expect((await send("DELETE", `/-/store/${key}`)).status).toBe(200);
    expect(await edge.inBucket(key)).toBeUndefined();
  });
});

test("pictures are sent while the service is off, and where STORE has no place left", async () => {
  const edge = await startEdge();
  const own = servedBy(edge, "http://127.0.0.1:1");
  await own.add([row(1)]);
  await own.sync({ state: "stopped" });
  await edge.fail("Exceeded allowed rows written in Durable Objects free tier.");
  await edge.ahead(86_400_000);
  for (const path of [`/i/${NAME}`, `/images/${NAME}`, "/random_image"])
    expect((await edge.get(path)).text).toBe(`image ${NAME}`);
});
