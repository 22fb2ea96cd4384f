// Everything else is passed on to the service.

import { describe, expect, test } from "vitest";
import { HOST, startAll, startEdge, startWithoutService } from "./harness/edge.ts";
import { json, signature, startService } from "./harness/service.ts";
import { nameOf, putCheck, startStore } from "./harness/store.ts";

const OFFLINE = { error: "The service is offline" };
const TOKEN = { Authorization: "Bearer token" };
const NAME = nameOf(1);

describe("a request", () => {
  test("arrives as it came, and so does its answer", async () => {
    const { service, edge } = await startAll();
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
    expect(answer.headers.get("X-Porchlight-Proof")).toBeNull();
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

  test.each([
    ["/badge.svg", "image/svg+xml"],
    ["/badge.json", "application/json"],
    ["/card.svg", "image/svg+xml"],
  ])(
    "for %s is the service's to answer, which no snapshot does while it is off",
    async (path, type) => {
      const { store, service, edge } = await startAll();
      putCheck(store);
      const headers = {
        "Content-Type": type,
        "Cache-Control": "no-cache",
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      };
      service.answers = (asked) => ({ headers, body: `${asked.method} ${asked.path}` });
      const query = "?label=%E7%8C%AB%20now&theme=dark&lang=zh";
      const answer = await edge.get(path + query);
      expect([answer.status, answer.text]).toEqual([200, `GET ${path}${query}`]);
      for (const [name, value] of Object.entries(headers))
        expect(answer.headers.get(name)).toBe(value);
      expect(answer.headers.get("Cloudflare-CDN-Cache-Control")).toBe("no-store");
      const head = await edge.get(path, { method: "HEAD" });
      expect([head.status, head.headers.get("Cache-Control")]).toEqual([200, "no-cache"]);
      service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
      const off = await edge.get(path + query);
      expect([off.status, off.json(), off.headers.get("Cache-Control")]).toEqual([
        503,
        OFFLINE,
        "no-store",
      ]);
    },
  );

  test("is signed, and names its reader", async () => {
    const { service, edge } = await startAll({ CLIENT_IP_HEADER: "X-Real-IP" });
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
    const { service, edge } = await startAll();
    const headers = { "X-Real-IP": "192.0.2.7", "CF-Connecting-IP": "192.0.2.7" };
    await edge.get("/sysinfo", { headers });
    const asked = service.asked.at(-1);
    expect(asked && signature(asked)).toMatchObject({ ip: "", right: true });
    expect(JSON.stringify(asked?.headers)).not.toContain("192.0.2.7");
  });

  test("loses headers that a reader must not send", async () => {
    const { service, edge } = await startAll();
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
    const { service, edge } = await startAll();
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
    const { service, edge } = await startAll();
    expect((await edge.get("/sysinfo")).status).toBe(200);
    service.answers = () => wrong;
    const answer = await edge.get("/images/add", { method: "POST", headers: TOKEN, body: "x" });
    expect([answer.status, answer.json()]).toEqual([503, OFFLINE]);
    expect(answer.headers.get("Retry-After")).toBe("60");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    service.answers = () => undefined;
    expect((await edge.get("/sysinfo")).status).toBe(200);
  });

  test("is tried while the four questions leave the service alone", async () => {
    const { service, edge } = await startAll();
    service.answers = ({ path }) => (path === "/check" ? json({}, 500) : undefined);
    expect((await edge.get("/check")).status).toBe(503);
    expect((await edge.get("/sysinfo")).status).toBe(200);
    expect((await edge.get("/images/count")).status).toBe(503);
  });

  test("has 100 seconds", async () => {
    const { service, edge } = await startAll();
    await edge.get("/sysinfo");
    await edge.faster(100);
    service.answers = ({ path }) => (path === "/slow" ? "hang" : undefined);
    const began = performance.now();
    expect((await edge.get("/slow")).status).toBe(503);
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  test("without a service is answered with 503", async () => {
    const { edge } = await startWithoutService();
    expect((await edge.get("/heartbeat", { method: "POST", headers: TOKEN })).status).toBe(503);
  });
});

describe("a redirect of the service to the store", () => {
  const redirect =
    (place: string) =>
    ({ path }: { path: string }) =>
      /^\/(i|images|random_image)/.test(path)
        ? { status: 302, headers: { Location: place } }
        : undefined;

  test.each(["/i/%s.webp", "/images/%s", "/random_image"])(
    "is followed for %s, when the object is there a second later",
    async (path) => {
      const { store, service, edge } = await startAll();
      await edge.get("/sysinfo");
      const own = nameOf(2);
      service.answers = redirect(`${store.url}/randomimg/${own}.webp`);
      await edge.faster(20);
      const answer = edge.get(path.replace("%s", NAME));
      const misses = () => store.asked.filter((asked) => asked.path.includes(own)).length;
      await expect.poll(misses).toBeGreaterThan(0);
      const isRandom = path === "/random_image";
      const { status, headers } = await answer;
      // The store never had it: the redirect itself, which no cache keeps.
      expect([status, misses()]).toEqual([302, 2]);
      expect(headers.get("Cache-Control")).toBe("no-store");
      store.put(`randomimg/${own}.webp`, "image");
      const found = await edge.get(path.replace("%s", NAME));
      expect([found.status, found.text]).toEqual([200, "image"]);
      expect(found.headers.get("ETag")).toBe(isRandom ? null : `"${NAME}"`);
      expect(found.headers.get("Location")).toBeNull();
    },
  );

  test.each([
    "/i/x.webp",
    "/randomimg/x.webp",
    `/randomimg/${NAME}.webp?x`,
    `/randomimg/${NAME}.gif`,
  ])("to %s counts as off", async (place) => {
    const { store, service, edge } = await startAll();
    service.answers = redirect(`${store.url}${place}`);
    expect((await edge.get(`/i/${NAME}`)).status).toBe(404);
    expect((await edge.get("/random_image")).status).toBe(503);
  });

  test("of somebody else counts as off", async () => {
    const { store, service, edge } = await startAll();
    const elsewhere = store.url.replace("127.0.0.1", "127.0.0.2");
    service.answers = redirect(`${elsewhere}/randomimg/${NAME}.webp`);
    expect((await edge.get(`/i/${NAME}`)).status).toBe(404);
    expect((await edge.get("/random_image")).status).toBe(503);
  });

  test("for a width leads to that width", async () => {
    const { store, service, edge } = await startAll();
    service.answers = redirect(`${store.url}/randomimg/${NAME}.w640.webp`);
    const began = performance.now();
    const answer = edge.get(`/i/${NAME}?w=640`);
    const asked = () => store.asked.filter(({ path }) => path.includes("w640")).length;
    await expect.poll(asked).toBe(2);
    store.put(`randomimg/${NAME}.w640.webp`, "narrow");
    expect((await answer).text).toBe("narrow");
    expect(performance.now() - began).toBeGreaterThan(990);
    expect((await answer).headers.get("ETag")).toBe(`"${NAME}.w640"`);
  });
});

describe("ORIGIN", () => {
  test("needs the mark alone, and no secret", async () => {
    const store = await startStore();
    const service = await startService();
    const edge = await startEdge({
      STORAGE_URL: store.url,
      ORIGIN: service.url,
      EDGE_SECRET: "",
    });
    expect((await edge.get("/sysinfo")).status).toBe(200);
    expect((await edge.get("/check")).status).toBe(200);
    expect(service.asked.map(({ path }) => path)).toEqual(["/sysinfo", "/check"]);
    for (const { headers } of service.asked)
      expect(headers).not.toHaveProperty("x-porchlight-edge");
  });

  test("needs the mark alone where there is a secret, too", async () => {
    const service = await startService(() => ({ headers: { "X-Porchlight-Proof": "" } }));
    const { edge } = await startWithoutService({ ORIGIN: service.url });
    expect((await edge.get("/sysinfo")).status).toBe(200);
    const upload = { method: "POST", headers: TOKEN, body: "x" };
    expect((await edge.get("/images/add", upload)).status).toBe(200);
    expect(service.asked.map(({ path }) => path)).toEqual(["/sysinfo", "/images/add"]);
  });

  test.each(["http://0.0.0.0:", "ftp://127.0.0.1:", "http:/", "", "nonsense "])(
    "like %s is not asked: it may be read on the way, or is no address",
    async (start) => {
      const service = await startService();
      // On Linux this leads to the service, but its name is not one of loopback.
      const { edge } = await startWithoutService({ ORIGIN: start + new URL(service.url).port });
      expect((await edge.get("/sysinfo")).status).toBe(503);
      expect((await edge.get("/check")).status).toBe(503);
      expect(service.asked).toEqual([]);
    },
  );

  test.each(["localhost", "127.0.0.1"])("may be http://%s", async (host) => {
    const service = await startService();
    const { port } = new URL(service.url);
    const { edge } = await startWithoutService({ ORIGIN: `http://${host}:${port}/ignored?x` });
    expect((await edge.get("/sysinfo")).json()).toMatchObject({ path: "/sysinfo" });
  });

  test("keeps its own port, and not that of the request", async () => {
    const { service, edge } = await startAll();
    await edge.get(`${HOST}:4433/sysinfo`);
    expect(service.asked.at(-1)?.headers.host).toBe(new URL(service.url).host);
  });
});
