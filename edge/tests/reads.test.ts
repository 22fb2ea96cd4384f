// What readers are answered from rows, while the owner is there, and once that is over.

import { describe, expect, test } from "vitest";
import { type Edge, startEdge } from "./harness/edge.ts";
import {
  always,
  CHECK,
  CHECK_OVER,
  GONE,
  nameOf,
  parts,
  presence,
  row,
  seconds,
  servedBy,
  shown,
  startOwn,
} from "./harness/own.ts";
import rules from "./harness/rules.json" with { type: "json" };
import { startService } from "./harness/service.ts";

const OFFLINE = { error: "The service is offline" };
const READS = [
  "/check",
  "/devices",
  "/game_status",
  "/images/count",
  "/images/list",
  "/random_image?form=json",
  "/widget.js",
  "/badge.json",
  "/badge.svg",
  "/card.svg",
  "/v1/users/1",
  `/i/${nameOf(1)}.webp`,
  `/images/${nameOf(1)}`,
];

/** Who is there, by each of the answers. */
async function present(edge: Edge) {
  const json = async (path: string) => (await edge.get(path)).json();
  const { data } = (await json("/v1/users/1")) as { data: { discord_status: string } };
  const { message } = (await json("/badge.json")) as { message: string };
  return [
    await json("/check"),
    data.discord_status,
    message,
    (await edge.get("/badge.svg")).text.includes(">Editor</text>"),
    (await edge.get("/card.svg")).text.includes(">writing</text>"),
  ];
}
const THERE = [CHECK, "online", "Editor", true, true];
const OVER = [CHECK_OVER, "offline", "Offline", false, false];

test.each(["no sync", "no STORE"])("with %s all of it is offline", async (what) => {
  const service = await startService();
  const edge = await startEdge(
    { ORIGIN: service.url },
    what === "no STORE" ? { durableObjects: {} } : {},
  );
  for (const path of [...READS, "/sysinfo"]) {
    const answer = await edge.get(path);
    expect([path, answer.status, answer.json()]).toEqual([path, 503, OFFLINE]);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
  }
  expect(service.asked).toEqual([]);
});

test("nothing of it reaches the service, and HEAD has the head of GET", async () => {
  const own = await startOwn();
  const { edge, service } = own;
  await own.add([row(1)]);
  for (const path of [...READS, "/images/list?page=0", "/i/x", "/v1/users/2", "/socket"]) {
    const get = await edge.get(path);
    const head = await edge.get(path, { method: "HEAD" });
    expect([path, head.status, head.text]).toEqual([path, get.status, ""]);
    for (const name of ["Content-Type", "Cache-Control", "ETag", "Access-Control-Allow-Origin"])
      expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
    for (const name of ["X-Porchlight", "X-Hash", "X-Pass", "X-Purge"])
      expect([path, get.headers.get(name)]).toEqual([path, null]);
  }
  expect(service.asked).toEqual([]);
  expect((await edge.get("/sysinfo")).status).toBe(200);
});

describe("presence", () => {
  test.each(["paused", "asleep", "stopped"])("is over while the service is %s", async (state) => {
    const { edge, sync } = await startOwn();
    expect(await present(edge)).toEqual(THERE);
    await sync({ state });
    expect(await present(edge)).toEqual(OVER);
    expect((await edge.get("/badge.svg")).headers.get("Cache-Control")).toBe("max-age=60");
    await sync({ state: "running" });
    expect(await present(edge)).toEqual(THERE);
    expect((await edge.get("/badge.svg")).headers.get("Cache-Control")).toBe("no-cache");
  });

  test("is over by itself after its time", async () => {
    const { edge, sync } = await startOwn();
    await sync({ valid_until: seconds() + 100 });
    await edge.ahead(90_000);
    expect(await present(edge)).toEqual(THERE);
    await edge.ahead(11_000);
    expect(await present(edge)).toEqual(OVER);
  });

  test("has two fields where the service's has two", async () => {
    const { edge, sync } = await startOwn();
    const check = { alive: true, last_heartbeat: 5 };
    const check_over = { alive: false, last_heartbeat: 5 };
    await sync({ presence: { ...shown(), check, check_over } });
    expect((await edge.get("/check")).text).toBe(JSON.stringify(check));
    expect((await edge.get("/badge.json")).json()).toMatchObject({ message: "Online" });
    await sync({ state: "stopped" });
    expect((await edge.get("/check")).text).toBe(JSON.stringify(check_over));
  });
});

describe("/v1/users/{id}", () => {
  const NOT_MONITORED = {
    error: { code: "user_not_monitored", message: "User is not being monitored by Lanyard" },
    success: false,
  };

  test("is the owner's, and nobody else's", async () => {
    const { edge, sync } = await startOwn();
    const user = async (id: string) => {
      const answer = await edge.get(`/v1/users/${id}`);
      return [answer.status, answer.json()];
    };
    for (const id of ["1", "%31"]) {
      const data = presence();
      expect(await user(id)).toEqual([200, { data, success: true }]);
    }
    for (const id of ["2", "11", "01", "x", "%ff"])
      expect([id, ...(await user(id))]).toEqual([id, 404, NOT_MONITORED]);
    await sync({ state: "asleep" });
    expect(await user("1")).toEqual([200, { data: GONE, success: true }]);
    expect(await user("2")).toEqual([404, NOT_MONITORED]);
  });

  test("is not there while Lanyard's protocol is off", async () => {
    const { edge, sync } = await startOwn();
    await sync({ presence: { ...shown(), lanyard: null, lanyard_over: null } });
    const answer = await edge.get("/v1/users/1");
    expect([answer.status, answer.json()]).toEqual([404, { error: "Resource not found" }]);
  });
});

describe("/devices", () => {
  const device = (id: string, online: boolean) => ({ id, name: id, kind: "phone", online });
  const one = (id: string, until: number | null) => ({
    until,
    now: device(id, true),
    over: device(id, false),
  });

  test("ends what each has reported with its report", async () => {
    const { edge, sync } = await startOwn();
    const devices = [one("a", seconds() + 100), one("b", seconds() + 300), one("c", null)];
    await sync({ devices });
    const online = async () =>
      ((await edge.get("/devices")).json() as { devices: { id: string; online: boolean }[] })
        .devices;
    const is = (...states: boolean[]) =>
      states.map((state, place) => device("abc"[place] ?? "", state));
    expect(await online()).toEqual(is(true, true, true));
    await edge.ahead(101_000);
    expect(await online()).toEqual(is(false, true, true));
    await edge.ahead(200_000);
    expect(await online()).toEqual(is(false, false, true));
    await sync({ state: "paused" }, [], [], { t: Date.now() + 200_000 });
    expect(await online()).toEqual(is(false, false, false));
  });
});

describe("/game_status", () => {
  test("holds for 180 s after a sync, and while the service runs", async () => {
    const { edge, sync } = await startOwn();
    const { now, over } = parts().game;
    const game = async () => (await edge.get("/game_status")).json();
    expect(await game()).toEqual(now);
    await edge.ahead(175_000);
    expect(await game()).toEqual(now);
    await edge.ahead(6_000);
    expect(await game()).toEqual(over);
    await sync({}, [], [], { t: Date.now() + 100_000 });
    expect(await game()).toEqual(now);
    await sync({ state: "paused" }, [], [], { t: Date.now() + 100_001 });
    expect(await game()).toEqual(over);
  });
});

test("/widget.js is the script of the sync", async () => {
  const { edge } = await startOwn();
  const answer = await edge.get("/widget.js");
  expect([answer.status, answer.text]).toEqual([200, parts().widget]);
  expect(answer.headers.get("Content-Type")).toBe("text/javascript; charset=utf-8");
  expect(answer.headers.get("Cache-Control")).toBe("public, max-age=3600");
});

describe("/images/list and /images/count", () => {
  const items = (numbers: number[], detailed = false) =>
    numbers.map((number) => {
      const [hash, createdAt, width, height, size, animated, color, thumbhash] = row(number);
      const contentType = "image/webp";
      const details = { animated, color, height, size, thumbhash, width };
      return { contentType, createdAt, hash, ...(detailed && details) };
    });

  async function start(count: number) {
    const own = await startOwn();
    await own.sync(
      {},
      Array.from({ length: count }, (_, n) => row(n)),
    );
    const list = async (query: string) => (await own.edge.get(`/images/list${query}`)).json();
    return { ...own, list };
  }
  const down = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, n) => from - n);

  test("are in pages, newest first", async () => {
    const { edge, list } = await start(250);
    expect((await edge.get("/images/count")).text).toBe('{"count":250}');
    const pagination = (current: number, size: number) => ({ current, size, total: 250 });
    expect(await list("")).toEqual({
      images: items(down(249, 240)),
      pagination: pagination(1, 10),
    });
    expect(await list("?page=3&limit=7")).toEqual({
      images: items(down(235, 229)),
      pagination: pagination(3, 7),
    });
    expect(await list("?limit=101&page=3")).toEqual({
      images: items(down(49, 0)),
      pagination: pagination(3, 100),
    });
    expect(await list("?limit=3&limit=2&page=007&x=y")).toMatchObject({
      pagination: pagination(7, 2),
    });
    expect(await list("?page=4&limit=100")).toEqual({ images: [], pagination: pagination(4, 100) });
    const largest = await edge.get("/images/list?page=9223372036854775807");
    expect(largest.text).toBe(
      '{"images":[],"pagination":{"current":9223372036854775807,"size":10,"total":250}}',
    );
  });

  test("of one time are in the order of their hashes, and have the keys in the service's order", async () => {
    const { edge, sync } = await startOwn();
    const { createdAt } = { createdAt: "2026-05-05T05:05:05.005Z" };
    await sync({}, [
      row(1, { createdAt, color: null, thumbhash: "3OcRJYB4d3h/" }),
      row(2, { createdAt }),
    ]);
    const [first = "", second = ""] = [nameOf(1), nameOf(2)].sort();
    expect((await edge.get("/images/list?limit=1")).text).toBe(
      `{"images":[{"contentType":"image/webp","createdAt":"${createdAt}","hash":"${first}"}],"pagination":{"current":1,"size":1,"total":2}}`,
    );
    const detailed = (await edge.get("/images/list?detail=1")).json() as { images: object[] };
    expect(detailed.images.map((image) => Object.keys(image).join())).toEqual(
      Array(2).fill("animated,color,contentType,createdAt,hash,height,size,thumbhash,width"),
    );
    expect(detailed.images).toContainEqual({
      ...items([1], true)[0],
      createdAt,
      color: null,
      thumbhash: "3OcRJYB4d3h/",
    });
    expect(detailed.images[1]).toMatchObject({ hash: second });
  });

  test.each([
    ["?page=0", "page"],
    ["?page=", "page"],
    ["?page=%ff", "page"],
    ["?page=1.5&limit=0", "page"],
    ["?page=9223372036854775808", "page"],
    ["?limit=+5", "limit"],
    ["?limit=-1", "limit"],
    ["?limit=0", "limit"],
    ["?album=", "album"],
    ["?album=%ff", "album"],
    [`?album=${"a".repeat(65)}`, "album"],
  ])("%s is refused", async (query, name) => {
    const { edge } = await startOwn();
    const answer = await edge.get(`/images/list${query}`);
    expect([answer.status, answer.json()]).toEqual([400, { error: `Invalid ${name}` }]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  test("are those of an album, whose name is cleaned as by the service", async () => {
    const { edge, sync, list } = await start(3);
    const names = [...new Set(rules.albums.flatMap(([, name]) => name ?? []))];
    const rows = names.map((album, n) => row(10 + n, { album }));
    await sync({}, rows);
    for (const [asked, name] of rules.albums) {
      const answer = await edge.get(`/images/list?album=${encodeURIComponent(asked ?? "")}`);
      const expected = name === null ? { error: "Invalid album" } : { pagination: { total: 1 } };
      expect(answer.json(), JSON.stringify(asked)).toMatchObject(expected);
    }
    expect(await list("?album=nothing&detail=1")).toEqual({
      images: [],
      pagination: { current: 1, size: 10, total: 0 },
    });
    // The album is then another one.
    await sync({}, [row(10, { album: "moved" })]);
    expect(await list("?album=moved")).toMatchObject({ images: items([10]) });
    expect(await list(`?album=${encodeURIComponent(names[0] ?? "")}`)).toMatchObject({
      pagination: { total: 0 },
    });
  });
});

test("1,000 readers see what was synced, and none reaches the service", async () => {
  const { service, edge, sync } = await startOwn();
  for (const application of ["One", "Two", "Three"]) {
    await sync({ presence: shown(application) });
    const readers = Array.from({ length: 1_000 }, () => edge.get("/check"));
    const seen = (await Promise.all(readers)).map(({ text }) => JSON.parse(text).application);
    expect([seen.length, new Set(seen)]).toEqual([1_000, new Set([application])]);
  }
  expect(service.asked).toEqual([]);
  expect((await edge.get("/sysinfo")).status).toBe(200);
  expect(service.asked.length).toBe(1);
});

test("a service that was replaced by another is not asked", async () => {
  const [one, other] = [await startService(), await startService()];
  const edge = await startEdge();
  const first = servedBy(edge, one.url);
  await first.sync();
  expect((await edge.get("/sysinfo")).status).toBe(200);
  const taken = { ...always(other.url), service: "f".repeat(32), replaces: always(null).service };
  const answer = await first.post({ ...taken, ...parts(), images: { from: 0, to: 1 } });
  expect(answer.status).toBe(200);
  expect((await edge.get("/sysinfo")).status).toBe(200);
  expect([one.asked.length, other.asked.length]).toEqual([1, 1]);
});
