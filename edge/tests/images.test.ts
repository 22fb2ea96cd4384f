// `/i/{hash}` and `/images/{hash}`: from the cache, the store, or the service.

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startAll, startEdge, startWithoutService } from "./harness/edge.ts";
import { serve } from "./harness/http.ts";
import { json } from "./harness/service.ts";
import { FORMS, nameOf, webp } from "./harness/store.ts";

const WITH_CACHE = { cache: true };
const NAME = nameOf(1);
const OTHER = nameOf(2);
const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, place) => place % 251));
const NOT_FOUND = { error: "Image not found" };

describe("a stored image", () => {
  test.each([`/i/${NAME}`, `/i/${NAME}.webp`, `/i/${NAME.toUpperCase()}.WEBP`])(
    "is sent whole at %s",
    async (path) => {
      const { store, edge } = await startWithoutService({}, WITH_CACHE);
      store.put(`randomimg/${NAME}.webp`, BYTES);
      const answer = await edge.get(path);
      expect(answer.status).toBe(200);
      expect(answer.body.equals(BYTES)).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "ETag, Retry-After, Location",
        "cache-control": "public, max-age=31536000, immutable, s-maxage=86400",
        "content-disposition": `inline; filename="${NAME}.webp"`,
        "content-length": "1000",
        // Not what the store sends.
        "content-type": "image/webp",
        etag: `"${NAME}"`,
        "x-content-type-options": "nosniff",
      });
    },
  );

  test("at /images is revalidated by browsers", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    const answer = await edge.get(`/images/${NAME}?w=7`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-cache, s-maxage=86400");
  });

  test("is known by its tag, but only while it is there", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    for (const known of [`"${NAME}"`, `W/"${NAME}"`, `"other", "${NAME}"`, "*"]) {
      const answer = await edge.get(`/i/${NAME}`, { headers: { "If-None-Match": known } });
      expect([answer.status, answer.text]).toEqual([304, ""]);
      expect(answer.headers.get("ETag")).toBe(`"${NAME}"`);
    }
    // Its bytes were not read for that.
    expect(new Set(store.asked.map(({ method }) => method))).toEqual(new Set(["HEAD"]));
    const other = await edge.get(`/i/${NAME}`, { headers: { "If-None-Match": '"other"' } });
    expect(other.status).toBe(200);
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
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    // The second time beside the whole image in the cache.
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
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    const answer = await edge.get(`/i/${NAME}`, { headers: { Range: range } });
    expect([answer.status, answer.json()]).toEqual([416, { error: "Range not satisfiable" }]);
    expect(answer.headers.get("Content-Range")).toBe("bytes */1000");
  });

  test.each([
    { Range: "bytes=0-1,5-6" },
    { Range: "bytes=9-3" },
    { Range: "bytes=-" },
    { Range: "lines=0-1" },
    { Range: "bytes=0-1", "If-Range": '"other"' },
    { Range: "bytes=0-1", "If-Range": `W/"${NAME}"` },
  ])("is sent whole for %j", async (headers) => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    const answer = await edge.get(`/i/${NAME}`, { headers: headers as Record<string, string> });
    expect([answer.status, answer.body.length]).toEqual([200, 1000]);
  });

  test("answers HEAD like GET, without its bytes and with no range", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    const init = { method: "HEAD", headers: { Range: "bytes=0-1" } };
    const answer = await edge.get(`/i/${NAME}`, init);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers.get("Content-Length")).toBe("1000");
    expect(answer.headers.get("ETag")).toBe(`"${NAME}"`);
    expect(store.asked.map(({ method }) => method)).toEqual(["HEAD"]);
    expect((await edge.get(`/i/${OTHER}`, init)).status).toBe(404);
  });
});

test("an image of a store that sends no parts is sent whole", async () => {
  const { store, edge } = await startWithoutService();
  store.ranges = false;
  store.put(`randomimg/${NAME}.webp`, BYTES);
  const answer = await edge.get(`/i/${NAME}`, { headers: { Range: "bytes=1-2" } });
  expect([answer.status, answer.body.equals(BYTES)]).toEqual([200, true]);
  expect(answer.headers.get("Content-Range")).toBeNull();
});

test("an image whose length the store does not send, or sends of its compressed form", async () => {
  for (const compressed of [false, true]) {
    const server = await serve(({ path }, response) => {
      if (compressed) response.setHeader("Content-Encoding", "gzip");
      else response.setHeader("Transfer-Encoding", "chunked");
      response.statusCode = path === `/randomimg/${NAME}.webp` ? 200 : 404;
      response.end(compressed ? gzipSync(BYTES) : BYTES);
    });
    const edge = await startEdge({ STORAGE_URL: server.url }, WITH_CACHE);
    const first = await edge.get(`/i/${NAME}`, { headers: { Range: "bytes=0-1" } });
    expect([first.status, first.body.equals(BYTES)]).toEqual([200, true]);
    await edge.get(`/i/${NAME}`);
    await expect.poll(() => edge.cached([NAME])).toEqual([NAME]);
    expect((await edge.get(`/i/${NAME}`)).body.equals(BYTES)).toBe(true);
  }
});

describe("a name", () => {
  test("may be the second one of an image", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${OTHER}.webp`, BYTES);
    store.put(`randomimg/${OTHER}.w640.webp`, BYTES.subarray(0, 64));
    store.snapshot(`names/${NAME}`, OTHER);
    const whole = await edge.get(`/i/${NAME}.webp`);
    expect([whole.status, whole.body.length]).toEqual([200, 1000]);
    expect(whole.headers.get("ETag")).toBe(`"${NAME}"`);
    expect((await edge.get(`/i/${NAME}.webp?w=640`)).body.length).toBe(64);
  });

  test.each(["/i/nothing", "/images/nothing", `/i/${NAME}.png`, `/i/${NAME}0`, "/i/%ff", "/i/.."])(
    "like %s is of no image, and no server is asked",
    async (path) => {
      const { store, service, edge } = await startAll({}, WITH_CACHE);
      const answer = await edge.get(path === "/i/.." ? "/i/%2e%2e%2f" : path);
      expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect([store.asked, service.asked]).toEqual([[], []]);
    },
  );

  test.each([404, 403])(
    "that the store answers %i for is asked of the service",
    async (missing) => {
      const { store, service, edge } = await startAll({}, WITH_CACHE);
      store.missing = missing;
      service.answers = ({ path }) =>
        path === `/i/${NAME}.webp`
          ? { headers: { ETag: '"own"' }, body: "from the service" }
          : undefined;
      const answer = await edge.get(`/i/${NAME}.webp`);
      expect([answer.status, answer.text]).toEqual([200, "from the service"]);
      expect(answer.headers.get("ETag")).toBe('"own"');
      // Browsers may keep it, a cache in front may not: no deletion would reach it there.
      expect(answer.headers.get("Cloudflare-CDN-Cache-Control")).toBe("no-store");
      const gone = await edge.get(`/i/${OTHER}`);
      expect([gone.status, gone.json()]).toEqual([404, NOT_FOUND]);
      // What was passed on is not kept.
      expect(await edge.cached([NAME, OTHER])).toEqual([]);
    },
  );

  test("that the store lacks is no image while the service is off", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.missing = 403;
    const answer = await edge.get(`/i/${NAME}.webp`);
    expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  test("answers nothing about an image while the store fails", async () => {
    const { store, service, edge } = await startAll({}, WITH_CACHE);
    service.answers = ({ path }) => (path.startsWith("/i/") ? { body: "bytes" } : undefined);
    await edge.get("/sysinfo");
    store.broken = 500;
    expect((await edge.get(`/i/${NAME}`)).text).toBe("bytes");
    service.answers = () => ({ headers: { "X-Porchlight": "" } });
    const answer = await edge.get(`/i/${NAME}`);
    expect([answer.status, answer.json()]).toEqual([503, { error: "The service is offline" }]);
  });
});

describe("a width", () => {
  test("comes from the store", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.w640.webp`, BYTES.subarray(0, 64));
    const answer = await edge.get(`/i/${NAME}.webp?w=640`);
    expect([answer.status, answer.body.length]).toEqual([200, 64]);
    expect(answer.headers.get("ETag")).toBe(`"${NAME}.w640"`);
    expect(answer.headers.get("Content-Disposition")).toBe(`inline; filename="${NAME}.w640.webp"`);
  });

  test("that is not stored is asked of the service", async () => {
    const { store, service, edge } = await startAll({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    service.answers = ({ path }) => (path.endsWith("?w=640") ? { body: "narrow" } : undefined);
    expect((await edge.get(`/i/${NAME}.webp?w=640`)).text).toBe("narrow");
  });

  test("that is not stored is the original while the service is off", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    const answer = await edge.get(`/i/${NAME}.webp?w=640`);
    expect([answer.status, answer.body.length]).toEqual([200, 1000]);
    expect(answer.headers.get("ETag")).toBe(`"${NAME}"`);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(await edge.cached([`${NAME}.w640`])).toEqual([]);
  });

  describe.each(FORMS)("of a %j", (form) => {
    test.each([1, 400, 639, 640])("of %i pixels or more is the image itself", async (own) => {
      const { store, service, edge } = await startAll({}, WITH_CACHE);
      const file = webp(own, form);
      store.put(`randomimg/${NAME}.webp`, file);
      for (let times = 0; times < 2; times += 1) {
        if (times > 0) await expect.poll(() => edge.cached([NAME])).toEqual([NAME]);
        const before = store.asked.length;
        const answer = await edge.get(`/i/${NAME}.webp?w=640`);
        expect([answer.status, answer.body.equals(file)]).toEqual([200, true]);
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          "cache-control": "public, max-age=31536000, immutable, s-maxage=86400",
          "content-disposition": `inline; filename="${NAME}.webp"`,
          etag: `"${NAME}"`,
        });
        // From then on the edge cache is enough.
        if (times > 0) expect(store.asked.length).toBe(before);
      }
      const known = { "If-None-Match": `"${NAME}"` };
      expect((await edge.get(`/i/${NAME}?w=640`, { headers: known })).status).toBe(304);
      const head = await edge.get(`/i/${NAME}?w=640`, { method: "HEAD" });
      expect([head.status, head.headers.get("Content-Length")]).toEqual([200, "1000"]);
      expect(service.asked).toEqual([]);
      expect(await edge.cached([`${NAME}.w640`])).toEqual([]);
    });

    test.each([641, 16_383])("of less than %i pixels is asked of the service", async (own) => {
      const { store, service, edge } = await startAll({}, WITH_CACHE);
      store.put(`randomimg/${NAME}.webp`, webp(own, form));
      service.answers = ({ path }) => (path.endsWith("?w=640") ? { body: "narrow" } : undefined);
      for (let times = 0; times < 2; times += 1) {
        expect((await edge.get(`/i/${NAME}.webp?w=640`)).text).toBe("narrow");
        await edge.get(`/i/${NAME}`);
        await expect.poll(() => edge.cached([NAME])).toEqual([NAME]);
      }
    });
  });

  test("of a small image is its own under a second name, and in a store without parts", async () => {
    const { store, service, edge } = await startAll();
    store.ranges = false;
    store.put(`randomimg/${OTHER}.webp`, webp(100));
    store.snapshot(`names/${NAME}`, OTHER);
    const answer = await edge.get(`/i/${NAME}.webp?w=320`);
    expect([answer.status, answer.headers.get("ETag")]).toEqual([200, `"${NAME}"`]);
    expect(service.asked).toEqual([]);
  });

  test.each([0, 12, 29])("of a file of %i bytes is asked of the service", async (size) => {
    const { store, service, edge } = await startAll();
    store.put(`randomimg/${NAME}.webp`, webp(100).subarray(0, size));
    service.answers = ({ path }) => (path.endsWith("?w=640") ? { body: "narrow" } : undefined);
    expect((await edge.get(`/i/${NAME}.webp?w=640`)).text).toBe("narrow");
  });

  test.each(["641", "", "0640", "640px"])("%j is none", async (width) => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    const answer = await edge.get(`/i/nothing?w=${width}`);
    expect([answer.status, answer.json()]).toEqual([400, { error: "Invalid width" }]);
    expect(store.asked).toEqual([]);
  });
});

describe("the edge cache", () => {
  test("keeps whole images and nothing else", async () => {
    const { store, service, edge } = await startAll({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    service.answers = ({ path }) => (path === `/i/${OTHER}` ? { body: "passed on" } : undefined);
    await edge.get(`/i/${NAME}`, { method: "HEAD" });
    await edge.get(`/i/${NAME}`, { headers: { "If-None-Match": "*" } });
    await edge.get(`/i/${OTHER}`);
    await edge.get(`/i/${nameOf(3)}`);
    await edge.get(`/i/${NAME}?w=320`);
    const all = [NAME, OTHER, nameOf(3), `${NAME}.w320`];
    // Of these, only the original that stood in for a width was a whole image of its own name.
    expect((await edge.cached(all)).filter((name) => name !== NAME)).toEqual([]);

    await edge.get(`/i/${NAME}`, { headers: { Range: "bytes=0-1" } });
    await edge.get(`/images/${NAME.toUpperCase()}`);
    await expect.poll(() => edge.cached(all)).toEqual([NAME]);
    const entry = await edge.entry(NAME);
    expect([entry?.status, entry?.body.equals(BYTES)]).toEqual([200, true]);
    expect(entry?.headers.get("Content-Type")).toBe("image/webp");
    expect(entry?.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test("spares the store", async () => {
    const { store, edge } = await startWithoutService({}, WITH_CACHE);
    store.put(`randomimg/${NAME}.webp`, BYTES);
    await edge.get(`/i/${NAME}`);
    await expect.poll(() => edge.cached([NAME])).toEqual([NAME]);
    const before = store.asked.length;
    const again = await edge.get(`/images/${NAME}`);
    expect(again.body.equals(BYTES)).toBe(true);
    expect(again.headers.get("Cache-Control")).toBe("no-cache, s-maxage=86400");
    expect(store.asked.length).toBe(before);
  });

  test.each([`/images/${NAME.toUpperCase()}.webp`, `/api/v1/images/${NAME}`])(
    "drops an image that is deleted through the Worker by %s",
    async (path) => {
      const { store, service, edge } = await startAll({}, WITH_CACHE);
      store.put(`randomimg/${NAME}.webp`, BYTES);
      store.put(`randomimg/${NAME}.w640.webp`, BYTES);
      await edge.get(`/i/${NAME}`);
      await edge.get(`/i/${NAME}?w=640`);
      const both = [NAME, `${NAME}.w640`];
      await expect.poll(() => edge.cached(both)).toEqual(both);

      const headers = { Authorization: "Bearer token" };
      service.answers = () => json({ error: "Unauthorized" }, 401);
      await edge.get(`/images/${NAME}`, { method: "DELETE", headers });
      expect(await edge.cached(both)).toEqual(both);

      service.answers = () => json({ message: "Image deleted successfully" });
      await edge.get(path, { method: "DELETE", headers });
      expect(service.asked.at(-1)?.headers.authorization).toBe("Bearer token");
      expect(await edge.cached(both)).toEqual([]);
    },
  );
});

test("a large image is not held for a reader who does not take it", async () => {
  const size = 32 << 20;
  const sent: number[] = [];
  const server = await serve(async (asked, response) => {
    if (asked.path !== `/randomimg/${NAME}.webp`) return void response.writeHead(404).end();
    const own = sent.push(0) - 1;
    response.writeHead(200, { "Content-Length": size });
    const piece = Buffer.alloc(64 << 10);
    while ((sent[own] ?? 0) < size) {
      if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
      sent[own] = (sent[own] ?? 0) + piece.length;
    }
    response.end();
  });
  const edge = await startEdge({ STORAGE_URL: server.url }, WITH_CACHE);
  const reader = await edge.open(`/i/${NAME}.webp`);
  // It is put into the edge cache nevertheless.
  await expect.poll(() => edge.cached([NAME]), { timeout: 30_000 }).toEqual([NAME]);
  expect(Math.max(...sent)).toBe(size);
  expect(Math.min(...sent)).toBeLessThan(size / 2);
  let read = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read())
    read += part.value.length;
  expect(read).toBe(size);
});

describe("an R2 binding", () => {
  test("returns the width of an image", async () => {
    const { service, edge } = await startAll({}, { r2Buckets: ["BUCKET"] });
    await edge.put(`randomimg/${NAME}.webp`, webp(400));
    const answer = await edge.get(`/i/${NAME}?w=640`);
    expect([answer.headers.get("ETag"), answer.body.length]).toEqual([`"${NAME}"`, 1000]);
    expect(service.asked).toEqual([]);
  });

  test("is read instead of STORAGE_URL", async () => {
    const { store, edge } = await startAll({}, { r2Buckets: ["BUCKET"] });
    await edge.put(`randomimg/${NAME}.webp`, BYTES);
    const head = await edge.get(`/i/${NAME}`, { method: "HEAD" });
    expect(head.headers.get("Content-Length")).toBe("1000");
    const part = await edge.get(`/i/${NAME}`, { headers: { Range: "bytes=1-2" } });
    expect([part.status, part.body]).toEqual([206, BYTES.subarray(1, 3)]);
    expect((await edge.get(`/i/${OTHER}`)).status).toBe(404);
    await edge.put("porchlight/images/index.json", '{"total":1,"pages":[]}');
    expect((await edge.get("/images/count")).json()).toEqual({ count: 1 });
    expect(store.asked).toEqual([]);
  });
});
