// The limits of readers: their rate, and how much of a large picture is held for a slow one.

import { type IncomingMessage, request } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Edge } from "./harness/edge.ts";
import { nameOf, row, SETTINGS, startOwn } from "./harness/own.ts";

const WITH_IP = { CLIENT_IP_HEADER: "X-Real-IP" };
const rate = (requests_per_second: number, burst: number) => ({
  settings: { ...SETTINGS, requests_per_second, burst },
});

describe("the rate", () => {
  const start = async (change: object, bindings: Record<string, string> = WITH_IP) => {
    const own = await startOwn(bindings, {}, change);
    const get = async (ip: string, path = "/check") =>
      (await own.edge.get(path, { headers: { "X-Real-IP": ip } })).status;
    /** How many of so many requests are answered. */
    const answered = async (ip: string, many: number) => {
      const codes = await Promise.all(Array.from({ length: many }, () => get(ip)));
      return codes.filter((status) => status === 200).length;
    };
    return { ...own, get, answered };
  };

  test("of an address is that of the last sync, and comes back with time", async () => {
    const { edge, answered, sync } = await start(rate(1, 20));
    // A clock that stands still would be better; a second passes while they are answered.
    expect(await answered("192.0.2.1", 50)).toBeOneOf([20, 21, 22]);
    const refused = await edge.get("/check", { headers: { "X-Real-IP": "192.0.2.1" } });
    expect([refused.status, refused.json()]).toEqual([429, { error: "Too many requests" }]);
    expect(refused.headers.get("Retry-After")).toBe("1");
    expect(refused.headers.get("Cache-Control")).toBe("no-store");
    expect(refused.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(await answered("192.0.2.2", 5)).toBe(5);
    await edge.ahead(10_000);
    expect(await answered("192.0.2.1", 50)).toBeOneOf([10, 11, 12]);
    await sync(rate(1, 40));
    await edge.ahead(100_000);
    expect(await answered("192.0.2.1", 60)).toBeOneOf([40, 41, 42]);
    await sync(rate(0, 40));
    expect(await answered("192.0.2.1", 60)).toBe(60);
    await sync(rate(1, 0));
    expect(await answered("192.0.2.1", 60)).toBe(60);
  });

  test("counts once what the Worker asks twice", async () => {
    const own = await start(rate(1, 2));
    const { edge, service, sync } = own;
    await own.add([row(1)]);
    await sync(rate(1, 2));
    service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
    const headers = { "X-Real-IP": "192.0.2.1", "X-Offline": "1" };
    const codes = [];
    for (let times = 0; times < 3; times += 1)
      codes.push((await edge.get(`/i/${nameOf(1)}?w=320`, { headers })).status);
    expect(codes).toEqual([200, 200, 429]);
    // A reader cannot say that the service is off.
    expect(service.asked.length).toBe(2);
  });

  test("says how long to wait", async () => {
    const { edge, get } = await start(rate(1, 1));
    expect(await get("192.0.2.1")).toBe(200);
    await edge.ahead(-9_000);
    const refused = await edge.get("/check", { headers: { "X-Real-IP": "192.0.2.1" } });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThanOrEqual(9);
  });

  test("is one for a network, whoever writes its address", async () => {
    const { get } = await start(rate(1, 3));
    const codes = [];
    for (const ip of ["2001:db8::1", "2001:DB8:0:0:1::", "2001:0db8::2:0:0:1", "2001:db8::ffff"])
      codes.push(await get(ip));
    expect(codes).toEqual([200, 200, 200, 429]);
    expect([await get("192.0.2.9"), await get("::ffff:192.0.2.9")]).toEqual([200, 200]);
    expect([await get("192.0.2.9"), await get("::FFFF:192.0.2.9")]).toEqual([200, 429]);
    expect(await get("2001:db8:0:1::1")).toBe(200);
  });

  test("holds for sockets and pictures, and not for the service or what it answers", async () => {
    const own = await start(rate(1, 2));
    const { edge, get, send, sync } = own;
    await own.add([row(1)]);
    await sync(rate(1, 2));
    const ip = "192.0.2.1";
    expect([await get(ip), await get(ip)]).toEqual([200, 200]);
    for (const path of [`/i/${nameOf(1)}`, `/images/${nameOf(1)}`, "/random_image", "/badge.svg"])
      expect([path, await get(ip, path)]).toEqual([path, 429]);
    const began = performance.now();
    await expect(edge.connect("/socket", { "X-Real-IP": ip })).rejects.toThrow("429");
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await get(ip, "/sysinfo")).toBe(200);
    expect((await send("GET", "/-/store")).status).toBe(200);
    // Those that were refused are not counted as calls.
    const { calls, days } = await sync();
    expect(calls).toEqual({ "/check": { count: 2, last: expect.any(Number) } });
    expect(days[0]?.requests).toBeGreaterThan(8);
  });

  test("is nobody's without CLIENT_IP_HEADER, or without an address", async () => {
    const { answered } = await start(rate(1, 2), {});
    expect(await answered("192.0.2.1", 20)).toBe(20);
    const { answered: named } = await start(rate(1, 2));
    expect(await named("nonsense", 20)).toBe(20);
  });

  test("forgets who may send as many as at the beginning", async () => {
    Object.assign(globalThis, { WebSocketRequestResponsePair: class {} });
    const { Store } = await import("../src/store.js");
    const storage = { sql: { exec: () => ({ toArray: () => [] }) } };
    const state = { storage, setWebSocketAutoResponse() {}, blockConcurrencyWhile: async () => {} };
    const store = new Store(state as unknown as State, {});
    store.synced = rate(1_000, 10) as unknown as Synced;
    const until = Date.now() + 300;
    let most = 0;
    for (let n = 0; Date.now() < until; n += 1) {
      expect(store.waitOf(String(n))).toBe(0);
      most = Math.max(most, store.rates.size);
    }
    while (Date.now() < until + 20);
    store.waitOf("last");
    expect(most).toBeGreaterThan(10);
    expect(store.rates.size).toBe(1);
  });
});

describe("a large picture", () => {
  const SIZE = 38_000_000;
  const NAME = nameOf(1);
  const PATH = `/i/${NAME}.webp`;
  const ROWS = Math.ceil(SIZE / 1_900_000);

  async function start() {
    const own = await startOwn();
    await own.add([row(1), row(2)], (hash) => Buffer.alloc(hash === NAME ? SIZE : 1_000, 7));
    return own;
  }
  /** A reader on the network who takes nothing of its answer. */
  const slow = (edge: Edge) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(new URL(PATH, edge.url), { agent: false }, (answer) => {
        answer.pause();
        resolve(answer);
      });
      asked.on("error", reject);
      onTestFinished(() => void asked.destroy());
      asked.end();
    });
  const whole = async (answer: IncomingMessage) => {
    let size = 0;
    for await (const part of answer) size += part.length;
    return size;
  };

  test("is read as its reader takes it", async () => {
    const { edge } = await start();
    const [first] = await edge.rowsOf(async () => {
      const reader = await slow(edge);
      expect(reader.headers["content-length"]).toBe(String(SIZE));
      await expect.poll(async () => (await edge.seen(true)).reads).toBe(1);
      // What the network takes is read ahead. Another answer shows that no more comes by itself.
      expect((await edge.get(`/i/${nameOf(2)}`)).body.length).toBe(1_000);
    });
    expect(first).toBeLessThan(ROWS / 2);
    const [all] = await edge.rowsOf(async () => {
      expect(await whole(await slow(edge))).toBe(SIZE);
    });
    expect(all).toBeGreaterThanOrEqual(ROWS);
    await expect.poll(async () => (await edge.seen(true)).reads).toBe(1);
  });

  test("is read by 16 at a time; others wait, and are refused after that", async () => {
    const { edge } = await start();
    const readers = await Promise.all(Array.from({ length: 16 }, () => slow(edge)));
    for (const { statusCode } of readers) expect(statusCode).toBe(200);
    const refused = await slow(edge);
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "5"]);
    // Small ones, heads and what the reader has are sent nevertheless.
    expect((await edge.get(`/i/${nameOf(2)}`)).status).toBe(200);
    expect((await edge.get(PATH, { method: "HEAD" })).status).toBe(200);
    expect((await edge.get(PATH, { headers: { "If-None-Match": "*" } })).status).toBe(304);
    const small = await edge.get(PATH, { headers: { Range: "bytes=0-99" } });
    expect([small.status, small.body.length]).toEqual([206, 100]);
    // One more waits for the place of a reader who leaves, and one for that of one who has it all.
    const next = slow(edge);
    readers[0]?.destroy();
    expect((await next).statusCode).toBe(200);
    const last = slow(edge);
    const [, taken] = readers;
    expect(taken && (await whole(taken))).toBe(SIZE);
    expect((await last).statusCode).toBe(200);
    expect((await edge.seen(true)).reads).toBe(16);
  });

  test("that is not taken for minutes gives its place to others", async () => {
    const { edge } = await start();
    // A row has 60 s, which are now 6 ms.
    await edge.faster(10_000);
    const reader = await slow(edge);
    await expect.poll(async () => (await edge.seen(true)).reads).toBe(0);
    await expect(whole(reader)).rejects.toThrow();
  });

  test("that is deleted meanwhile ends", async () => {
    const { edge, send } = await start();
    const reader = await slow(edge);
    expect((await send("DELETE", `/-/store/randomimg/${NAME}.webp`)).status).toBe(200);
    await expect(whole(reader)).rejects.toThrow();
    await edge.faster(10_000);
    expect((await edge.get(`/i/${nameOf(2)}`)).status).toBe(200);
  });
});
