// The Worker in plain workerd, with the template for one's own server: no cache, a proxy in front
// that names how a reader came, and requests as hostile as a socket can carry.

import { type IncomingMessage, request } from "node:http";
import { Window } from "happy-dom";
import { expect, test } from "vitest";
import { startClients, startFront } from "./harness/lanyard-clients.ts";
import {
  always,
  GONE,
  nameOf,
  parts,
  presence,
  row,
  seconds,
  shown,
  signature as storeSignature,
} from "./harness/own.ts";
import { SECRET, signature, startService } from "./harness/service.ts";
import { lineOf } from "./harness/socket.ts";
import { fill, makeFolder, serveFolder } from "./harness/workerd.ts";

/** A bound for a busy machine. */
const PATIENT = { interval: 10, timeout: 100_000 };

interface Reply {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  text: string;
}

/** A request whose path is sent as it is. */
function send(
  port: number,
  path: string,
  { method = "GET", body = "" as string | Buffer, headers = {} as Record<string, string> } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const proxied = { Host: "light.example", "X-Forwarded-Proto": "https", ...headers };
    const init = { port, path, method, headers: proxied, agent: false };
    const sent = request({ host: "127.0.0.1", ...init }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A request of the service. */
function signed(port: number, method: string, path: string, body: Buffer | string = "") {
  const bytes = Buffer.from(body);
  const headers = { "X-Porchlight-Store": storeSignature(method, path, bytes) };
  return send(port, path, { method, body: bytes, headers });
}

/** workerd of this folder, and what syncs with it. */
async function startOwn(folder: string, address: string | null = null) {
  const { port, stop } = await serveFolder(folder, { EDGE_SECRET: SECRET });
  let from = 0;
  const sync = async (change: object = {}, rows: Row[] = []) => {
    const images = { from, to: from + 1, put: rows };
    const first = from === 0 ? parts() : {};
    const body = JSON.stringify({ ...always(address), ...first, images, ...change });
    const answer = await signed(port, "POST", "/-/sync", body);
    if (answer.status === 409) {
      from = JSON.parse(answer.text).images;
      return sync(change, rows);
    }
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    from += 1;
  };
  return { port, stop, sync };
}

async function start() {
  const service = await startService();
  const { port, sync } = await startOwn(makeFolder({}), service.url);
  await sync();
  return { service, port, sync };
}

test("everything works without a cache", async () => {
  const { service, port, sync } = await start();
  const name = nameOf(1);
  await signed(port, "PUT", `/-/store/randomimg/${name}.webp`, "an image");
  await sync({}, [row(1)]);
  for (const path of [`/i/${name}.webp`, `/images/${name}`, "/random_image"]) {
    const answer = await send(port, path);
    expect([answer.status, answer.text]).toEqual([200, "an image"]);
    expect(answer.headers["content-length"]).toBe("8");
  }
  const part = await send(port, `/i/${name}`, { headers: { Range: "bytes=3-" } });
  expect([part.status, part.text]).toEqual([206, "image"]);
  expect((await send(port, `/i/${name}`, { headers: { "If-None-Match": "*" } })).status).toBe(304);
  const removed = await send(port, `/images/${name}`, { method: "DELETE" });
  expect(removed.status).toBe(200);
  expect(JSON.parse((await send(port, "/check")).text)).toMatchObject({ application: "Editor" });
  const upload = { method: "POST", body: "x".repeat(200_000) };
  const answer = await send(port, "/images/add", upload);
  expect(JSON.parse(answer.text)).toMatchObject({ length: 200_000 });
  expect(service.asked.at(-1)?.headers["content-length"]).toBe("200000");
  // As curl sends larger ones. What the service would answer first is not its answer.
  const expecting = { ...upload, headers: { Expect: "100-continue" } };
  expect((await send(port, "/images/add", expecting)).status).toBe(200);
});

test("the proxy's headers name how and from where a reader came", async () => {
  const { service, port } = await start();
  const plain = { headers: { "X-Forwarded-Proto": "http" } };
  const left = await send(port, "//other.example/x?y", plain);
  expect([left.status, left.headers.location]).toEqual([
    308,
    "https://light.example//other.example/x?y",
  ]);
  const token = { headers: { ...plain.headers, Authorization: "Bearer token" } };
  expect((await send(port, "/sysinfo", token)).status).toBe(403);
  expect(service.asked).toEqual([]);
  const headers = { "X-Real-IP": "192.0.2.9", "X-Forwarded-For": "198.51.100.1" };
  expect((await send(port, "/sysinfo", { headers })).status).toBe(200);
  const asked = service.asked.at(-1);
  expect(asked && signature(asked)).toMatchObject({ ip: "192.0.2.9", right: true });
  expect(JSON.stringify(asked?.headers)).not.toContain("198.51.100.1");
});

test("no path leads to another host", async () => {
  const { service, port } = await start();
  const elsewhere = await startService();
  const { host } = new URL(elsewhere.url);
  const paths = [
    `//${host}/x`,
    `/\\${host}/x`,
    `\\\\${host}/x`,
    `/%2f%2f${host}/x`,
    `/%5c%5c${host}/x`,
    `http://${host}/x`,
    `https://user:password@${host}/x`,
    `@${host}/x`,
    `/@${host}/x`,
    `//user@${host}/x`,
    `/..//${host}/x`,
    `/.//${host}/x`,
    `/;@${host}/x`,
    `/x?//${host}`,
    `/x#@${host}/`,
    `/http://${host}/x`,
    `:80@${host}/x`,
  ];
  let delivered = 0;
  for (const path of paths) {
    for (const headers of [{}, { Host: `light.example@${host}` }, { Host: `${host}#` }]) {
      const answer = await send(port, path, { headers });
      // workerd itself refuses what is no path.
      expect([200, 400, 404, 500]).toContain(answer.status);
      if (answer.status === 200) delivered += 1;
    }
  }
  expect(elsewhere.asked).toEqual([]);
  expect(service.asked.length).toBe(delivered);
  expect(delivered).toBeGreaterThan(8);
  for (const asked of service.asked) {
    expect(asked.headers.host).toBe(new URL(service.url).host);
    expect([asked.path, signature(asked).right]).toEqual([asked.path, true]);
    expect(asked.path).toMatch(/^\//);
  }
});

test("without EDGE_SECRET in the environment it takes no sync", async () => {
  const { port } = await serveFolder(makeFolder({}), {});
  const body = JSON.stringify({ ...always(null), ...parts(), images: { from: 0, to: 1 } });
  expect((await signed(port, "POST", "/-/sync", body)).status).toBe(401);
  for (const path of ["/check", "/sysinfo", `/i/${nameOf(1)}`])
    expect((await send(port, path)).status).toBe(503);
});

test("rows and pictures on the disk survive the end of workerd", async () => {
  const folder = makeFolder({});
  const image = Buffer.alloc(3_000_000, "image");
  const [name, key] = [nameOf(1), `randomimg/${nameOf(1)}.webp`];
  const first = await startOwn(folder);
  expect((await signed(first.port, "PUT", `/-/store/${key}`, image)).status).toBe(201);
  await first.sync({ presence: shown("Kept") }, [row(1)]);
  await first.stop();

  const second = await startOwn(folder);
  const found = await send(second.port, `/i/${name}.webp`);
  expect([found.status, found.text.length]).toEqual([200, image.length]);
  expect(JSON.parse((await send(second.port, "/check")).text)).toMatchObject({
    application: "Kept",
  });
  const part = await send(second.port, `/i/${name}`, {
    headers: { Range: "bytes=1899999-1900000" },
  });
  expect([part.status, part.text.length]).toEqual([206, 2]);
  const list = await signed(second.port, "GET", "/-/store?prefix=randomimg/");
  expect(JSON.parse(list.text)).toMatchObject({ objects: [{ size: image.length }], next: null });
  await second.sync({}, [row(1), row(2)]);
  expect(JSON.parse((await send(second.port, "/images/count")).text)).toEqual({ count: 2 });
});

test("a socket receives a change, and the end of the presence", async () => {
  const { port, sync } = await startOwn(makeFolder({}));
  await sync();
  const { WebSocket } = new Window({ url: "http://blog.example/" });
  const line = lineOf(new WebSocket(`ws://127.0.0.1:${port}/socket`));
  expect(await line.next()).toMatchObject({ op: 1 });
  line.send({ op: 2, d: { subscribe_to_all: true } });
  expect(await line.next()).toEqual({ op: 0, t: "INIT_STATE", d: { 1: presence() } });
  line.send('{"op":3}');
  expect(await line.next()).toEqual({ op: 3 });
  const other = { application: "Other" };
  await sync({ presence: shown("Other"), valid_until: seconds() + 3 });
  expect(await line.next()).toEqual({ op: 0, t: "PRESENCE_UPDATE", d: presence(other) });
  expect(await line.next()).toEqual({ op: 0, t: "PRESENCE_UPDATE", d: GONE });
});

test("the npm packages follow the owner, and connect once after workerd has ended", async () => {
  const folder = makeFolder({});
  const first = await startOwn(folder);
  const front = await startFront(first.port);
  await first.sync({ presence: shown("Editor") });
  const clients = startClients(front.address);
  const follow = (status: string, application: string | null) =>
    expect
      .poll(() => clients.shown("use-lanyard", "react-use-lanyard"), PATIENT)
      .toEqual(Array(2).fill({ status, application }));
  const asked = () => clients.shown("use-lanyard, once", "react-use-lanyard, once");
  const editor = { status: "online", application: "Editor" };
  await follow("online", "Editor");
  await expect.poll(asked, PATIENT).toEqual([editor, editor]);
  const { opened } = front;

  const start = performance.now();
  await first.sync({ presence: shown("Browser") });
  await follow("online", "Browser");
  expect(performance.now() - start).toBeLessThan(1_000);
  const end = seconds() + 2;
  await first.sync({ presence: shown("Last"), valid_until: end });
  await follow("offline", null);
  expect(seconds()).toBeGreaterThanOrEqual(end);
  await first.sync({ presence: shown("Terminal") });
  await follow("online", "Terminal");
  expect([front.opened, asked()]).toEqual([opened, [editor, editor]]);

  // As at an update of the Worker.
  front.leadTo(undefined);
  await first.stop();
  await expect.poll(() => front.opened, PATIENT).toBe(opened + 2);
  const second = await startOwn(folder);
  await second.sync({ presence: shown("Mail") });
  front.leadTo(second.port);
  await follow("online", "Mail");
  expect(front.opened).toBe(opened + 2);
}, 120_000);

test("a body that ends too early changes nothing", async () => {
  const folder = makeFolder({});
  const { port } = await serveFolder(folder, { EDGE_SECRET: SECRET });
  const path = "/-/store/key";
  const body = Buffer.alloc(2_500_000, "x");
  const headers = {
    Host: "light.example",
    "X-Forwarded-Proto": "https",
    "X-Porchlight-Store": storeSignature("PUT", path, body),
    "Content-Length": String(body.length),
  };
  const cut = request({ host: "127.0.0.1", port, path, method: "PUT", headers, agent: false });
  const left = new Promise((resolve) => cut.on("error", resolve));
  await new Promise<void>((resolve) => cut.write(body.subarray(0, 2_000_000), () => resolve()));
  cut.socket?.resetAndDestroy();
  await left;
  const read = await send(port, path, {
    headers: { "X-Porchlight-Store": storeSignature("GET", path, Buffer.alloc(0)) },
  });
  expect(read.status).toBe(404);
});

test("the templates have no other placeholders than these", () => {
  expect(fill("workerd.capnp", {})).not.toContain("{{");
  const values = { NAME: "c", ROUTES: "", BUCKET: "d", VERSION: "e", ADDRESS: "f" };
  expect(fill("wrangler.toml", values)).not.toContain("{{");
});
