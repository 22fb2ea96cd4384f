// Everything else is passed on to the service.

import { describe, expect, test } from "vitest";
import { HOST, startEdge } from "./harness/edge.ts";
import { serve } from "./harness/http.ts";
import { now, servedBy, startOwn } from "./harness/own.ts";
import { json, SECRET, signature, startService } from "./harness/service.ts";

const OFFLINE = { error: "The service is offline" };
const TOKEN = { Authorization: "Bearer token" };

describe("a request", () => {
  test("arrives as it came, and so does its answer", async () => {
    const { service, edge } = await startOwn();
    service.answers = ({ path, method }) =>
      method === "POST"
        ? { ...json({ hash: "1" }, 201), headers: { ETag: '"x"', "Set-Cookie": "tunnel=1" } }
        : json({ path });
    const body = "x".repeat(100_000);
    const init = { method: "POST", body, headers: { ...TOKEN, "Content-Type": "image/png" } };
    const answer = await edge.get("/images/add?a=%2F&b=c%20d", init);
    expect([answer.status, answer.json()]).toEqual([201, { hash: "1" }]);
    expect(answer.headers.get("ETag")).toBe('"x"');
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(answer.headers.get("Set-Cookie")).toBeNull();
    const asked = service.asked.at(-1);
    expect(asked?.path).toBe("/images/add?a=%2F&b=c%20d");
    expect(asked?.body.toString()).toBe(body);
    expect(asked?.headers).toMatchObject({
      authorization: TOKEN.Authorization,
      "content-type": "image/png",
      host: new URL(service.url).host,
    });
    for (const path of ["/", "/sysinfo", "/ipcheck?ip=1.1.1.1", "/api_stats//", "/unknown"]) {
      expect((await edge.get(path)).json()).toEqual({ path });
    }
  });

  test("is signed, and names its reader", async () => {
    const { service, edge } = await startOwn({ CLIENT_IP_HEADER: "X-Real-IP" });
    const ips = ["192.0.2.7", "2001:db8::7", "10.0.0.1, 192.0.2.8", "1.1.1.1\tv1=0", "x", ""];
    const seen = [];
    for (const ip of ips) {
      await edge.get("/sysinfo?a=b", { method: "HEAD", headers: { "X-Real-IP": ip } });
      const asked = service.asked.at(-1);
      if (!asked) throw new Error("not asked");
      expect(asked.path).toBe("/sysinfo?a=b");
      expect(signature(asked).right).toBe(true);
      seen.push(signature(asked).ip);
    }
    expect(seen).toEqual(["192.0.2.7", "2001:db8::7", "192.0.2.8", "", "", ""]);
  });

  test("has no address of the reader without CLIENT_IP_HEADER", async () => {
    const { service, edge } = await startOwn();
    const headers = { "X-Real-IP": "192.0.2.7", "CF-Connecting-IP": "192.0.2.7" };
    await edge.get("/sysinfo", { headers });
    const asked = service.asked.at(-1);
    expect(asked && signature(asked)).toMatchObject({ ip: "", right: true });
    expect(JSON.stringify(asked?.headers)).not.toContain("192.0.2.7");
  });

  test("loses headers that a reader must not send", async () => {
    const { service, edge } = await startOwn();
    const dropped = {
      "X-Porchlight": "1",
      "X-Porchlight-Edge": "t=1, ip=1.2.3.4, v1=0",
      "X-Porchlight-Other": "x",
      "X-Forwarded-For": "1.2.3.4",
      "X-Forwarded-Proto": "http",
      "X-Forwarded-Host": "evil.example",
      Forwarded: "for=1.2.3.4",
      "X-Real-IP": "1.2.3.4",
      "True-Client-IP": "1.2.3.4",
      "CF-Connecting-IP": "1.2.3.4",
      "CF-Ray": "1",
      Origin: "https://blog.example",
      Referer: "https://blog.example/post",
      "Sec-Fetch-Site": "cross-site",
    };
    const kept = { "User-Agent": "reader", "If-None-Match": '"x"', Accept: "a/b" };
    await edge.get("/sysinfo", { headers: { ...dropped, ...kept } });
    const headers = service.asked.at(-1)?.headers ?? {};
    expect(headers).toMatchObject({
      "user-agent": "reader",
      "if-none-match": '"x"',
      accept: "a/b",
    });
    for (const name of Object.keys(dropped)) {
      if (name !== "X-Porchlight-Edge") expect(headers).not.toHaveProperty(name.toLowerCase());
    }
    expect(headers["x-porchlight-edge"]).not.toContain("1.2.3.4");
  });

  test("may get any answer of the service's own", async () => {
    const { service, edge } = await startOwn();
    for (const status of [400, 401, 404, 429, 500, 502, 507]) {
      service.answers = () => ({ ...json({ status }, status), headers: { "Retry-After": "7" } });
      const answer = await edge.get("/ipcheck?ip=1.1.1.1");
      expect([answer.status, answer.headers.get("Retry-After")]).toEqual([status, "7"]);
    }
    service.answers = () => ({ status: 302, headers: { Location: "https://elsewhere.example/" } });
    const elsewhere = await edge.get("/sysinfo");
    expect([elsewhere.status, elsewhere.headers.get("Location")]).toEqual([
      302,
      "https://elsewhere.example/",
    ]);
    service.answers = () => ({ status: 204 });
    expect((await edge.get("/sysinfo")).status).toBe(204);
  });

  test.each([
    ["no answer", { status: 502, headers: { "X-Porchlight": "" } }],
    ["one without the mark", { body: "<html>", headers: { "X-Porchlight": "" } }],
    ["a 308", { status: 308, headers: { Location: "https://elsewhere.example/" } }],
  ])("with %s is answered with 503, and the next is tried", async (_, wrong) => {
    const { service, edge } = await startOwn();
    expect((await edge.get("/sysinfo")).status).toBe(200);
    service.answers = () => wrong;
    const answer = await edge.get("/images/add", { method: "POST", headers: TOKEN, body: "x" });
    expect([answer.status, answer.json()]).toEqual([503, OFFLINE]);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    service.answers = () => undefined;
    expect((await edge.get("/sysinfo")).status).toBe(200);
  });

  test("has 100 seconds", async () => {
    const { service, edge } = await startOwn();
    await edge.get("/sysinfo");
    await edge.faster(100);
    service.answers = ({ path }) => (path === "/slow" ? "hang" : undefined);
    const began = performance.now();
    expect((await edge.get("/slow")).status).toBe(503);
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  test("keeps what its answer says of caches", async () => {
    const { service, edge } = await startOwn();
    const caching = { "Cache-Control": "public, max-age=300" };
    service.answers = ({ path }) => (path === "/kept" ? { headers: caching } : { body: "x" });
    for (const [path, kept] of [
      ["/kept", "public, max-age=300"],
      ["/bare", "no-store"],
    ] as const) {
      const answer = await edge.get(path);
      expect(answer.headers.get("Cache-Control")).toBe(kept);
      // A cache in front keeps nothing of it.
      expect(answer.headers.get("Cloudflare-CDN-Cache-Control")).toBe("no-store");
    }
  });

  test("names the secret to nobody", async () => {
    const { service, edge } = await startOwn();
    for (const path of ["/", "/sysinfo", "/images/add"]) await edge.get(path);
    expect(service.asked.length).toBe(3);
    expect(JSON.stringify(service.asked)).not.toContain(SECRET);
  });
});

describe("the service is off", () => {
  const PATHS = ["/sysinfo", "/", "/images/add", "/api/device/set?secret=token&id=a"];

  test.each(["asleep", "stopped"])("where its last sync says %s", async (state) => {
    const { service, edge, sync } = await startOwn();
    expect((await edge.get("/sysinfo")).status).toBe(200);
    await sync({ state });
    for (const path of PATHS) {
      const answer = await edge.get(path, { method: "POST", headers: TOKEN, body: "x" });
      expect([answer.status, answer.json()]).toEqual([503, OFFLINE]);
      expect(answer.headers.get("Retry-After")).toBe("60");
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
    expect(service.asked.length).toBe(1);
    await sync({ state: "running" });
    expect((await edge.get("/sysinfo")).status).toBe(200);
  });

  test("but not where it is paused", async () => {
    const { edge, sync } = await startOwn();
    await sync({ state: "paused" });
    expect((await edge.get("/sysinfo")).status).toBe(200);
  });

  test("90 seconds after its last sync", async () => {
    const { service, edge, sync } = await startOwn();
    await edge.ahead(85_000);
    expect((await edge.get("/sysinfo")).status).toBe(200);
    await edge.ahead(6_000);
    expect((await edge.get("/sysinfo")).status).toBe(503);
    expect(service.asked.length).toBe(1);
    await sync({}, [], [], { t: now() + 91_000 });
    expect((await edge.get("/sysinfo")).status).toBe(200);
  });

  test("where nobody answers, or it names no address", async () => {
    const edge = await startEdge();
    const { sync } = servedBy(edge, "http://127.0.0.1:1");
    await sync();
    expect((await edge.get("/sysinfo")).status).toBe(503);
    await sync({ address: null });
    expect((await edge.get("/sysinfo")).status).toBe(503);
  });

  test("at its old address as soon as it has synced another", async () => {
    const { service, edge, sync } = await startOwn();
    const other = await startService();
    expect((await edge.get("/sysinfo")).status).toBe(200);
    await sync({ address: other.url });
    expect((await edge.get("/sysinfo")).status).toBe(200);
    expect([service.asked.length, other.asked.length]).toEqual([1, 1]);
  });

  test("for 2 seconds, whatever STORE says then", async () => {
    const { edge } = await startOwn();
    expect((await edge.get("/sysinfo")).status).toBe(200);
    const [read] = await edge.rowsOf(async () => {
      for (let times = 0; times < 5; times += 1) await edge.get("/sysinfo");
    });
    expect(read).toBe(0);
    await edge.fail("no question", "refuse");
    expect((await edge.get("/sysinfo")).status).toBe(200);
    await edge.ahead(2_001);
    expect((await edge.get("/sysinfo")).status).toBe(503);
    await edge.fail("", "refuse");
    expect((await edge.get("/sysinfo")).status).toBe(200);
  });
});

describe("the address", () => {
  const start = async (address: string | null, ORIGIN = "") => {
    const edge = await startEdge({ ORIGIN });
    await servedBy(edge, address).sync();
    return edge;
  };

  test("of the last sync comes before ORIGIN", async () => {
    const [one, other] = [await startService(), await startService()];
    const both = await start(one.url, other.url);
    expect((await both.get("/sysinfo")).status).toBe(200);
    expect([one.asked.length, other.asked.length]).toEqual([1, 0]);
    const own = await start(null, other.url);
    expect((await own.get("/sysinfo")).status).toBe(200);
    expect(other.asked.length).toBe(1);
  });

  test.each(["http://0.0.0.0:", "ftp://127.0.0.1:", "http:/", "nonsense "])(
    "like %s is not asked: it may be read on the way, or is no address",
    async (begin) => {
      const service = await startService();
      // On Linux this leads to the service, but its name is not one of loopback.
      const { port } = new URL(service.url);
      for (const edge of [await start(begin + port), await start(null, begin + port)])
        expect((await edge.get("/sysinfo")).status).toBe(503);
      expect(service.asked).toEqual([]);
    },
  );

  test.each(["localhost", "127.0.0.1"])("may be http://%s", async (host) => {
    const service = await startService();
    const { port } = new URL(service.url);
    const edge = await start(`http://${host}:${port}/ignored?x`);
    expect((await edge.get("/sysinfo")).json()).toMatchObject({ path: "/sysinfo" });
  });

  test("keeps its own port, and not that of the request", async () => {
    const { service, edge } = await startOwn();
    await edge.get(`${HOST}:4433/sysinfo`);
    expect(service.asked.at(-1)?.headers.host).toBe(new URL(service.url).host);
  });

  test("that is somebody else's by now gives nobody's answer", async () => {
    const other = await serve((_, response) => void response.end("<html>"));
    const edge = await start(other.url);
    const answer = await edge.get("/sysinfo");
    expect([answer.status, answer.json()]).toEqual([503, OFFLINE]);
  });
});
