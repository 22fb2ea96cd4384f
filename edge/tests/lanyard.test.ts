// `/socket` of Lanyard's protocol, from STORE, and how many sockets there may be.

import { describe, expect, test } from "vitest";
import { type Edge, startEdge } from "./harness/edge.ts";
import { GONE, presence, seconds, servedBy, shown, startOwn } from "./harness/own.ts";
import type { Line } from "./harness/socket.ts";

const HELLO = { op: 1, d: { heartbeat_interval: 30_000 } };
const HEARTBEAT = '{"op":3}';
const OFF = { presence: { ...shown(), lanyard: null, lanyard_over: null } };

const init = (d: object) => ({ op: 0, t: "INIT_STATE", d });
const update = (d: object) => ({ op: 0, t: "PRESENCE_UPDATE", d });
const changed = (application: string) => ({ presence: shown(application) });

async function start() {
  const edge = await startEdge();
  return { edge, ...servedBy(edge) };
}

/** A socket that has said hello, and subscribed to this. */
async function subscribed(edge: Edge, d: object = { subscribe_to_id: "1" }, headers = {}) {
  const line = await edge.connect("/socket", headers);
  expect(await line.next()).toEqual(HELLO);
  line.send({ op: 2, d });
  return line;
}

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
    const { edge, sync } = await startOwn();
    const line = await subscribed(edge, d);
    expect(await line.next()).toEqual(init(state));
    await sync(changed("Other"));
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
    const { edge } = await startOwn();
    const line = await edge.connect("/socket");
    line.send(message);
    expect(await line.closed).toEqual({ code, reason });
  });

  test("ends with more than 120 messages in a minute, as at the service", async () => {
    const { edge } = await startOwn();
    const line = await edge.connect("/socket");
    const other = await edge.connect("/socket");
    expect([await line.next(), await other.next()]).toEqual([HELLO, HELLO]);
    const { rowsRead } = await edge.seen(true);
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
    expect((await edge.seen(true)).rowsRead - rowsRead).toBeLessThan(5);
    line.send(subscription);
    expect(await line.closed).toEqual({ code: 1008, reason: "too_many_messages" });
    other.send(subscription);
    expect(await other.next()).toEqual(init(presence()));
  });

  test("takes messages of 4,096 bytes", async () => {
    const { edge } = await startOwn();
    const d = { subscribe_to_id: "" };
    const length = 4096 - JSON.stringify({ op: 2, d }).length;
    const line = await subscribed(edge, { subscribe_to_id: "x".repeat(length) });
    expect(await line.next()).toEqual(init({}));
  });

  test("answers a heartbeat, and one that is written otherwise does not end it", async () => {
    const { edge, sync } = await startOwn();
    const line = await subscribed(edge);
    expect(await line.next()).toEqual(init(presence()));
    line.send('{"op": 3}');
    line.send({ op: 3, d: null });
    line.send({ op: 4 });
    line.send(HEARTBEAT);
    expect(await line.next()).toEqual({ op: 3 });
    await sync(changed("Other"));
    expect(await line.next()).toEqual(update(presence({ application: "Other" })));
  });

  test.each([
    { unsubscribe_from_id: "1" },
    { unsubscribe_from_ids: ["2", "1"] },
    { unsubscribe_from_all: true },
  ])("sends nothing more after %j, until it is subscribed again", async (d) => {
    const { edge, sync } = await startOwn();
    const line = await subscribed(edge);
    await line.next();
    line.send({ op: 4, d: { unsubscribe_from_id: "2" } });
    await sync(changed("Second"));
    expect(await line.next()).toEqual(update(presence({ application: "Second" })));
    line.send({ op: 4, d });
    line.send({ op: 2, d: { subscribe_to_id: "2" } });
    expect(await line.next()).toEqual(init({}));
    await sync(changed("Third"));
    line.send({ op: 2, d: { subscribe_to_id: "1" } });
    expect(await line.next()).toEqual(init(presence({ application: "Third" })));
  });

  test("sends nothing where readers see the same", async () => {
    const { edge, sync } = await startOwn();
    const line = await subscribed(edge);
    await line.next();
    await sync({ valid_until: seconds() + 700 });
    // What else changes is no news.
    await sync({ widget: "// another" });
    await sync({ presence: { ...shown(), check: { alive: false } } });
    await sync(changed("Other"));
    expect(await line.next()).toEqual(update(presence({ application: "Other" })));
  });

  test("sends the end where Lanyard is turned off, and closes", async () => {
    const { edge, sync } = await startOwn();
    const line = await subscribed(edge);
    await line.next();
    const other = await subscribed(edge, { subscribe_to_id: "2" });
    expect(await other.next()).toEqual(init({}));
    await sync(OFF);
    expect(await line.next()).toEqual(update(GONE));
    for (const { closed } of [line, other])
      expect(await closed).toEqual({ code: 1001, reason: "" });
  });

  test("closes where the owner has another id, as at the service", async () => {
    const { edge, sync } = await startOwn();
    const line = await subscribed(edge);
    await line.next();
    const lanyard = { lanyard: presence({ id: "8" }), lanyard_over: presence({ id: "8" }) };
    await sync({ presence: { ...shown(), ...lanyard } });
    expect(await line.next()).toEqual(update(GONE));
    expect(await line.closed).toEqual({ code: 1001, reason: "" });
    const next = await subscribed(edge, { subscribe_to_id: "8" });
    expect(await next.next()).toEqual(init(presence({ id: "8" })));
  });

  test.each(["paused", "asleep", "stopped"])(
    "sends the end once where the service is %s, and goes on after that",
    async (state) => {
      const { edge, sync } = await startOwn();
      const line = await subscribed(edge);
      await line.next();
      await sync({ state, valid_until: seconds() + 1 });
      expect(await line.next()).toEqual(update(GONE));
      await sync({ state });
      // No alarm says it again.
      expect((await edge.seen()).alarms).toBe(1);
      await sync({ state: "running", ...changed("Back") });
      expect(await line.next()).toEqual(update(presence({ application: "Back" })));
    },
  );

  test("is refused after 20 seconds where it is turned off", async () => {
    const { edge, sync } = await startOwn();
    await sync(OFF);
    expect((await edge.get("/socket")).status).toBe(404);
    await edge.faster(20);
    const start = performance.now();
    const refused = edge.connect("/socket");
    await expect(refused).rejects.toThrow('404 {"error":"Resource not found"}');
    expect(performance.now() - start).toBeGreaterThanOrEqual(999);
    await sync(changed("Back"));
    const state = init(presence({ application: "Back" }));
    expect(await (await subscribed(edge)).next()).toEqual(state);
  });

  test("is closed after 10 seconds where nothing is subscribed to", async () => {
    const { edge } = await startOwn();
    await edge.faster(10);
    const start = performance.now();
    const [silent, unknown, owner] = [
      await edge.connect("/socket"),
      await subscribed(edge, { subscribe_to_id: "2" }),
      await subscribed(edge),
    ];
    silent.send({ op: 3, d: null });
    expect(await silent.closed).toEqual({ code: 1000, reason: "no subscription" });
    expect(performance.now() - start).toBeGreaterThanOrEqual(999);
    // Who waits for somebody else is not sent away, to come back at once.
    expect(await unknown.next()).toEqual(init({}));
    expect(await owner.next()).toEqual(init(presence()));
    for (const line of [unknown, owner]) {
      line.send(HEARTBEAT);
      expect(await line.next()).toEqual({ op: 3 });
    }
  });

  test("has an eighth of the places for one address", async () => {
    const { edge } = await startOwn({ CLIENT_IP_HEADER: "X-Real-IP" });
    const of = (ip: string) => ({ "X-Real-IP": ip });
    const lines = [];
    for (let n = 0; n < 37; n += 1)
      lines.push(await subscribed(edge, undefined, of(`2001:db8:1:2::${n}`)));
    await edge.faster(1_000);
    const more = () => edge.connect("/socket", of("2001:0db8:1:2:ffff::1"));
    await expect(more()).rejects.toThrow('503 {"error":"Too many sockets"}');
    for (const other of ["2001:db8:1:3::1", "192.0.2.1", ""])
      expect(await edge.connect("/socket", of(other)).then((line) => line.next())).toEqual(HELLO);
    await edge.restart();
    await edge.faster(1);
    const [first] = lines;
    first?.close();
    await first?.closed;
    expect(await (await more()).next()).toEqual(HELLO);
  }, 120_000);

  test("has no share without CLIENT_IP_HEADER", async () => {
    const { edge } = await startOwn();
    for (let n = 0; n < 40; n += 1) await subscribed(edge, undefined, { "X-Real-IP": "192.0.2.1" });
  });

  test("sends the end once it is there, also where the object has left the memory", async () => {
    const { edge, ...own } = await start();
    const { sync } = own;
    // The counts, for which it stays there, are written at once.
    await edge.faster(100);
    await sync(changed("First"));
    const line = await subscribed(edge);
    expect(await line.next()).toEqual(init(presence({ application: "First" })));
    let made: number;
    let left = 13;
    do {
      await sync({ ...changed("Editor"), valid_until: seconds() + left });
      expect(await line.next()).toEqual(update(presence()));
      ({ made } = await edge.seen());
      expect(await line.next()).toEqual(update(GONE));
      // The platform takes an object that nothing asks for 10 s out of the memory, or later if it is busy.
      left *= 2;
    } while ((await edge.seen()).made === made);
    expect((await edge.seen()).made).toBe(made + 1);
    await sync({ ...changed("Back") });
    expect(await line.next()).toEqual(update(presence({ application: "Back" })));
  }, 180_000);

  test("receives a change where the object has left the memory, and nothing else wakes it", async () => {
    const { edge, sync } = await start();
    // The counts, which would keep it there for a minute, are written at once.
    await edge.faster(100);
    await sync();
    const line = await subscribed(edge);
    const other = await subscribed(edge, { subscribe_to_id: "2" });
    expect(await line.next()).toEqual(init(presence()));
    expect(await other.next()).toEqual(init({}));
    const { made } = await edge.seen();
    for (let n = 1; (await edge.seen()).made === made; n += 1) {
      // The platform takes it out of the memory after 10 s. It notifies no one, and a question would keep it there.
      await new Promise((resolve) => setTimeout(resolve, 14_000));
      expect((await edge.seen()).made).toBe(made);
      await sync(changed(`Other ${n}`));
      expect(await line.next()).toEqual(update(presence({ application: `Other ${n}` })));
    }
    expect((await edge.seen()).made).toBe(made + 1);
    other.send(HEARTBEAT);
    expect(await other.next()).toEqual({ op: 3 });
  }, 180_000);

  test("waits for the end of a presence that was renewed", async () => {
    const { edge, sync } = await startOwn();
    await sync({ valid_until: seconds() + 2 });
    const line = await subscribed(edge);
    await line.next();
    const end = seconds() + 5;
    await sync({ valid_until: end });
    expect(await line.next()).toEqual(update(GONE));
    expect(seconds()).toBeGreaterThanOrEqual(end);
  });

  test("has place for 300 readers, and for another instead of one who sends no heartbeats", async () => {
    const { edge, sync } = await startOwn();
    const lines: Line[] = [];
    // On a busy machine workerd would leave some of 300 that come at once before they have asked.
    while (lines.length < 300)
      lines.push(...(await Promise.all(Array.from({ length: 50 }, () => subscribed(edge)))));
    for (const line of lines) expect(await line.next()).toEqual(init(presence()));
    const refused = async () => {
      await edge.faster(100);
      await expect(edge.connect("/socket")).rejects.toThrow('503 {"error":"Too many sockets"}');
      await edge.faster(1);
    };
    await refused();
    const [first, second, ...others] = lines;
    first?.close();
    await first?.closed;
    const next = await subscribed(edge);
    expect(await next.next()).toEqual(init(presence()));
    await refused();
    // All receive a change.
    await sync(changed("Other"));
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
    const { edge } = await startOwn();
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

  test("is refused after 20 seconds before the first sync, and where the plan is used up", async () => {
    const { edge, sync } = await start();
    for (const reason of ["", "Exceeded allowed rows read in Durable Objects free tier."]) {
      await edge.fail(reason, "refuse");
      await edge.faster(20);
      const start = performance.now();
      await expect(edge.connect("/socket")).rejects.toThrow("503");
      expect(performance.now() - start).toBeGreaterThanOrEqual(999);
      await edge.fail("", "refuse");
      await sync();
    }
  });

  test("wants a WebSocket, over HTTPS", async () => {
    const { service, edge } = await startOwn();
    const plain = await edge.get("/socket");
    expect([plain.status, plain.json()]).toEqual([400, { error: "WebSocket required" }]);
    expect((await edge.get("http://light.example/socket")).status).toBe(308);
    expect(service.asked).toEqual([]);
  });
});
