// What the Worker answers by itself, before it asks anybody.

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bundle } from "./harness/bundle.ts";
import { nameOf, startOwn } from "./harness/own.ts";

const file = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url));

describe("plain HTTP", () => {
  test.each(["GET", "HEAD"])("is left for HTTPS by %s", async (method) => {
    const { service, edge } = await startOwn();
    for (const path of ["/check?a=b%20c", "//elsewhere.example/x", "/i/x"]) {
      const answer = await edge.get(`http://light.example${path}`, { method });
      expect([answer.status, answer.text]).toEqual([308, ""]);
      expect(answer.headers.get("Location")).toBe(`https://light.example${path}`);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
    expect(service.asked).toEqual([]);
  });

  test.each(["GET", "POST", "DELETE"])("with a token is refused for %s", async (method) => {
    const { service, edge } = await startOwn();
    for (const name of ["Authorization", "Sleepy-Secret", "Token", "X-API-Key"]) {
      const headers = { [name]: "token" };
      const answer = await edge.get("http://light.example/heartbeat", { method, headers });
      expect([answer.status, answer.json()]).toEqual([403, { error: "HTTPS required" }]);
    }
    expect(service.asked).toEqual([]);
  });

  test.each(["GET", "HEAD", "POST"])("with a token inside is refused for %s", async (method) => {
    const { service, edge } = await startOwn();
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
      const { edge } = await startOwn();
      const headers = { Authorization: "Bearer token" };
      expect((await edge.get(`http://${host}/check`)).status).toBe(200);
      expect((await edge.get(`http://${host}/sysinfo`, { headers })).status).toBe(200);
    },
  );

  test.each(["localhost.example", "xlocalhost", "127.0.0.1.example", "[::2]"])(
    "is not as good at %s",
    async (host) => {
      const { edge } = await startOwn();
      expect((await edge.get(`http://${host}/check`)).status).toBe(308);
    },
  );
});

test("preflights are answered for any path", async () => {
  const { service, edge } = await startOwn();
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
  expect(service.asked).toEqual([]);
});

test("other methods of known paths are the service's to refuse", async () => {
  const { service, edge } = await startOwn();
  service.answers = ({ method }) => (method === "GET" ? undefined : { status: 405 });
  for (const path of ["/check", "/random_image", "/widget.js", `/i/${nameOf(1)}`]) {
    expect((await edge.get(path, { method: "POST" })).status).toBe(405);
    expect(service.asked.at(-1)).toMatchObject({ path, method: "POST" });
  }
  await edge.get("/images/add");
  expect(service.asked.at(-1)).toMatchObject({ path: "/images/add", method: "GET" });
});

test("what others on the way say of themselves is not told", async () => {
  const { service, edge } = await startOwn();
  const headers = { "Set-Cookie": "tunnel=1", "Alt-Svc": "h3" };
  service.answers = () => ({ headers });
  const answer = await edge.get("/sysinfo");
  for (const name of Object.keys(headers)) expect(answer.headers.get(name)).toBeNull();
});

test("the files stay small, and make one without dependencies", () => {
  const folder = new URL("../src/", import.meta.url);
  const lines = readdirSync(folder).flatMap((name) =>
    file(`src/${name}`).toString().trimEnd().split("\n"),
  );
  expect(lines.length).toBeLessThanOrEqual(1_250);
  expect(bundle()).not.toMatch(/^\s*import\b|\bimport\(|\brequire\(/m);
  expect(bundle().match(/^export .*/gm)).toEqual(["export default {", "export { Store };"]);
  // No name is declared in two of the files.
  const names = [...bundle().matchAll(/^(?:async )?(?:function|const|class|let) (\w+)/gm)];
  expect(new Set(names.map(([, name]) => name)).size).toBe(names.length);
  expect(gzipSync(file("widget.js"), { level: 9 }).length).toBeLessThanOrEqual(6_000);
  // It can be pasted into a page.
  expect(file("widget.js").toString()).not.toMatch(/<\/script|<!--/i);
});
