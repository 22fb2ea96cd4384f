// The Worker in plain workerd, with the template for one's own server: no cache, a proxy in front
// that names how a reader came, and requests as hostile as a socket can carry.

import { type IncomingMessage, request } from "node:http";
import { Window } from "happy-dom";
import { expect, test } from "vitest";
import { startClients, startFront } from "./harness/lanyard-clients.ts";
import { signature as storeSignature } from "./harness/own.ts";
import {
  type Answer,
  json,
  LIVE_CHECK,
  SECRET,
  signature,
  startService,
} from "./harness/service.ts";
import { lineOf } from "./harness/socket.ts";
import {
  GONE,
  nameOf,
  presence,
  putCheck,
  putIndex,
  putLanyard,
  sealed,
  seconds,
  startStore,
} from "./harness/store.ts";
import { fill, makeFolder, serveFolder, startWorkerd } from "./harness/workerd.ts";

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

async function start() {
  const store = await startStore();
  const service = await startService();
  store.snapshot("origin.json", sealed(service.url));
  const values = { STORAGE_URL: store.url, PREFIX: "porchlight/" };
  const port = await startWorkerd(values, { EDGE_SECRET: SECRET });
  return { store, service, port };
}

test("everything works without a cache", async () => {
  const { store, service, port } = await start();
  const [name] = putIndex(store, [1]);
  store.put(`randomimg/${name}.webp`, "an image");
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
  putCheck(store, { application: "Snapshot" });
  expect(JSON.parse((await send(port, "/check")).text)).toMatchObject({ application: "Live" });
  const upload = { method: "POST", body: "x".repeat(200_000) };
  const answer = await send(port, "/images/add", upload);
  expect(JSON.parse(answer.text)).toMatchObject({ length: 200_000 });
  expect(service.asked.at(-1)?.headers["content-length"]).toBe("200000");
  // As curl sends larger ones. What the service would answer first is not its answer.
  const expecting = { ...upload, headers: { Expect: "100-continue" } };
  expect((await send(port, "/images/add", expecting)).status).toBe(200);
});

test("a question outlives the reader who asked first", async () => {
  const { service, port } = await start();
  await send(port, "/images/count");
  let release = (_: Answer) => {};
  const isAsked = new Promise<void>((resolve) => {
    service.answers = () => {
      resolve();
      return new Promise<Answer>((answer) => {
        release = answer;
      });
    };
  });
  const headers = { Host: "light.example", "X-Forwarded-Proto": "https" };
  const first = request({ host: "127.0.0.1", port, path: "/check", headers, agent: false });
  const left = new Promise((resolve) => first.on("error", resolve));
  first.end();
  await isAsked;
  first.socket?.resetAndDestroy();
  await left;
  const second = send(port, "/check");
  // workerd has seen that the first one left by the time that it answers a third.
  await send(port, `/i/${nameOf(1)}`, { method: "OPTIONS" });
  release(json({ ...LIVE_CHECK, application: "Together" }));
  expect(JSON.parse((await second).text)).toMatchObject({ application: "Together" });
  expect(service.asked.filter(({ path }) => path === "/check").length).toBe(1);
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
  const proofs = service.asked.filter((asked) => /^\/\?[0-9a-f-]{36}$/.test(asked.path)).length;
  expect(service.asked.length).toBe(delivered + proofs);
  expect(delivered).toBeGreaterThan(8);
  for (const asked of service.asked) {
    expect(asked.headers.host).toBe(new URL(service.url).host);
    expect([asked.path, signature(asked).right]).toEqual([asked.path, true]);
    expect(asked.path).toMatch(/^\//);
  }
});

test("without EDGE_SECRET in the environment it answers from the snapshot", async () => {
  const store = await startStore();
  putCheck(store);
  const port = await startWorkerd({ STORAGE_URL: store.url, PREFIX: "porchlight/" }, {});
  expect(JSON.parse((await send(port, "/check")).text)).toMatchObject({ application: "Editor" });
  expect((await send(port, "/sysinfo")).status).toBe(503);
  expect((await send(port, `/i/${nameOf(1)}`)).status).toBe(404);
});

test("the store on the disk survives the end of workerd, with no other store", async () => {
  const folder = makeFolder({ STORAGE_URL: "", PREFIX: "porchlight/" });
  const start = () => serveFolder(folder, { EDGE_SECRET: SECRET });
  const image = Buffer.alloc(3_000_000, "image");
  const request = (port: number, method: string, path: string, body: Buffer) => {
    const headers = { "X-Porchlight-Store": storeSignature(method, path, body) };
    return send(port, path, { method, body, headers });
  };
  const put = async (port: number, key: string, body: Buffer | string) =>
    (await request(port, "PUT", `/-/store/${key}`, Buffer.from(body))).status;
  const first = await start();
  const [name] = ["0".repeat(32)];
  expect(await put(first.port, `randomimg/${name}.webp`, image)).toBe(201);
  const documents: [string, string][] = [];
  putCheck({ snapshot: (key, value) => documents.push([key, JSON.stringify(value)]) });
  for (const [key, text] of documents)
    expect(await put(first.port, `porchlight/${key}`, text)).toBe(201);
  expect((await send(first.port, "/check")).status).toBe(200);
  await first.stop();

  const second = await start();
  const found = await send(second.port, `/i/${name}.webp`);
  expect([found.status, found.text.length]).toEqual([200, image.length]);
  expect(JSON.parse((await send(second.port, "/check")).text)).toMatchObject({ alive: true });
  const part = await send(second.port, `/i/${name}`, {
    headers: { Range: "bytes=1899999-1900000" },
  });
  expect([part.status, part.text.length]).toEqual([206, 2]);
  const list = await request(second.port, "GET", "/-/store?prefix=randomimg/", Buffer.alloc(0));
  expect(JSON.parse(list.text)).toMatchObject({ objects: [{ size: image.length }], next: null });
  expect(await put(second.port, `randomimg/${name}.webp`, "again")).toBe(200);
});

/** workerd of this folder, and what writes into the snapshot of its own store. */
async function startOwn(folder: string) {
  const { port, stop } = await serveFolder(folder, { EDGE_SECRET: SECRET });
  const put = async (name: string, value: Buffer | string | object) => {
    const path = `/-/store/porchlight/${name}`;
    const body = Buffer.from(JSON.stringify(value));
    const headers = { "X-Porchlight-Store": storeSignature("PUT", path, body) };
    await send(port, path, { method: "PUT", body, headers });
  };
  const publish = async (shown: Parameters<typeof putLanyard>[1]) => {
    let written: Promise<void> | undefined;
    putLanyard({ snapshot: (name, value) => (written = put(name, value)) }, shown);
    await written;
  };
  return { port, stop, publish };
}

test("a socket receives a change, and the end of the presence", async () => {
  const { port, publish } = await startOwn(makeFolder({ STORAGE_URL: "", PREFIX: "porchlight/" }));
  await publish({});
  const { WebSocket } = new Window({ url: "http://blog.example/" });
  const line = lineOf(new WebSocket(`ws://127.0.0.1:${port}/socket`));
  expect(await line.next()).toMatchObject({ op: 1 });
  line.send({ op: 2, d: { subscribe_to_all: true } });
  expect(await line.next()).toEqual({ op: 0, t: "INIT_STATE", d: { 1: presence() } });
  line.send('{"op":3}');
  expect(await line.next()).toEqual({ op: 3 });
  const other = { application: "Other" };
  await publish({ ...other, left: 3 });
  expect(await line.next()).toEqual({ op: 0, t: "PRESENCE_UPDATE", d: presence(other) });
  expect(await line.next()).toEqual({ op: 0, t: "PRESENCE_UPDATE", d: GONE });
});

test("the npm packages follow the owner, and connect once after workerd has ended", async () => {
  const folder = makeFolder({ STORAGE_URL: "", PREFIX: "porchlight/" });
  const first = await startOwn(folder);
  const front = await startFront(first.port);
  await first.publish({ application: "Editor" });
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
  await first.publish({ application: "Browser" });
  await follow("online", "Browser");
  expect(performance.now() - start).toBeLessThan(1_000);
  const end = seconds() + 2;
  await first.publish({ application: "Last", left: 2 });
  await follow("offline", null);
  expect(seconds()).toBeGreaterThanOrEqual(end);
  await first.publish({ application: "Terminal" });
  await follow("online", "Terminal");
  expect([front.opened, asked()]).toEqual([opened, [editor, editor]]);

  // As at an update of the Worker.
  front.leadTo(undefined);
  await first.stop();
  await expect.poll(() => front.opened, PATIENT).toBe(opened + 2);
  const second = await startOwn(folder);
  await second.publish({ application: "Mail" });
  front.leadTo(second.port);
  await follow("online", "Mail");
  expect(front.opened).toBe(opened + 2);
}, 120_000);

test("a body that ends too early changes nothing", async () => {
  const folder = makeFolder({ STORAGE_URL: "", PREFIX: "porchlight/" });
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
  const values = { STORAGE_URL: "a", PREFIX: "b" };
  expect(fill("workerd.capnp", values)).not.toContain("{{");
  const more = { ...values, NAME: "c", ROUTES: "", BUCKET: "d", VERSION: "e", ADDRESS: "f" };
  expect(fill("wrangler.toml", more)).not.toContain("{{");
});
