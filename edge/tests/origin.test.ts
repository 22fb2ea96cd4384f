// `origin.json`, the sealed address of the tunnel, and the proof that the service is there.

import type { RequestInit } from "miniflare";
import { describe, expect, test } from "vitest";
import { startAll, startEdge, startWithoutService } from "./harness/edge.ts";
import type { Asked } from "./harness/http.ts";
import {
  hmac,
  json,
  LIVE_CHECK,
  proofOf,
  SECRET,
  signature,
  startService,
} from "./harness/service.ts";
import { putCheck, type Store, sealed, seconds } from "./harness/store.ts";

const DAY = 86_400;

function readings(store: Store) {
  return store.asked.filter(({ path }) => path === "/porchlight/origin.json").length;
}

describe("origin.json", () => {
  const tampered = () => {
    const bytes = Buffer.from(sealed("http://127.0.0.1:1").sealed, "base64");
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    return { sealed: bytes.toString("base64") };
  };

  test.each<[string, (url: string) => object | string]>([
    ["tampered with", tampered],
    ["sealed with another key", (url) => sealed(url, seconds(), "another secret")],
    ["not sealed", (url) => ({ url, written_at: seconds() })],
    ["too short", () => ({ sealed: "AAAA" })],
    ["not base64", () => ({ sealed: "<html>" })],
    ["not JSON", () => "<html>"],
    ["null", () => "null"],
    ["older than a day", (url) => sealed(url, seconds() - DAY - 5)],
    ["without an address", () => sealed(null)],
  ])("%s: no server is asked", async (_, content) => {
    const { store, edge } = await startWithoutService();
    const service = await startService();
    store.snapshot("origin.json", content(service.url));
    putCheck(store);
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Editor" });
    expect((await edge.get("/sysinfo")).status).toBe(503);
    expect(service.asked).toEqual([]);
    // A right one is read by the next request that is passed on, 2 seconds later.
    store.snapshot("origin.json", sealed(service.url));
    await edge.ahead(2_500);
    expect((await edge.get("/sysinfo")).status).toBe(200);
    expect((await edge.get("/check")).json()).toEqual(LIVE_CHECK);
  });

  test("without an address is read again every 30 seconds, and by what is passed on after 2", async () => {
    const { store, edge } = await startWithoutService();
    putCheck(store);
    store.snapshot("origin.json", sealed(null));
    for (let times = 0; times < 5; times += 1) await edge.get("/check");
    expect(readings(store)).toBe(1);
    await edge.ahead(28_000);
    await edge.get("/check");
    expect(readings(store)).toBe(1);
    await edge.ahead(2_500);
    await edge.get("/check");
    await edge.get("/check");
    expect(readings(store)).toBe(2);
    for (let times = 0; times < 3; times += 1) await edge.get("/sysinfo");
    expect(readings(store)).toBe(2);
    await edge.ahead(2_500);
    for (let times = 0; times < 3; times += 1) await edge.get("/sysinfo");
    expect(readings(store)).toBe(3);
  });

  test("with an address is not read again while the service is there", async () => {
    const { store, edge } = await startAll();
    for (let times = 0; times < 5; times += 1) {
      expect((await edge.get("/check")).json()).toEqual(LIVE_CHECK);
      expect((await edge.get("/sysinfo")).status).toBe(200);
      await edge.ahead(60_000);
    }
    expect(readings(store)).toBe(1);
    await edge.ahead(DAY * 1_000);
    expect((await edge.get("/sysinfo")).status).toBe(503);
  });

  test("is read again when a passed-on request finds no service", async () => {
    const { store, edge } = await startWithoutService();
    store.snapshot("origin.json", sealed("http://127.0.0.1:1"));
    expect((await edge.get("/sysinfo")).status).toBe(503);
    const service = await startService();
    store.snapshot("origin.json", sealed(service.url));
    await edge.ahead(2_500);
    expect((await edge.get("/sysinfo")).status).toBe(503);
    expect((await edge.get("/sysinfo")).status).toBe(200);
  });

  test("is not read without EDGE_SECRET", async () => {
    const { store, service } = await startAll();
    const edge = await startEdge({ STORAGE_URL: store.url, EDGE_SECRET: "" });
    expect((await edge.get("/sysinfo")).status).toBe(503);
    expect((await edge.get("/check")).status).toBe(503);
    expect([readings(store), service.asked]).toEqual([0, []]);
  });
});

describe("the proof", () => {
  const proofs = (asked: { path: string }[]) =>
    asked.filter(({ path }) => /^\/\?[0-9a-f-]{36}$/.test(path)).map(({ path }) => path);
  const TOKEN = { Authorization: "Bearer token" };
  const BODY = { method: "POST", body: "x" };

  test("is taken from the answer itself", async () => {
    const { service, edge } = await startAll();
    for (const path of ["/check", "/sysinfo", "/i/0".padEnd(35, "0")]) await edge.get(path);
    expect((await edge.get("/check")).json()).toEqual(LIVE_CHECK);
    expect(service.asked.length).toBe(3);
    expect(proofs(service.asked)).toEqual([]);
    // Each of them was one, so that a token needs none before it.
    expect((await edge.get("/sysinfo", { headers: TOKEN })).status).toBe(200);
    expect(proofs(service.asked)).toEqual([]);
  });

  test.each<[string, string, RequestInit]>([
    ["a token", "/sysinfo/", { headers: TOKEN }],
    ["a body", "/sysinfo/", BODY],
    ["a token in sleepy's header", "/api/device/set/", { headers: { "Sleepy-Secret": "token" } }],
    ["a token in Lsky Pro's header", "/api/upload/", { headers: { token: "token" } }],
    ["a token in Chevereto's header", "/api/1/upload/", { headers: { "X-API-Key": "token" } }],
    ["a token in sleepy's address", "/api/device/set?secret=token&id=", {}],
    ["a token in the address of sleepy 4", "/device/set?secret=token&id=", {}],
    ["a token in Lsky Pro's address", "/api/upload?token=token&id=", {}],
    ["a token in Chevereto's address", "/api/1/upload?key=token&id=", {}],
  ])("is asked for before %s, with a fresh query, and once for many", async (_, path, init) => {
    const { service, edge } = await startAll();
    await Promise.all(Array.from({ length: 10 }, (_, at) => edge.get(path + at, init)));
    expect(proofs(service.asked.slice(0, 1)).length).toBe(1);
    expect(proofs(service.asked).length).toBe(1);
    expect(service.asked.length).toBe(11);
    expect(JSON.stringify(service.asked[0])).not.toContain("token");
  });

  test("is not asked for before what has neither", async () => {
    const { service, edge } = await startAll();
    await edge.get("/sysinfo");
    expect(service.asked.map(({ path }) => path)).toEqual(["/sysinfo"]);
  });

  test("that fails leaves a token in the address with the Worker", async () => {
    const { service, edge } = await startAll();
    service.answers = () => ({ headers: { "X-Porchlight-Proof": "" } });
    for (const path of ["/api/device/set?secret=token", "/device/set?secret=token"])
      expect((await edge.get(path)).status).toBe(503);
    expect(JSON.stringify(service.asked)).not.toContain("token");
  });

  test("holds for 30 seconds, and each proved answer renews it", async () => {
    const { service, edge } = await startAll();
    await edge.get("/sysinfo", BODY);
    await edge.ahead(29_000);
    await edge.get("/sysinfo");
    await edge.ahead(29_000);
    await edge.get("/sysinfo", BODY);
    expect(proofs(service.asked).length).toBe(1);
    await edge.ahead(30_000);
    await edge.get("/sysinfo", BODY);
    expect(new Set(proofs(service.asked)).size).toBe(2);
  });

  test.each<[string, (asked: Asked) => string]>([
    ["none", () => ""],
    ["a wrong one", () => "0".repeat(64)],
    ["the secret itself", () => SECRET],
    ["one without a host", (asked) => hmac(`proof\n${signature(asked).v1}`)],
    // Whoever has an old address of the tunnel can pass everything on to the present one.
    ["one of another address", (asked) => proofOf("other.example", signature(asked).v1)],
  ])("%s: the answer is not used, and it counts as off", async (_, proof) => {
    const { store, service, edge } = await startAll();
    putCheck(store);
    const wrong = (asked: Asked) => {
      const answer = json({ ...LIVE_CHECK, path: asked.path });
      return { ...answer, headers: { "X-Porchlight-Proof": proof(asked) } };
    };
    service.answers = wrong;
    for (const path of ["/sysinfo", "/images/x", "/widget.js", "/random_image"])
      expect((await edge.get(path)).text).not.toContain("path");
    expect((await edge.get("/sysinfo")).status).toBe(503);
    const upload = { ...BODY, headers: TOKEN };
    expect((await edge.get("/images/add", upload)).status).toBe(503);
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Editor" });
    expect(JSON.stringify(service.asked.map((asked) => asked.headers))).not.toContain("Bearer");
    expect(service.asked.every(({ body }) => body.length === 0)).toBe(true);
    // For 30 seconds, as after any other sign that it is off.
    service.answers = () => undefined;
    await edge.ahead(28_000);
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Editor" });
    await edge.ahead(2_500);
    expect((await edge.get("/check")).json()).toEqual(LIVE_CHECK);
  });

  test("of one address is none of another", async () => {
    const { store, service, edge } = await startAll();
    await edge.get("/sysinfo", BODY);
    const other = await startService(() => ({ headers: { "X-Porchlight-Proof": "" } }));
    store.snapshot("origin.json", sealed(other.url));
    service.answers = () => ({ headers: { "X-Porchlight": "" } });
    await edge.ahead(2_500);
    expect((await edge.get("/sysinfo", BODY)).status).toBe(503);
    expect((await edge.get("/sysinfo", BODY)).status).toBe(503);
    expect(proofs(other.asked).length).toBe(1);
    expect(other.asked.length).toBe(1);
  });
});

describe("EDGE_SECRET", () => {
  test("is never sent", async () => {
    const { store, service, edge } = await startAll();
    for (const path of ["/check", "/sysinfo", "/widget.js", "/random_image"]) await edge.get(path);
    expect(service.asked.length).toBeGreaterThan(3);
    expect(JSON.stringify([service.asked, store.asked])).not.toContain(SECRET);
  });
});
