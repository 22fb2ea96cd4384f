// What readers get where STORE has the images and the snapshot: nothing of it asks the service.

import { describe, expect, test } from "vitest";
import { HOST } from "./harness/edge.ts";
import { startOwn } from "./harness/own.ts";
import { type Answer, hmac, json } from "./harness/service.ts";
import {
  nameOf,
  putCheck,
  putIndex,
  putLanyard,
  putLanyardOff,
  seconds,
  webp,
} from "./harness/store.ts";

const NAME = nameOf(1);
const A_YEAR = "public, max-age=31536000, immutable, s-maxage=86400";

function bytes(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, place) => (place * 7) % 253));
}

describe("an image", () => {
  test.each([200_000, 3_000_000, 9_000_000])("of %i bytes", async (size) => {
    const { service, edge, put } = await startOwn({}, { cache: true });
    const whole = bytes(size);
    await put(`randomimg/${NAME}.webp`, whole);
    const answer = await edge.get(`/i/${NAME}.webp`);
    expect([answer.status, answer.body.equals(whole)]).toEqual([200, true]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": A_YEAR,
      "cache-tag": NAME,
      "content-disposition": `inline; filename="${NAME}.webp"`,
      "content-length": String(size),
      "content-type": "image/webp",
      etag: `"${NAME}"`,
    });
    await expect.poll(() => edge.cached([NAME]), { timeout: 30_000 }).toEqual([NAME]);
    expect((await edge.get(`/images/${NAME}`)).body.equals(whole)).toBe(true);
    const known = await edge.get(`/i/${NAME}`, { headers: { "If-None-Match": `"${NAME}"` } });
    expect([known.status, known.text]).toEqual([304, ""]);
    const head = await edge.get(`/i/${NAME}`, { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Length")]).toEqual([200, String(size)]);
    const parts = [
      ["bytes=0-0", 0, 1],
      ["bytes=-5", size - 5, size],
      ["bytes=100000-", 100_000, size],
      // Over the border of two rows, where there are two.
      ["bytes=1899990-1900009", 1_899_990, Math.min(1_900_010, size)],
      [`bytes=${size - 10}-${size + 10}`, size - 10, size],
    ] as const;
    for (const [range, first, end] of parts) {
      const part = await edge.get(`/i/${NAME}`, { headers: { Range: range } });
      const isThere = first < size;
      expect([range, part.status]).toEqual([range, isThere ? 206 : 416]);
      if (!isThere) continue;
      expect(part.headers.get("Content-Range")).toBe(`bytes ${first}-${end - 1}/${size}`);
      expect(part.body.equals(whole.subarray(first, end))).toBe(true);
    }
    expect(service.asked).toEqual([]);
  });

  test("has its narrower copies and its second names", async () => {
    const { edge, put, publish } = await startOwn();
    await put(`randomimg/${NAME}.webp`, webp(2000));
    await put(`randomimg/${NAME}.w640.webp`, "narrow");
    await publish(({ snapshot }) => snapshot(`names/${nameOf(2)}`, NAME));
    expect((await edge.get(`/i/${NAME}?w=640`)).text).toBe("narrow");
    expect((await edge.get(`/i/${nameOf(2)}?w=640`)).text).toBe("narrow");
    expect((await edge.get(`/i/${nameOf(2)}`)).body.length).toBe(1000);
    await put(`randomimg/${nameOf(3)}.webp`, webp(300));
    const own = await edge.get(`/i/${nameOf(3)}?w=640`);
    expect(own.headers.get("ETag")).toBe(`"${nameOf(3)}"`);
  });

  test("that is deleted leaves the caches", async () => {
    const { edge, send, put } = await startOwn({}, { cache: true });
    const both = [NAME, `${NAME}.w640`];
    for (const name of both) await put(`randomimg/${name}.webp`, `image ${name}`);
    await edge.get(`/i/${NAME}`);
    await edge.get(`/i/${NAME}?w=640`);
    await expect.poll(() => edge.cached(both)).toEqual(both);
    const path = `/-/store/randomimg/${NAME}.webp`;
    await send("DELETE", path, "", { secret: "another" });
    expect([await edge.cached(both), await edge.purged()]).toEqual([both, []]);
    expect((await send("DELETE", path)).status).toBe(200);
    expect([await edge.cached(both), await edge.purged()]).toEqual([[], [NAME]]);
    expect((await send("DELETE", `/-/store/randomimg/${NAME}.w640.webp`)).status).toBe(200);
    expect((await edge.get(`/i/${NAME}`)).status).toBe(404);
  });
});

test("the cache of another address keeps nothing that is deleted at the Worker's own", async () => {
  const { edge, send, put } = await startOwn({ ADDRESS: HOST }, { cache: true });
  for (const name of [NAME, nameOf(2)]) await put(`randomimg/${name}.webp`, `image ${name}`);
  const other = `https://light.name.workers.dev/i/${NAME}`;
  expect((await edge.get(other)).status).toBe(200);
  // What was put into the cache then is there by now.
  await edge.get(`/i/${nameOf(2)}`);
  await expect.poll(() => edge.cached([nameOf(2)])).toEqual([nameOf(2)]);
  expect((await send("DELETE", `/-/store/randomimg/${NAME}.webp`)).status).toBe(200);
  expect((await edge.get(other)).status).toBe(404);
});

describe("the snapshot", () => {
  test("answers alone while the service is on", async () => {
    const { service, edge, put, publish } = await startOwn();
    const names = await publish((store) => {
      putCheck(store, { application: "From STORE" });
      store.snapshot("game_status.json", { status: "在游戏中", valid_until: seconds() + 100 });
      return putIndex(store, [2, 3]);
    });
    for (const name of names) await put(`randomimg/${name}.webp`, `image ${name}`);
    expect((await edge.get("/check")).json()).toEqual({
      alive: true,
      last_heartbeat: expect.any(Number),
      application: "From STORE",
      introduce: "writing",
      rgba: "1,2,3,1",
      applicationOnline: true,
    });
    expect((await edge.get("/game_status")).json()).toEqual({ status: "在游戏中" });
    expect((await edge.get("/images/count")).json()).toEqual({ count: 5 });
    const list = (await edge.get("/images/list?page=2&limit=3")).json();
    expect(list).toMatchObject({
      images: names.slice(3).map((hash) => ({ hash })),
      pagination: { current: 2, size: 3, total: 5 },
    });
    expect((await edge.get("/images/list?page=0")).json()).toEqual({ error: "Invalid page" });
    const drawn = new Set<string>();
    for (let draws = 0; draws < 60; draws += 1) drawn.add((await edge.get("/random_image")).text);
    expect([...drawn].sort()).toEqual(names.map((name) => `image ${name}`).sort());
    await edge.ahead(3_600_000);
    expect((await edge.get("/check")).json()).toMatchObject({ alive: false, application: "" });
    expect((await edge.get("/game_status")).json()).toEqual({ status: "在线" });
    expect(service.asked).toEqual([]);
    // Everything else is passed on.
    expect((await edge.get("/sysinfo")).status).toBe(200);
    expect(service.asked.map(({ path }) => path)).toEqual(["/sysinfo"]);
  });

  test("that is not there yet makes the four reads requests like any other", async () => {
    const { service, edge, publish } = await startOwn();
    service.answers = ({ path }) => (path === "/check" ? json({ from: "service" }) : undefined);
    expect((await edge.get("/check")).json()).toEqual({ from: "service" });
    service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
    expect((await edge.get("/check")).status).toBe(503);
    expect((await edge.get("/random_image")).status).toBe(503);
    await publish((store) => putCheck(store));
    const before = service.asked.length;
    await edge.ahead(500);
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Editor" });
    expect(service.asked.length).toBe(before);
  });
});

test("1,000 readers see what was written half a second ago, and none reaches the service", async () => {
  const { service, edge, publish } = await startOwn();
  for (const application of ["One", "Two", "Three", "Four"]) {
    await publish((store) => putCheck(store, { application }));
    // By the Worker's own clock: how long the answers take does not matter.
    await edge.ahead(500);
    const readers = Array.from({ length: 1_000 }, () => edge.get("/check"));
    const seen = (await Promise.all(readers)).map(({ text }) => JSON.parse(text).application);
    expect([seen.length, new Set(seen)]).toEqual([1_000, new Set([application])]);
  }
  expect(service.asked).toEqual([]);
  // It was there to be asked.
  expect((await edge.get("/sysinfo")).status).toBe(200);
  expect(service.asked.length).toBe(1);
});

test("requests and readers are counted, without those that are passed on", async () => {
  const { edge, send, publish } = await startOwn({ CLIENT_IP_HEADER: "X-Real-IP" });
  await publish((store) => {
    putCheck(store);
    store.snapshot("devices.json", { devices: [] });
  });
  const counts = async () =>
    (await send("GET", "/-/store/counts")).json() as {
      days: { day: string; requests: number; readers: number }[];
      calls: Record<string, { count: number; lastUpdated: string }>;
    };
  const before = (await counts()).days[0]?.requests ?? 0;
  const readers = ["192.0.2.1", "192.0.2.2", "2001:db8:1:2:3::4", "2001:db8:1:2:5::6", ""];
  for (const reader of [...readers, ...readers]) {
    const headers = { "X-Real-IP": reader };
    await edge.get("/check", { headers });
    await edge.get("/devices", { headers });
    await edge.get(`/i/${NAME}.webp`, { headers });
    await edge.get("/sysinfo", { headers });
    await edge.get("/check", { method: "OPTIONS", headers });
  }
  const { days, calls } = await counts();
  expect(days.length).toBe(1);
  // With the request for the first numbers.
  expect((days[0]?.requests ?? 0) - before).toBe(51);
  // The two addresses of one network are one reader.
  expect(days[0]?.readers).toBe(3);
  const today = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const ten = { count: 10, lastUpdated: today };
  expect(calls).toEqual({ "/check": ten, "/devices": ten });
  await edge.ahead(86_400_000);
  await edge.get("/check", { headers: { "X-Real-IP": "192.0.2.9" } });
  const later = { t: Date.now() + 86_400_000 };
  const report = (await send("GET", "/-/store/counts", "", later)).json();
  // Which bits the readers have stays in STORE.
  expect(report).toEqual({
    days: [expect.objectContaining({ readers: 1 }), expect.objectContaining({ readers: 3 })],
    calls: expect.objectContaining({ "/check": { count: 11, lastUpdated: today } }),
  });
});

test("counts are kept where STORE leaves the memory, and written once a minute", async () => {
  const { edge, send } = await startOwn();
  // A minute is 3 s.
  await edge.faster(20);
  const begun = performance.now();
  for (let times = 0; times < 10; times += 1) {
    await edge.get("/images/list?page=0");
    // It takes along what was counted.
    await send("GET", "/-/store?prefix=none");
  }
  const minutes = Math.ceil((performance.now() - begun) / 3_000);
  const made = await edge.made();
  let counted: { calls: Record<string, { count: number }> };
  let saves: number | undefined;
  do {
    // The platform takes it out of the memory 10 s after the last write. It notifies no one, and a question
    // would keep it there.
    await new Promise((resolve) => setTimeout(resolve, 17_000));
    saves ??= await edge.saves();
    counted = (await send("GET", "/-/store/counts")).json() as typeof counted;
    expect(counted.calls["/images/list"]?.count).toBe(10);
  } while ((await edge.made()) === made);
  // One more is of what the Worker itself had counted at the end.
  expect(saves).toBeLessThanOrEqual(minutes + 1);
}, 180_000);

test("every answer says how long it may be kept, and nothing private may be", async () => {
  const { service, edge, send, put, publish } = await startOwn();
  const special: Record<string, Answer> = {
    "/bare": { body: "x" },
    "/badge": { body: "<svg/>", headers: { "Cache-Control": "public, max-age=300" } },
    "/v1/users/x": json({}, 404),
  };
  service.answers = ({ path }) => special[path];
  await put(`randomimg/${NAME}.webp`, bytes(1000));
  await publish((store) => {
    putCheck(store);
    putIndex(store, [1]);
    store.snapshot("devices.json", { devices: [] });
    putLanyard(store);
    store.snapshot("game_status.json", { status: "在线", valid_until: seconds() + 100 });
    store.snapshot("widget.js", `//${hmac("x")}\nx`);
  });
  const token = { headers: { Authorization: "Bearer token" } };
  const range = { headers: { Range: "bytes=0-1" } };
  const past = { headers: { Range: "bytes=5000-" } };
  const known = { headers: { "If-None-Match": "*" } };
  const kept = "no-cache, s-maxage=86400";
  const image = `/i/${NAME}.webp`;
  const answers: [number, string, Promise<{ status: number; headers: Headers }>][] = [
    [200, A_YEAR, edge.get(image)],
    [206, A_YEAR, edge.get(image, range)],
    [304, A_YEAR, edge.get(image, known)],
    [200, kept, edge.get(`/images/${NAME}`)],
    [200, A_YEAR, edge.get(image, { method: "HEAD" })],
    [404, "no-store", edge.get(`${image}?w=320`)],
    [416, "no-store", edge.get(image, past)],
    [404, "no-store", edge.get(`/i/${nameOf(9)}`)],
    [400, "no-store", edge.get(`${image}?w=1`)],
    [200, "public, max-age=3600", edge.get("/widget.js")],
    [200, "no-store", edge.get("/random_image")],
    [200, "no-store", edge.get("/check")],
    [200, "no-store", edge.get("/devices")],
    [200, "no-store", edge.get("/game_status")],
    [200, "no-store", edge.get("/v1/users/1")],
    [404, "no-store", edge.get("/v1/users/2")],
    [400, "no-store", edge.get("/socket")],
    [101, "no-store", edge.get("/socket", { headers: { Upgrade: "websocket" } })],
    [200, "no-store", edge.get("/images/count")],
    [200, "no-store", edge.get("/images/list")],
    [400, "no-store", edge.get("/images/list?limit=0")],
    [204, "no-store", edge.get("/check", { method: "OPTIONS" })],
    [308, "no-store", edge.get("http://light.example/check")],
    [403, "no-store", edge.get("http://light.example/check", token)],
    [200, "no-store", edge.get("/sysinfo", token)],
    [200, "no-store", edge.get("/heartbeat", { method: "POST", ...token })],
    [200, "no-store", edge.get("/images/add", { method: "POST", ...token })],
    [200, "no-store", edge.get(`/images/${NAME}`, { method: "DELETE", ...token })],
    [200, "no-store", edge.get("/api/device/set?secret=token&id=a")],
    [200, "no-store", edge.get("/device/set?secret=token&id=a", { method: "POST" })],
    [200, "no-store", edge.get("/api/device/set", { headers: { "Sleepy-Secret": "token" } })],
    [200, "no-store", edge.get("/api/status/query")],
    [200, "no-store", edge.get("/query")],
    [200, "no-store", edge.get("/api/report", { method: "POST", ...token })],
    [200, "no-store", edge.get("/api/health")],
    [200, "no-store", edge.get("/api/health-data", { method: "POST", ...token })],
    [200, "no-store", edge.get("/api/process-reporter", { method: "POST", body: "{}" })],
    [200, "no-store", edge.get("/api/upload", { method: "POST", body: "x" })],
    [200, "no-store", edge.get("/api/1/upload?key=token")],
    [200, "no-store", edge.get("/api/v1/images", token)],
    [403, "no-store", edge.get("http://light.example/api/device/set?secret=token")],
    [404, "no-store", edge.get("/v1/users/x")],
    [200, "no-store", edge.get("/bare")],
    [200, "public, max-age=300", edge.get("/badge")],
    [404, "no-store", edge.get("/-/nothing")],
    [401, "no-store", edge.get("/-/store/a")],
    [200, "no-store", send("GET", "/-/store")],
    [200, "no-store", send("GET", "/-/store/counts")],
    [200, "no-store", send("GET", `/-/store/randomimg/${NAME}.webp`)],
    [200, "no-store", send("HEAD", "/-/store/porchlight/check.json")],
    [201, "no-store", send("PUT", "/-/store/new", "x")],
    [404, "no-store", send("DELETE", "/-/store/none")],
  ];
  for (const [place, [status, caching, sent]] of answers.entries()) {
    const answer = await sent;
    const found = [place, answer.status, answer.headers.get("Cache-Control")];
    expect(found).toEqual([place, status, caching]);
    // A cache in front keeps what a deletion purges there, and nothing that was passed on.
    if (caching === A_YEAR || caching === kept) expect(answer.headers.get("Cache-Tag")).toBe(NAME);
    const inFront = answer.headers.has("X-Porchlight") ? "no-store" : null;
    expect([place, answer.headers.get("Cloudflare-CDN-Cache-Control")]).toEqual([place, inFront]);
  }
  await publish(putLanyardOff);
  await edge.ahead(500);
  const user = await edge.get("/v1/users/1");
  expect([user.status, user.headers.get("Cache-Control")]).toEqual([404, "no-store"]);
  service.answers = () => "hang";
  await edge.faster(1_000);
  const off = await edge.get("/sysinfo", token);
  expect([off.status, off.headers.get("Cache-Control")]).toEqual([503, "no-store"]);
  const socket = { headers: { Upgrade: "websocket" } };
  const none = await edge.get("/socket", socket);
  expect([none.status, none.headers.get("Cache-Control")]).toEqual([404, "no-store"]);
  await edge.fail("internal error", "refuse");
  const refused = await edge.get("/socket", socket);
  expect([refused.status, refused.headers.get("Cache-Control")]).toEqual([503, "no-store"]);
  expect(refused.headers.get("Retry-After")).toBe("60");
});
