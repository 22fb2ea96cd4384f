// `POST /-/sync`: what is refused, what is applied, and what a service that loses an answer gets.

import { describe, expect, test } from "vitest";
import { type Edge, startEdge } from "./harness/edge.ts";
import {
  always,
  nameOf,
  now,
  type Over,
  parts,
  row,
  SERVICE,
  seconds,
  servedBy,
  shown,
  startOwn,
} from "./harness/own.ts";

const OTHER = "f".repeat(32);
const first = (change: object = {}) => ({
  ...always(null),
  ...parts(),
  images: { from: 0, to: 1 },
  ...change,
});

async function start() {
  const edge = await startEdge();
  return { edge, ...servedBy(edge) };
}
const hashes = async (edge: Edge) => {
  const { images } = (await edge.get("/images/list?limit=100")).json() as {
    images: { hash: string }[];
  };
  return images.map(({ hash }) => hash);
};
const names = (...numbers: number[]) => numbers.map(nameOf);

describe("a sync that is refused changes nothing", () => {
  const images = (change: object) => ({ images: { from: 1, to: 2, ...change } });
  const broken = (place: number, value: unknown) => {
    const one = row(1) as unknown[];
    one[place] = value;
    return images({ put: [row(2), one] });
  };
  test.each<[string, object]>([
    ["no service", { service: undefined }],
    ["a service that is no id", { service: "abc" }],
    ["another state", { state: "away" }],
    ["no state", { state: undefined }],
    ["a time that is none", { valid_until: "1" }],
    ["half of a second", { valid_until: 1.5 }],
    ["no address", { address: undefined }],
    ["an address that is a number", { address: 1 }],
    ["no images", { images: undefined }],
    ["no number before", images({ from: undefined })],
    ["a number that is none", images({ from: 0.5 })],
    ["no number after", images({ to: undefined })],
    ["more that is no truth", images({ more: 1 })],
    ["a deletion of no hash", images({ delete: ["x"] })],
    ["a deletion that is no list", images({ delete: nameOf(1) })],
    ["rows that are no list", images({ put: {} })],
    ["a row that is none", images({ put: [null] })],
    ["a short row", images({ put: [row(1).slice(0, 9)] })],
    ["a hash in capitals", broken(0, nameOf(1).toUpperCase())],
    ["a time in a row", broken(1, "2026-11-29T16:14:51Z")],
    ["a width", broken(2, "10")],
    ["a height", broken(3, 1.5)],
    ["a size", broken(4, null)],
    ["an animation", broken(5, 0)],
    ["a colour", broken(6, 1)],
    ["a thumbhash", broken(7, 1)],
    ["an album", broken(8, 1)],
    ["a place", broken(9, "r2")],
    ["second names", broken(10, ["x"])],
    ["presence without its end", { presence: { ...shown(), check_over: undefined } }],
    ["Lanyard without an owner", { presence: { ...shown(), lanyard: {} } }],
    ["half of a game", { game: { now: {} } }],
    ["a device without its end", { devices: [{ until: 1, now: {} }] }],
    ["devices that are no list", { devices: {} }],
    ["a setting", { settings: { ...parts().settings, delivery: "later" } }],
    ["a rate", { settings: { ...parts().settings, burst: null } }],
    ["a script that is none", { widget: null }],
    ["a batch", { counted: "1" }],
    ["an id to replace", { replaces: 1 }],
  ])("with %s", async (_, change) => {
    const { edge, post, sync, send } = await start();
    await sync({}, [row(1)]);
    const game = { now: { status: "changed" }, over: { status: "changed" } };
    const answer = await post({ ...always(null), game, ...images({}), ...change });
    expect([answer.status, answer.json()]).toEqual([400, { error: "Invalid sync" }]);
    expect((await edge.get("/game_status")).text).not.toContain("changed");
    expect(await hashes(edge)).toEqual(names(1));
    for (const body of ["", "{", "[]", "null", "1"]) {
      const { status } = await send("POST", "/-/sync", body);
      expect([body, status]).toEqual([body, 400]);
    }
    // The next number is still the one that was.
    await sync({}, [row(2)]);
    expect(await hashes(edge)).toEqual(names(2, 1));
  });

  test.each<[string, number, Over]>([
    ["by another key", 401, { secret: "another" }],
    ["signed for another method", 401, { method: "PUT" }],
    ["signed for another path", 401, { path: "/-/store" }],
    ["with another body", 400, { sent: Buffer.from("{}") }],
    ["with half of its body", 400, { sent: Buffer.from(JSON.stringify(first())).subarray(9) }],
    ["signed 310 s ago", 401, { t: Date.now() - 310_000 }],
    ["signed far ahead", 401, { t: Date.now() + 900_000 }],
  ])("%s", async (_, status, over) => {
    const { edge, post } = await start();
    const answer = await post(first(), over);
    expect(answer.status).toBe(status);
    if (over.t) {
      expect(answer.json()).toEqual({ error: "Clock is off" });
      const clock = Date.parse(answer.headers.get("Date") ?? "");
      expect(Math.abs(clock - Date.now())).toBeLessThan(30_000);
    }
    expect((await edge.get("/check")).status).toBe(503);
  });

  test("that lacks a part, and is the first of a service", async () => {
    const { edge, post } = await start();
    for (const name of ["presence", "game", "devices", "settings", "widget"]) {
      const answer = await post(first({ [name]: undefined }));
      expect([name, answer.status]).toEqual([name, 400]);
    }
    expect((await edge.get("/check")).status).toBe(503);
    expect((await post(first())).status).toBe(200);
    expect((await edge.get("/check")).status).toBe(200);
  });

  test("that came later than a newer one", async () => {
    const { edge, post } = await start();
    const [early, late, later] = [now(), now(), now()];
    expect((await post(first(), { t: late })).status).toBe(200);
    const change = { ...always(null), presence: shown("Late"), images: { from: 1, to: 1 } };
    for (const t of [early, late]) {
      const answer = await post(change, { t });
      expect([answer.status, answer.json()]).toEqual([
        409,
        { error: "A later request came first" },
      ]);
      expect(answer.headers.get("X-Time")).toBe(String(late));
    }
    expect((await edge.get("/check")).text).not.toContain("Late");
    // A refused one is no later one.
    expect((await post({ ...change, state: "?" }, { t: later })).status).toBe(400);
    expect((await post(change, { t: later })).status).toBe(200);
    expect((await edge.get("/check")).text).toContain("Late");
  });

  test("of another service, unless it takes over with everything", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1)]);
    const others = { service: OTHER };
    const refused = { service: SERVICE };
    for (const change of [
      others,
      { ...others, images: { from: 1, to: 2 } },
      { ...others, replaces: OTHER },
      { ...others, replaces: SERVICE, images: { from: 1, to: 2 } },
    ]) {
      const answer = await post(first(change));
      expect([answer.status, answer.json()]).toEqual([409, refused]);
    }
    const taken = { ...others, replaces: SERVICE, presence: shown("Taken") };
    const half = await post(first({ ...taken, widget: undefined }));
    expect(half.status).toBe(400);
    expect(await hashes(edge)).toEqual(names(1));
    expect(
      (await post(first({ ...taken, images: { from: 0, to: 5, put: [row(2)] } }))).status,
    ).toBe(200);
    expect(await hashes(edge)).toEqual(names(2));
    expect((await edge.get("/check")).text).toContain("Taken");
    const old = await post({ ...always(null), images: { from: 1, to: 2 } });
    expect([old.status, old.json()]).toEqual([409, { service: OTHER }]);
  });

  test("that goes on from another list", async () => {
    const { edge, post, sync } = await start();
    const fresh = await post(first({ images: { from: 3, to: 4, put: [row(1)] } }));
    expect([fresh.status, fresh.json()]).toEqual([409, { images: 0 }]);
    await sync({}, [row(1)]);
    await sync({}, [row(2)]);
    for (const from of [1, 3, 7]) {
      const images = { from, to: from + 1, put: [row(3)], delete: names(1) };
      const answer = await post({ ...always(null), presence: shown("New"), images });
      expect([answer.status, answer.json()]).toEqual([409, { images: 2 }]);
    }
    expect(await hashes(edge)).toEqual(names(2, 1));
    expect((await edge.get("/check")).text).not.toContain("New");
  });
});

describe("a sync", () => {
  test("leaves what it does not have", async () => {
    const { edge, sync } = await start();
    await sync({ presence: shown("One") }, [row(1)]);
    await sync({ game: { now: { status: "x" }, over: { status: "y" } } });
    expect((await edge.get("/check")).json()).toMatchObject({ application: "One" });
    expect((await edge.get("/game_status")).json()).toEqual({ status: "x" });
    expect(await hashes(edge)).toEqual(names(1));
    await sync({ widget: "// another\n" });
    expect((await edge.get("/widget.js")).text).toBe("// another\n");
    expect((await edge.get("/game_status")).json()).toEqual({ status: "x" });
  });

  test("puts, replaces and deletes rows", async () => {
    const { edge, sync } = await start();
    await sync({}, [row(1), row(2), row(3)]);
    await sync({}, [row(2, { album: "cats" }), row(4)], names(3, 9));
    expect(await hashes(edge)).toEqual(names(4, 2, 1));
    const cats = (await edge.get("/images/list?album=cats")).json();
    expect(cats).toMatchObject({ pagination: { total: 1 } });
    // What is both deleted and put is there.
    await sync({}, [row(1)], names(1));
    expect(await hashes(edge)).toEqual(names(4, 2, 1));
  });

  test("whose answer was lost can be sent again", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1)]);
    const images = { from: 1, to: 2, put: [row(2)], delete: names(1) };
    const body = { ...always(null), images };
    expect((await post(body)).json()).toMatchObject({ images: 2 });
    // Its service does not know, and is told.
    const again = await post(body);
    expect([again.status, again.json()]).toEqual([409, { images: 2 }]);
    expect(await hashes(edge)).toEqual(names(2));
    const next = await post({ ...always(null), images: { from: 2, to: 2 } });
    expect(next.json()).toMatchObject({ images: 2 });
  });

  test("is kept where STORE starts anew", async () => {
    const { edge, sync } = await start();
    await sync({ presence: shown("Kept") }, [row(1), row(2, { album: "cats" })]);
    await edge.restart();
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Kept" });
    expect(await hashes(edge)).toEqual(names(2, 1));
    await sync({}, [row(3)], names(1));
    await edge.restart();
    expect(await hashes(edge)).toEqual(names(3, 2));
  });

  test("loses nothing where the plan is full, and says until when", async () => {
    const { edge, post, sync } = await start();
    await sync({ presence: shown("Old") }, [row(1)]);
    const images = { from: 1, to: 2, put: [row(2)] };
    const change = () => post({ ...always(null), presence: shown("New"), images });
    await edge.fail("database or disk is full: SQLITE_FULL");
    const full = await change();
    expect([full.status, full.json()]).toEqual([507, { error: "Not enough storage" }]);
    expect(full.headers.get("Retry-After")).toBeNull();
    await edge.fail("Exceeded allowed rows written in Durable Objects free tier.");
    const late = await change();
    const midnight = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000);
    expect(late.status).toBe(507);
    expect(Math.abs(Number(late.headers.get("Retry-After")) - midnight)).toBeLessThan(30);
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Old" });
    expect(await hashes(edge)).toEqual(names(1));
    await edge.fail("");
    expect((await change()).status).toBe(200);
    expect(await hashes(edge)).toEqual(names(2, 1));
  });

  test("writes nothing before the first one", async () => {
    const { edge, post } = await start();
    const [, written] = await edge.rowsOf(async () => {
      for (const path of ["/check", "/images/list", "/random_image", `/i/${nameOf(1)}`, "/other"])
        expect([path, (await edge.get(path)).status]).toEqual([path, 503]);
      expect((await post({ ...always(null), images: { from: 1, to: 2 } })).status).toBe(409);
    });
    expect([written, (await edge.seen()).saves]).toEqual([0, 0]);
  });
});

describe("a list anew", () => {
  const call = (from: number, to: number, put: Row[], more = true) => ({
    ...always(null),
    images: { from, to, put, ...(more && { more }) },
  });

  test("replaces the old one once it is whole", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1), row(2)]);
    expect((await post(call(0, 10, [row(3), row(4)]))).json()).toMatchObject({ images: 10 });
    expect(await hashes(edge)).toEqual(names(2, 1));
    expect((await post(call(10, 11, [row(2)]))).json()).toMatchObject({ images: 11 });
    expect(await hashes(edge)).toEqual(names(2, 1));
    await edge.restart();
    const images = { from: 11, to: 12, put: [row(5)], delete: names(4) };
    const last = await post({ ...always(null), images });
    expect(last.json()).toMatchObject({ images: 12 });
    expect(await hashes(edge)).toEqual(names(5, 3, 2));
    await edge.restart();
    expect(await hashes(edge)).toEqual(names(5, 3, 2));
    expect((await post(call(12, 13, [row(6)], false))).status).toBe(200);
    expect(await hashes(edge)).toEqual(names(6, 5, 3, 2));
  });

  test("may have parts with numbers below zero, which no whole one has", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1), row(2)]);
    expect((await post(call(0, -1, [row(3)]))).json()).toMatchObject({ images: -1 });
    expect((await post(call(-1, -2, [row(4)]))).json()).toMatchObject({ images: -2 });
    expect(await hashes(edge)).toEqual(names(2, 1));
    expect((await post(call(-2, 1, [row(5)], false))).json()).toMatchObject({ images: 1 });
    expect(await hashes(edge)).toEqual(names(5, 4, 3));
    const again = await post(call(-2, 1, [row(6)], false));
    expect([again.status, again.json()]).toEqual([409, { images: 1 }]);
    expect((await post(call(1, 2, [row(6)], false))).json()).toMatchObject({ images: 2 });
    expect(await hashes(edge)).toEqual(names(6, 5, 4, 3));
  });

  test("may have the number of the old one", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1), row(2)]);
    for (const more of [true, true, false]) {
      const from = more && (await hashes(edge)).length ? 0 : 1;
      expect((await post(call(from, 1, [row(3)], more))).status).toBe(200);
    }
    expect(await hashes(edge)).toEqual(names(3));
  });

  test("that is begun again forgets its first half, and one that is left is no harm", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1)]);
    await post(call(0, 10, [row(2)]));
    await post(call(0, 20, [row(3)]));
    const lost = await post(call(10, 11, [row(4)]));
    expect([lost.status, lost.json()]).toEqual([409, { images: 1 }]);
    // The old one goes on, too.
    expect((await post(call(1, 2, [row(5)], false))).json()).toMatchObject({ images: 2 });
    expect(await hashes(edge)).toEqual(names(5, 1));
    expect((await post(call(20, 21, [row(6)], false))).json()).toMatchObject({ images: 21 });
    expect(await hashes(edge)).toEqual(names(6, 3));
    const old = await post(call(2, 3, [row(7)], false));
    expect([old.status, old.json()]).toEqual([409, { images: 21 }]);
  });

  test("that is the first one is answered once it is whole", async () => {
    const { edge, post } = await start();
    const more = { from: 0, to: 5, put: [row(1)], more: true };
    expect((await post(first({ images: more }))).status).toBe(200);
    expect((await edge.get("/check")).status).toBe(200);
    for (const path of ["/images/count", "/images/list", "/random_image"])
      expect([path, (await edge.get(path)).status]).toEqual([path, 503]);
    expect((await post(call(5, 6, [row(2)], false))).status).toBe(200);
    expect(await hashes(edge)).toEqual(names(2, 1));
  });

  test("may be empty", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1)]);
    const answer = await post({ ...always(null), images: { from: 0, to: 9 } });
    expect(answer.json()).toMatchObject({ images: 9 });
    expect((await edge.get("/images/count")).json()).toEqual({ count: 0 });
  });

  test("that fails at its last call is still the old one", async () => {
    const { edge, post, sync } = await start();
    await sync({}, [row(1)]);
    await post(call(0, 10, [row(2)]));
    await edge.fail("SQLITE_FULL");
    expect((await post(call(10, 11, [row(3)], false))).status).toBe(507);
    await edge.fail("");
    expect(await hashes(edge)).toEqual(names(1));
    expect((await post(call(10, 11, [row(3)], false))).status).toBe(200);
    expect(await hashes(edge)).toEqual(names(3, 2));
  });
});

describe("counts", () => {
  const READER = { "X-Real-IP": "192.0.2.1" };
  const WITH_IP = { CLIENT_IP_HEADER: "X-Real-IP" };

  test("come in batches until the service has added them", async () => {
    const own = await startOwn(WITH_IP);
    await own.add([row(1)]);
    const { edge } = own;
    const path = `/i/${nameOf(1)}.webp`;
    for (let times = 0; times < 3; times += 1) await edge.get("/check");
    await edge.get(path);
    await edge.get(path, { headers: { "If-None-Match": "*" } });
    await edge.get(`${path}?w=7`);
    await edge.get(path, { headers: { Range: "bytes=0-1" } });
    await edge.get(`/images/${nameOf(1)}`);
    await edge.get("/sysinfo");
    await edge.get("/check", { method: "OPTIONS" });
    // Those that STORE has not seen come a moment later.
    const counted = async () => (await own.sync()).calls["/i/{hash}"]?.count;
    await expect.poll(counted).toBe(4);
    const one = await own.sync();
    expect(one.batch).toBeGreaterThan(Date.now() - 60_000);
    const last = expect.any(Number);
    expect(one.calls).toEqual({
      "/check": { count: 3, last },
      "/i/{hash}": { count: 4, last },
      "/images/{hash}": { count: 1, last },
    });
    expect(one.pictures).toEqual({ [nameOf(1)]: 3 });
    // It is repeated until it was added, also where STORE starts anew.
    await edge.get("/devices");
    expect((await own.sync()).batch).toBe(one.batch);
    await edge.restart();
    const again = await own.sync({ counted: 5 });
    expect([again.batch, again.calls, again.pictures]).toEqual([
      one.batch,
      one.calls,
      one.pictures,
    ]);
    await edge.get("/game_status");
    const two = await own.sync({ counted: one.batch });
    expect(two.batch).toBeGreaterThan(one.batch ?? 0);
    expect(two.calls).toMatchObject({ "/game_status": { count: 1 } });
    expect(two.calls).not.toHaveProperty("/check");
    expect(two.pictures).toEqual({});
    const none = await own.sync({ counted: two.batch });
    expect([none.batch, none.calls, none.pictures]).toEqual([null, {}, {}]);
  });

  test("are not counted twice where STORE starts anew after it has written them", async () => {
    const { edge, ...own } = await start();
    await edge.faster(1_000);
    const { sync } = own;
    await sync();
    await edge.get("/check");
    await edge.get("/check");
    const { saves } = await edge.seen();
    await edge.get("/images/list?page=0");
    await expect.poll(async () => (await edge.seen()).saves).toBeGreaterThan(saves);
    await edge.restart();
    // They were written, so they are still there.
    const one = await sync();
    expect(one.calls).toMatchObject({ "/check": { count: 2 } });
    await edge.restart();
    const two = await sync({ counted: one.batch });
    expect([two.batch, two.calls]).toEqual([null, {}]);
  });

  test("have the readers of a day, by their network", async () => {
    const { edge, sync } = await startOwn(WITH_IP);
    const readers = [
      "192.0.2.1",
      "::ffff:192.0.2.1",
      "192.0.2.2",
      "2001:db8:1:2:3::4",
      "2001:DB8:1:2::6",
      "2001:db8:1:2:3:4:5:6",
      "2001:db8::1",
      "2001:db8:0:0:9::",
      "nonsense",
      "",
    ];
    for (const reader of [...readers, ...readers])
      await edge.get("/check", { headers: { "X-Real-IP": reader } });
    const { days } = await sync();
    expect(days).toEqual([{ day: expect.any(String), requests: expect.any(Number), readers: 4 }]);
    await edge.ahead(86_400_000);
    await edge.get("/check", { headers: READER });
    const later = { valid_until: seconds() + 90_000 };
    const { days: two } = await sync(later, [], [], { t: Date.now() + 86_400_000 });
    expect(two.map(({ readers }) => readers)).toEqual([1, 4]);
  });

  test("name no reader without CLIENT_IP_HEADER, and no reader names itself", async () => {
    const { edge, sync } = await startOwn();
    await edge.get("/check", { headers: { ...READER, "X-Reader": "0123456789abcdef" } });
    expect((await sync()).days[0]?.readers).toBe(0);
    const { edge: other, sync: report } = await startOwn(WITH_IP);
    for (const digit of "abc") {
      const headers = { ...READER, "X-Reader": digit.repeat(16) };
      await other.get("/check", { headers });
    }
    expect((await report()).days[0]?.readers).toBe(1);
  });

  test("have at most 10,000 pictures and 100,000 readers", async () => {
    const { default: _, Store } = (await import(
      "../src/worker.js"
    )) as typeof import("../src/worker.js");
    const storage = { sql: { exec: () => ({ toArray: () => [] }) } };
    Object.assign(globalThis, {
      WebSocketRequestResponsePair: class {},
    });
    const state = { storage, setWebSocketAutoResponse() {}, blockConcurrencyWhile: async () => {} };
    const store = new Store(state as unknown as State, {});
    for (let number = 0; number < 300_000; number += 1) {
      const name = nameOf(number);
      store.count(["/i/{hash}", name, name.slice(0, 16)]);
    }
    const { pictures, days } = store.counts;
    expect([pictures.size, days[0]?.readers]).toEqual([10_000, 100_000]);
    store.count(["/i/{hash}", nameOf(0), nameOf(0).slice(0, 16)]);
    expect(store.counts.pictures.get(nameOf(0))).toBe(2);
    expect(JSON.parse(JSON.stringify(days))[0].readers).toBe(100_000);
  });
});
