// What the Worker answers by itself, before it asks anybody.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startAll, startEdge } from "./harness/edge.ts";
import { hmac } from "./harness/service.ts";
import { nameOf, putCheck } from "./harness/store.ts";

const file = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url));

describe("plain HTTP", () => {
  test.each(["GET", "HEAD"])("is left for HTTPS by %s", async (method) => {
    const { store, service, edge } = await startAll();
    for (const path of ["/check?a=b%20c", "//elsewhere.example/x", "/i/x"]) {
      const answer = await edge.get(`http://light.example${path}`, { method });
      expect([answer.status, answer.text]).toEqual([308, ""]);
      expect(answer.headers.get("Location")).toBe(`https://light.example${path}`);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
    expect([store.asked, service.asked]).toEqual([[], []]);
  });

  test.each(["GET", "POST", "DELETE"])("with a token is refused for %s", async (method) => {
    const { service, edge } = await startAll();
    for (const name of ["Authorization", "Sleepy-Secret", "Token", "X-API-Key"]) {
      const headers = { [name]: "token" };
      const answer = await edge.get("http://light.example/heartbeat", { method, headers });
      expect([answer.status, answer.json()]).toEqual([403, { error: "HTTPS required" }]);
    }
    expect(service.asked).toEqual([]);
  });

  test.each(["GET", "HEAD", "POST"])("with a token inside is refused for %s", async (method) => {
    const { service, edge } = await startAll();
    for (const path of [
      "/device/set?secret=token&id=a",
      "/api/device/set?secret=token&id=a",
      "/api/process-reporter",
      "/api/upload",
      "/api/1/upload/?key=token",
    ]) {
      const answer = await edge.get(`http://light.example${path}`, { method });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.headers.get("Location")).toBe(null);
    }
    expect(service.asked).toEqual([]);
  });

  test.each(["localhost", "x.localhost:8787", "127.0.0.1", "127.9.9.9:80", "[::1]"])(
    "is as good at %s",
    async (host) => {
      const { edge } = await startAll();
      const headers = { Authorization: "Bearer token" };
      expect((await edge.get(`http://${host}/check`)).status).toBe(200);
      expect((await edge.get(`http://${host}/sysinfo`, { headers })).status).toBe(200);
    },
  );

  test.each(["localhost.example", "xlocalhost", "127.0.0.1.example", "[::2]"])(
    "is not as good at %s",
    async (host) => {
      const { edge } = await startAll();
      expect((await edge.get(`http://${host}/check`)).status).toBe(308);
    },
  );
});

test("preflights are answered for any path", async () => {
  const { store, service, edge } = await startAll();
  for (const path of ["/", "/images/add", `/images/${nameOf(1)}`, "/check", "/unknown"]) {
    const headers = { Origin: "https://blog.example", "Access-Control-Request-Method": "DELETE" };
    const answer = await edge.get(path, { method: "OPTIONS", headers });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, POST, DELETE, OPTIONS",
      "access-control-allow-headers":
        "Authorization, Content-Type, If-None-Match, Range, X-API-Key, token, X-Requested-With",
      "access-control-max-age": "86400",
    });
  }
  expect([store.asked, service.asked]).toEqual([[], []]);
});

test("HEAD has the head of GET everywhere", async () => {
  const { store, edge } = await startAll();
  putCheck(store);
  const script = "the script";
  store.snapshot("widget.js", `//${hmac(script)}\n${script}`);
  store.put(`randomimg/${nameOf(1)}.webp`, "image");
  const paths = ["/check", "/images/list", "/images/list?page=0", "/widget.js", "/sysinfo", "/i/x"];
  for (const path of [...paths, `/i/${nameOf(1)}`]) {
    const get = await edge.get(path);
    const head = await edge.get(path, { method: "HEAD" });
    expect([path, head.status, head.text]).toEqual([path, get.status, ""]);
    for (const name of ["Content-Type", "Cache-Control", "ETag", "Access-Control-Allow-Origin"]) {
      expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
    }
  }
});

test("other methods of known paths are the service's to refuse", async () => {
  const { service, edge } = await startAll();
  service.answers = ({ method }) => (method === "GET" ? undefined : { status: 405 });
  for (const path of ["/check", "/random_image", "/widget.js", `/i/${nameOf(1)}`]) {
    expect((await edge.get(path, { method: "POST" })).status).toBe(405);
    expect(service.asked.at(-1)).toMatchObject({ path, method: "POST" });
  }
  await edge.get("/images/add");
  expect(service.asked.at(-1)).toMatchObject({ path: "/images/add", method: "GET" });
});

describe("/widget.js", () => {
  const script = "// a script\nwith lines\n";

  test("comes from the store, without the line that proves it", async () => {
    const { store, service, edge } = await startAll();
    store.snapshot("widget.js", `//${hmac(script)}\n${script}`);
    const answer = await edge.get("/widget.js");
    expect([answer.status, answer.text]).toEqual([200, script]);
    expect(answer.headers.get("Content-Type")).toBe("text/javascript; charset=utf-8");
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=3600");
    expect(service.asked).toEqual([]);
  });

  test.each([
    ["another key", `//${hmac(script, "another")}\n${script}`],
    ["a changed script", `//${hmac(script)}\n${script} `],
    ["no such line", script],
    ["no script", "//"],
  ])("comes from the service for %s", async (_, object) => {
    const { store, service, edge } = await startAll();
    store.snapshot("widget.js", object);
    service.answers = ({ path }) => (path === "/widget.js" ? { body: "its own" } : undefined);
    expect((await edge.get("/widget.js")).text).toBe("its own");
    service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
    expect((await edge.get("/widget.js")).status).toBe(503);
  });

  test("comes from the service without EDGE_SECRET", async () => {
    const { store, service, edge } = await startAll();
    store.snapshot("widget.js", `//${hmac(script, "")}\n${script}`);
    const bindings = { STORAGE_URL: store.url, EDGE_SECRET: "", ORIGIN: service.url };
    const without = await startEdge(bindings);
    service.answers = () => ({ body: "its own" });
    expect((await without.get("/widget.js")).text).toBe("its own");
    expect((await edge.get("/widget.js")).text).toBe("its own");
  });
});

test("both files stay small", () => {
  expect(file("worker.js").length).toBeLessThanOrEqual(60_000);
  expect(file("worker.js").toString().split("\n").length).toBeLessThanOrEqual(1_101);
  expect(gzipSync(file("widget.js"), { level: 9 }).length).toBeLessThanOrEqual(6_000);
  // One file without dependencies.
  expect(file("worker.js").toString()).not.toMatch(/^\s*import\b|\bimport\(|\brequire\(/m);
  // It can be pasted into a page.
  expect(file("widget.js").toString()).not.toMatch(/<\/script|<!--/i);
});
