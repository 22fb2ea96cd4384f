// Lanyard's protocol: `/v1/users/{id}` anywhere, and `/socket` from STORE.

import { describe, expect, test } from "vitest";
import { type Edge, startAll, startEdge, startWithoutService } from "./harness/edge.ts";
import { signed, startOwn, WITH_STORE } from "./harness/own.ts";
import { json } from "./harness/service.ts";
import type { Line } from "./harness/socket.ts";
import { GONE, presence, putLanyard, putLanyardOff, seconds } from "./harness/store.ts";

const NOT_MONITORED = {
  success: false,
  error: { code: "user_not_monitored", message: "User is not being monitored by Lanyard" },
};
const HELLO = { op: 1, d: { heartbeat_interval: 30_000 } };
const HEARTBEAT = '{"op":3}';
const PATH = "/-/store/porchlight/lanyard.json";

const init = (d: object) => ({ op: 0, t: "INIT_STATE", d });
const update = (d: object) => ({ op: 0, t: "PRESENCE_UPDATE", d });

/** What the service writes. */
const document = (application: string) =>
  JSON.stringify({ data: presence({ application }), valid_until: seconds() + 590 });

/** A socket that has said hello, and subscribed to this. */
async function subscribed(edge: Edge, d: object = { subscribe_to_id: "1" }) {
  const line = await edge.connect("/socket");
  expect(await line.next()).toEqual(HELLO);
  line.send({ op: 2, d });
  return line;
}

describe("/v1/users/{id}", () => {
  test("comes from STORE alone, and ends with its time", async () => {
    const { service, edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const user = async (id: string) => {
      const answer = await edge.get(`/v1/users/${id}`);
      return [answer.status, answer.json()];
    };
    expect(await user("1")).toEqual([200, { success: true, data: presence() }]);
    for (const id of ["2", "11", "01"]) expect(await user(id)).toEqual([404, NOT_MONITORED]);
    await edge.ahead(595_000);
    expect(await user("1")).toEqual([200, { success: true, data: GONE }]);
    expect(await user("2")).toEqual([404, NOT_MONITORED]);
    expect(service.asked).toEqual([]);
  });

  test("is not there while Lanyard's protocol is off", async () => {
    const { edge, publish } = await startOwn();
    await publish(putLanyardOff);
    const answer = await edge.get("/v1/users/1");
    expect([answer.status, answer.json()]).toEqual([404, { error: "Resource not found" }]);
  });

  test("comes from the service with another store, and from the snapshot while it is off", async () => {
    const { store, service, edge } = await startAll();
    const live = { success: true, data: presence({ application: "Live" }) };
    service.answers = ({ path }) =>
      path === "/v1/users/1" ? json(live) : json(NOT_MONITORED, 404);
    putLanyard(store);
    expect((await edge.get("/v1/users/1")).json()).toEqual(live);
    const other = await edge.get("/v1/users/2");
    expect([other.status, other.json()]).toEqual([404, NOT_MONITORED]);
    service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
    await edge.ahead(2_000);
    expect((await edge.get("/v1/users/1")).json()).toEqual({ success: true, data: presence() });
    await edge.ahead(595_000);
    expect((await edge.get("/v1/users/1")).json()).toEqual({ success: true, data: GONE });
  });

  test("that is missing is the service's to answer, or offline", async () => {
    const { service, edge } = await startOwn();
    service.answers = () => json(NOT_MONITORED, 404);
    const answer = await edge.get("/v1/users/1");
    expect([answer.status, answer.json()]).toEqual([404, NOT_MONITORED]);
    const { edge: without } = await startWithoutService();
    expect((await without.get("/v1/users/1")).status).toBe(503);
  });

  test.each([
    ["{}", 404],
    ['{"data":{"discord_user":{}}}', 404],
    ["<html>", 503],
  ])("that is broken (%s) shows nobody", async (text, status) => {
    const { store, edge } = await startWithoutService();
    store.snapshot("lanyard.json", text);
    expect((await edge.get("/v1/users/1")).status).toBe(status);
  });
});

describe("/socket", () => {
  test.each([
    ["one", { subscribe_to_id: "1" }, presence()],
    ["a number", { subscribe_to_id: 1 }, {}],
    ["another one", { subscribe_to_id: "2" }, {}],
    ["several", { subscribe_to_ids: ["2", "1"] }, { 1: presence() }],
    ["others", { subscribe_to_ids: ["2"] }, {}],
    ["nobody", { subscribe_to_ids: [] }, {}],
    ["all", { subscribe_to_all: true }, { 1: presence() }],
  ])("has the presence of %s, and then each change", async (_, d, state) => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const line = await subscribed(edge, d);
    expect(await line.next()).toEqual(init(state));
    await publish((store) => putLanyard(store, { application: "Other" }));
    line.send(HEARTBEAT);
    const isMeant = Object.keys(state).length > 0;
    if (isMeant) expect(await line.next()).toEqual(update(presence({ application: "Other" })));
    // Nothing else came before it.
    expect(await line.next()).toEqual({ op: 3 });
  });

  test.each([
    ["an unknown opcode", { op: 5 }, 4004, "unknown_opcode"],
    ["no opcode", {}, 4004, "unknown_opcode"],
    ["an opcode that is a text", { op: "2", d: { subscribe_to_id: "1" } }, 4004, "unknown_opcode"],
    ["no data", { op: 2 }, 4005, "requires_data_object"],
    ["data without content", { op: 2, d: {} }, 4005, "requires_data_object"],
    ["data that are a list", { op: 2, d: ["1"] }, 4005, "requires_data_object"],
    ["data that are null", { op: 2, d: null }, 4005, "requires_data_object"],
    ["other data", { op: 2, d: { subscribe: "1" } }, 4006, "invalid_payload"],
    ["all that is false", { op: 2, d: { subscribe_to_all: false } }, 4006, "invalid_payload"],
    ["ids that are no list", { op: 2, d: { subscribe_to_ids: "1" } }, 4006, "invalid_payload"],
    ["no JSON", "hello", 4006, "invalid_payload"],
    ["nothing", "", 4006, "invalid_payload"],
    ["a list", [], 4006, "invalid_payload"],
    ["null", "null", 4006, "invalid_payload"],
    ["bytes", Buffer.from([0xff, 0xfe]), 4006, "invalid_payload"],
    ["4,097 bytes", { op: 2, d: { subscribe_to_id: "x".repeat(4062) } }, 1009, "message_too_large"],
  ])("ends with %s", async (_, message, code, reason) => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const line = await edge.connect("/socket");
    line.send(message);
    expect(await line.closed).toEqual({ code, reason });
  });

  test("ends with more than 120 messages in a minute, as at the service", async () => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const line = await edge.connect("/socket");
    const other = await edge.connect("/socket");
    expect([await line.next(), await other.next()]).toEqual([HELLO, HELLO]);
    const before = await edge.queries();
    const subscription = { op: 2, d: { subscribe_to_id: "1" } };
    for (let minute = 0; minute < 2; minute += 1) {
      // These are not messages to the object.
      for (let beats = 0; beats < 10; beats += 1) line.send(HEARTBEAT);
      for (let beats = 0; beats < 10; beats += 1) expect(await line.next()).toEqual({ op: 3 });
      for (let sent = 0; sent < 40; sent += 1) {
        line.send({ op: 3, d: null });
        line.send({ op: 4, d: { unsubscribe_from_all: true } });
        line.send(subscription);
      }
      for (let sent = 0; sent < 40; sent += 1) expect(await line.next()).toEqual(init(presence()));
      if (minute === 0) await edge.ahead(61_000);
    }
    // None of them costs a row, but for the first after the object has left the memory.
    expect((await edge.queries()) - before).toBeLessThan(5);
    line.send(subscription);
    expect(await line.closed).toEqual({ code: 1008, reason: "too_many_messages" });
    other.send(subscription);
    expect(await other.next()).toEqual(init(presence()));
  });

  test("takes messages of 4,096 bytes", async () => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const d = { subscribe_to_id: "" };
    const length = 4096 - JSON.stringify({ op: 2, d }).length;
    const line = await subscribed(edge, { subscribe_to_id: "x".repeat(length) });
    expect(await line.next()).toEqual(init({}));
  });

  test("answers a heartbeat, and one that is written otherwise does not end it", async () => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const line = await subscribed(edge);
    expect(await line.next()).toEqual(init(presence()));
    line.send('{"op": 3}');
    line.send({ op: 3, d: null });
    line.send({ op: 4 });
    line.send(HEARTBEAT);
    expect(await line.next()).toEqual({ op: 3 });
    await publish((store) => putLanyard(store, { application: "Other" }));
    expect(await line.next()).toEqual(update(presence({ application: "Other" })));
  });

  test.each([
    { unsubscribe_from_id: "1" },
    { unsubscribe_from_ids: ["2", "1"] },
    { unsubscribe_from_all: true },
  ])("sends nothing more after %j, until it is subscribed again", async (d) => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const line = await subscribed(edge);
    await line.next();
    line.send({ op: 4, d: { unsubscribe_from_id: "2" } });
    await publish((store) => putLanyard(store, { application: "Second" }));
    expect(await line.next()).toEqual(update(presence({ application: "Second" })));
    line.send({ op: 4, d });
    line.send({ op: 2, d: { subscribe_to_id: "2" } });
    expect(await line.next()).toEqual(init({}));
    await publish((store) => putLanyard(store, { application: "Third" }));
    line.send({ op: 2, d: { subscribe_to_id: "1" } });
    expect(await line.next()).toEqual(init(presence({ application: "Third" })));
  });

  test("sends nothing where readers see the same", async () => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const line = await subscribed(edge);
    await line.next();
    await publish((store) => putLanyard(store, { left: 700 }));
    // Any other object of the snapshot is no news.
    await publish((store) => store.snapshot("check.json", "{}"));
    await publish((store) => putLanyard(store, { application: "Other" }));
    expect(await line.next()).toEqual(update(presence({ application: "Other" })));
  });

  test.each<[string, (own: Awaited<ReturnType<typeof startOwn>>) => Promise<unknown>]>([
    ["is deleted", ({ send }) => send("DELETE", PATH)],
    ["is broken", ({ publish }) => publish((store) => store.snapshot("lanyard.json", "<html>"))],
    ["is turned off", ({ publish }) => publish(putLanyardOff)],
  ])("sends the end where the presence %s, and closes", async (_, end) => {
    const own = await startOwn();
    await own.publish((store) => putLanyard(store));
    const line = await subscribed(own.edge);
    await line.next();
    const other = await subscribed(own.edge, { subscribe_to_id: "2" });
    expect(await other.next()).toEqual(init({}));
    await end(own);
    expect(await line.next()).toEqual(update(GONE));
    for (const { closed } of [line, other])
      expect(await closed).toEqual({ code: 1001, reason: "" });
  });

  test("sends the presence that is in the folder PREFIX, and its changes", async () => {
    const { edge, put } = await startOwn({ PREFIX: "blog/" });
    await put("blog/lanyard.json", document("Editor"));
    const line = await subscribed(edge);
    expect(await line.next()).toEqual(init(presence()));
    await put("porchlight/lanyard.json", document("Elsewhere"));
    await put("blog/lanyard.json", document("Other"));
    expect(await line.next()).toEqual(update(presence({ application: "Other" })));
  });

  test.each<[string, string, (own: Awaited<ReturnType<typeof startOwn>>) => Promise<unknown>]>([
    ["there is no presence", "503", async () => {}],
    ["it is broken", "503", ({ publish }) => publish((all) => all.snapshot("lanyard.json", "{"))],
    ["it is turned off", '404 {"error":"Resource not found"}', (own) => own.publish(putLanyardOff)],
  ])("is refused after 20 seconds where %s", async (_, answer, make) => {
    const own = await startOwn();
    await make(own);
    await own.edge.faster(20);
    const start = performance.now();
    await expect(own.edge.connect("/socket")).rejects.toThrow(answer);
    expect(performance.now() - start).toBeGreaterThanOrEqual(999);
    await own.publish((store) => putLanyard(store));
    expect(await (await subscribed(own.edge)).next()).toEqual(init(presence()));
  });

  test("sends the end once it is there, also where the object has left the memory", async () => {
    const { edge, publish } = await startOwn();
    // The counts, for which it stays there, are written at once.
    await edge.faster(100);
    await publish((store) => putLanyard(store, { application: "First" }));
    const line = await subscribed(edge);
    expect(await line.next()).toEqual(init(presence({ application: "First" })));
    let made: number;
    let left = 13;
    do {
      await publish((store) => putLanyard(store, { left }));
      expect(await line.next()).toEqual(update(presence()));
      made = await edge.made();
      expect(await line.next()).toEqual(update(GONE));
      // The platform takes an object that nothing asks for 10 s out of the memory, or later if it is busy.
      left *= 2;
    } while ((await edge.made()) === made);
    expect(await edge.made()).toBe(made + 1);
    await publish((store) => putLanyard(store, { application: "Back" }));
    expect(await line.next()).toEqual(update(presence({ application: "Back" })));
  }, 180_000);

  test("receives a change where the object has left the memory, and nothing else wakes it", async () => {
    const edge = await startEdge({}, WITH_STORE);
    // The counts, which would wake it after 20 s and keep it there for a minute, come at once.
    await edge.faster(100);
    const change = async (application: string) => {
      const put = signed("PUT", PATH, Buffer.from(document(application)));
      expect((await edge.get(PATH, put)).status).toBeLessThan(300);
    };
    await change("Editor");
    const line = await subscribed(edge);
    const other = await subscribed(edge, { subscribe_to_id: "2" });
    expect(await line.next()).toEqual(init(presence()));
    expect(await other.next()).toEqual(init({}));
    const made = await edge.made();
    for (let n = 1; (await edge.made()) === made; n += 1) {
      // The platform takes it out of the memory after 10 s. It notifies no one, and a question would keep it there.
      await new Promise((resolve) => setTimeout(resolve, 14_000));
      expect(await edge.made()).toBe(made);
      await change(`Other ${n}`);
      expect(await line.next()).toEqual(update(presence({ application: `Other ${n}` })));
    }
    expect(await edge.made()).toBe(made + 1);
    other.send(HEARTBEAT);
    expect(await other.next()).toEqual({ op: 3 });
  }, 180_000);

  test("waits for the end of a presence that was renewed", async () => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store, { left: 2 }));
    const line = await subscribed(edge);
    await line.next();
    const end = seconds() + 5;
    await publish((store) => putLanyard(store, { left: 5 }));
    expect(await line.next()).toEqual(update(GONE));
    expect(seconds()).toBeGreaterThanOrEqual(end);
  });

  test("has place for 300 readers, and for another instead of one who sends no heartbeats", async () => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    const lines: Line[] = [];
    // On a busy machine workerd would leave some of 300 that come at once before they have asked.
    while (lines.length < 300)
      lines.push(...(await Promise.all(Array.from({ length: 50 }, () => subscribed(edge)))));
    for (const line of lines) expect(await line.next()).toEqual(init(presence()));
    await edge.faster(100);
    await expect(edge.connect("/socket")).rejects.toThrow('503 {"error":"Too many sockets"}');
    const [first, second, ...others] = lines;
    first?.close();
    await first?.closed;
    const next = await subscribed(edge);
    expect(await next.next()).toEqual(init(presence()));
    await expect(edge.connect("/socket")).rejects.toThrow("503");
    // All receive a change.
    await publish((store) => putLanyard(store, { application: "Other" }));
    for (const line of [second, next, ...others])
      expect(await line?.next()).toEqual(update(presence({ application: "Other" })));
    await edge.ahead(61_000);
    // This form is not answered by the platform, so it is the clock of the test that counts.
    next.send('{"op": 3}');
    next.send({ op: 2, d: { subscribe_to_id: "2" } });
    expect(await next.next()).toEqual(init({}));
    const last = await subscribed(edge);
    expect(await last.next()).toEqual(init(presence({ application: "Other" })));
    for (const line of [second, ...others])
      expect(await line?.closed).toEqual({ code: 1000, reason: "no heartbeat" });
    next.send(HEARTBEAT);
    expect(await next.next()).toEqual({ op: 3 });
  }, 120_000);

  test("keeps the place of a reader whose heartbeats the platform answers", async () => {
    const { edge, publish } = await startOwn();
    await publish((store) => putLanyard(store));
    // Both readers came a minute ago. The platform has no other clock than the real one.
    await edge.ahead(-61_000);
    const [beating, silent] = [await subscribed(edge), await subscribed(edge)];
    for (const line of [beating, silent]) expect(await line.next()).toEqual(init(presence()));
    await edge.ahead(61_000);
    beating.send(HEARTBEAT);
    expect(await beating.next()).toEqual({ op: 3 });
    await subscribed(edge);
    expect(await silent.closed).toEqual({ code: 1000, reason: "no heartbeat" });
    beating.send(HEARTBEAT);
    expect(await beating.next()).toEqual({ op: 3 });
  });

  test("that is refused is refused after 20 seconds", async () => {
    const { edge } = await startWithoutService();
    await edge.faster(20);
    const start = performance.now();
    await expect(edge.connect("/socket")).rejects.toThrow('503 {"error":"Too many sockets"}');
    expect(performance.now() - start).toBeGreaterThanOrEqual(999);
    const { edge: full } = await startOwn();
    await full.fail("Exceeded allowed rows read in Durable Objects free tier.", "refuse");
    await full.faster(1_000);
    await expect(full.connect("/socket")).rejects.toThrow("503");
  });

  test("wants a WebSocket, over HTTPS", async () => {
    const { service, edge } = await startOwn();
    const plain = await edge.get("/socket");
    expect([plain.status, plain.json()]).toEqual([400, { error: "WebSocket required" }]);
    expect((await edge.get("http://light.example/socket")).status).toBe(308);
    expect(service.asked).toEqual([]);
  });

  test("is refused where the snapshot is not in STORE, and nothing is written into it", async () => {
    const { store, edge } = await startWithoutService({}, WITH_STORE);
    putLanyard(store);
    await edge.faster(1_000);
    await expect(edge.connect("/socket")).rejects.toThrow('503 {"error":"Too many sockets"}');
    // A read would have ten milliseconds.
    await edge.faster(1);
    expect((await edge.get("/v1/users/1")).json()).toEqual({ success: true, data: presence() });
    const unused = await edge.get("/-/store/a", signed("GET", "/-/store/a"));
    expect([unused.status, unused.headers.get("X-Unused")]).toEqual([404, "1"]);
  });
});
