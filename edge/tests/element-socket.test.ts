// @vitest-environment happy-dom

// The custom element with a socket: it shows what it receives, and asks only where it receives nothing.

import { describe, expect, test, vi } from "vitest";
import {
  answer,
  answers,
  asked,
  hide,
  LIVE,
  partOf,
  prepare,
  put,
  SRC,
  settled,
  shown,
} from "./harness/element.ts";

const HELLO = { op: 1, d: { heartbeat_interval: 30_000 } };
const SUBSCRIBES = { op: 2, d: { subscribe_to_all: true } };
const KV = { application: "Pushed", introduce: "by a socket", rgba: "1,2,3,1", device: "d1" };
const PHONE = { id: "d1", name: "Pixel 8", kind: "phone", online: true, application: "Pushed" };

/** The service's end of a socket. */
class Socket {
  static all: Socket[] = [];
  readyState = 0;
  sent: unknown[] = [];
  onmessage?: (event: { data: unknown }) => void;
  onclose?: () => void;
  constructor(readonly url: string) {
    Socket.all.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    queueMicrotask(() => this.onclose?.());
  }
  open() {
    this.readyState = 1;
    this.say(HELLO);
  }
  say(message: unknown) {
    const data = typeof message === "string" ? message : JSON.stringify(message);
    this.onmessage?.({ data });
  }
  /** `INIT_STATE`, as for a reader who has subscribed to all. */
  init(over: object = {}) {
    this.say({ op: 0, t: "INIT_STATE", d: { 1: presence(over) } });
  }
  update(over: object = {}) {
    this.say({ op: 0, t: "PRESENCE_UPDATE", d: presence(over) });
  }
}

prepare(Socket);

const presence = (over: object = {}) => ({
  discord_user: { id: "1" },
  discord_status: "online",
  kv: KV,
  ...over,
});
const OFFLINE = { discord_status: "offline", kv: { ...KV, application: "", introduce: "" } };

/** The latest socket. */
const socket = () => Socket.all.at(-1) as Socket;
const checks = () => asked.filter((url) => url.endsWith("/check")).length;
const lists = () => asked.filter((url) => url.endsWith("/devices")).length;

/** The element, with a presence from its socket. */
async function pushed(attributes: Record<string, string> = {}, over: object = {}) {
  const element = await put(attributes);
  socket().open();
  socket().init(over);
  await settled();
  return element;
}

describe("while it receives presence by a socket", () => {
  test("it shows what it receives, and asks nothing of /check", async () => {
    const element = await pushed();
    expect(socket().url).toBe("wss://light.example/socket");
    expect(socket().sent).toEqual([SUBSCRIBES]);
    expect(shown(element)).toEqual(["online", "Pushed", "by a socket"]);
    expect(element.style.getPropertyValue("--rgba")).toBe("rgba(1, 2, 3, 1)");
    socket().update({ kv: { ...KV, application: "Other" } });
    expect(shown(element)?.[1]).toBe("Other");
    socket().update({ discord_status: "idle" });
    expect(shown(element)).toEqual(["away", "Away", ""]);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(checks()).toBe(0);
    expect(socket().sent.slice(1)).toEqual(Array(10).fill({ op: 3 }));
    expect(Socket.all.filter(({ readyState }) => readyState === 1)).toEqual([socket()]);
  });

  test.each([
    ["http://127.0.0.1:4780/", "ws://127.0.0.1:4780/socket"],
    ["https://light.example/a/b", "wss://light.example/a/b/socket"],
  ])("at %s it is %s", async (src, url) => {
    await put({ src });
    expect(socket().url).toBe(url);
  });

  test("it asks when the owner was last seen", async () => {
    answer(`${SRC}/check`, { ...LIVE, alive: false });
    const element = await pushed({}, OFFLINE);
    expect([checks(), shown(element)]).toEqual([1, ["offline", "Offline", "last seen 23:49"]]);
    socket().update();
    expect(shown(element)?.[1]).toBe("Pushed");
    socket().update(OFFLINE);
    expect(shown(element)).toEqual(["offline", "Offline", ""]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([checks(), shown(element)?.[2]]).toEqual([2, "last seen 23:49"]);
    // Nobody answers: it stays what it received.
    answers.clear();
    socket().update();
    socket().update(OFFLINE);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([checks(), shown(element)]).toEqual([3, ["offline", "Offline", ""]]);
  });

  test("an answer that was asked for before is not shown", async () => {
    let release = (_: Response) => {};
    answers.set(`${SRC}/check`, () => new Promise((resolve) => (release = resolve)));
    const element = await put();
    await vi.advanceTimersByTimeAsync(1_500);
    socket().open();
    socket().init();
    release(new Response(JSON.stringify(LIVE)));
    await settled();
    expect(shown(element)?.[1]).toBe("Pushed");
  });

  test("a hidden page gives its place away after a minute, and comes back", async () => {
    const element = await pushed();
    const first = socket();
    hide(true);
    await vi.advanceTimersByTimeAsync(59_999);
    hide(false);
    hide(true);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(first.readyState).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(first.readyState).toBe(3);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(socket()).toBe(first);
    hide(false);
    expect(socket()).not.toBe(first);
    socket().open();
    socket().init({ kv: { ...KV, application: "Back" } });
    expect(shown(element)?.[1]).toBe("Back");
    expect(checks()).toBe(0);
  });

  test("its removal and another address end it", async () => {
    const element = await pushed();
    const first = socket();
    element.setAttribute("src", "https://other.example");
    expect([first.readyState, socket().url]).toEqual([3, "wss://other.example/socket"]);
    first.update({ kv: { ...KV, application: "Late" } });
    expect(shown(element)?.[1]).toBe("Pushed");
    const second = socket();
    element.remove();
    expect(second.readyState).toBe(3);
    await vi.advanceTimersByTimeAsync(600_000);
    expect([socket(), checks()]).toEqual([second, 0]);
  });
});

describe("after five minutes without a message", () => {
  const CHECK = { ...LIVE, application: "Pushed", introduce: "by a socket" };

  test.each([
    ["shows something else", LIVE, ["online", "Editor", "writing"]],
    ["shows that the owner is away", { ...CHECK, applicationOnline: false }, ["away", "Away", ""]],
    ["shows no more than before the end", "<html>", null],
    ["is not there", undefined, null],
  ])("a socket counts as lost where /check %s", async (_, check, state) => {
    const element = await pushed();
    const first = socket();
    // It leads nowhere: not even its end arrives.
    first.close = () => {
      first.readyState = 2;
    };
    if (check) answer(`${SRC}/check`, check);
    await vi.advanceTimersByTimeAsync(300_000);
    expect([checks(), shown(element)?.[1]]).toEqual([0, "Pushed"]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect([checks(), shown(element), first.readyState]).toEqual([1, state, 2]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(socket()).not.toBe(first);
    socket().open();
    socket().init({ kv: { ...KV, application: "Back" } });
    first.update({ kv: { ...KV, application: "Late" } });
    first.onclose?.();
    expect([shown(element)?.[1], socket().readyState]).toEqual(["Back", 1]);
  });

  test("a socket stays where /check shows the same, and each message counts", async () => {
    answer(`${SRC}/check`, CHECK);
    const element = await pushed();
    const first = socket();
    await vi.advanceTimersByTimeAsync(290_000);
    first.update();
    await vi.advanceTimersByTimeAsync(290_000);
    expect(checks()).toBe(0);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(checks()).toBe(1);
    await vi.advanceTimersByTimeAsync(660_000);
    expect([checks(), shown(element)?.[1]]).toEqual([3, "Pushed"]);
    expect([socket(), first.readyState]).toEqual([first, 1]);
  });
});

describe("without presence from a socket", () => {
  test("it asks after 1.5 seconds, and every 30, until it receives presence", async () => {
    answer(`${SRC}/check`, LIVE);
    const element = await put();
    await vi.advanceTimersByTimeAsync(1_499);
    expect(checks()).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([checks(), shown(element)?.[1]]).toEqual([1, "Editor"]);
    socket().open();
    // There is no presence yet.
    socket().say({ op: 0, t: "INIT_STATE", d: {} });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([checks(), shown(element)?.[1]]).toEqual([3, "Editor"]);
    socket().update();
    expect(shown(element)?.[1]).toBe("Pushed");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(checks()).toBe(3);
  });

  test("it asks at once where sockets are refused, and tries again ever later", async () => {
    answer(`${SRC}/check`, LIVE);
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const before = Socket.all.length;
    const element = await put();
    socket().close();
    await settled();
    expect([checks(), shown(element)?.[1]]).toEqual([1, "Editor"]);
    // 3/4 of 5 s, 10 s, 20 s …, and of 5 minutes at last.
    for (const [place, wait] of [5, 10, 20, 40, 80, 160, 300, 300].entries()) {
      await vi.advanceTimersByTimeAsync(wait * 750 - 1);
      expect(Socket.all.length - before).toBe(place + 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(Socket.all.length - before).toBe(place + 2);
      socket().close();
      await settled();
    }
    expect(checks()).toBe(1 + Math.floor((915 * 0.75) / 30));
  });

  test.each([
    [0, 2_500],
    [0.999, 4_997],
  ])("at the end of a service not all come at once (%f)", async (random, wait) => {
    answer(`${SRC}/check`, LIVE);
    vi.spyOn(Math, "random").mockReturnValue(random);
    const element = await pushed();
    const first = socket();
    await vi.advanceTimersByTimeAsync(61_000);
    first.close();
    await settled();
    expect(shown(element)?.[1]).toBe(random === 0 ? "Editor" : "Pushed");
    await vi.advanceTimersByTimeAsync(random * 5_000);
    expect([checks(), shown(element)?.[1]]).toEqual([1, "Editor"]);
    await vi.advanceTimersByTimeAsync(wait - random * 5_000 - 1);
    expect(socket()).toBe(first);
    await vi.advanceTimersByTimeAsync(2);
    expect(socket()).not.toBe(first);
  });

  test("one that ends soon after it began counts as refused", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    await pushed();
    for (const wait of [2_500, 5_000, 10_000]) {
      const last = socket();
      last.close();
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(socket()).toBe(last);
      await vi.advanceTimersByTimeAsync(1);
      socket().open();
      socket().init();
    }
    // One that lasted does not.
    const last = socket();
    await vi.advanceTimersByTimeAsync(61_000);
    last.close();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(socket()).not.toBe(last);
  });

  test("it only asks where the page may open none", async () => {
    vi.stubGlobal(
      "WebSocket",
      class {
        constructor() {
          throw new DOMException("not from here", "SecurityError");
        }
      },
    );
    answer(`${SRC}/check`, LIVE);
    const element = await put();
    expect([checks(), shown(element)?.[1]]).toEqual([1, "Editor"]);
  });

  test.each([
    ["no JSON", "<html>"],
    ["null", "null"],
    ["no presence", { op: 0, t: "PRESENCE_UPDATE", d: {} }],
    ["a status that is none", { op: 0, t: "PRESENCE_UPDATE", d: presence({ discord_status: 1 }) }],
    ["no map", { op: 0, t: "INIT_STATE", d: null }],
    ["64 KB and more", { op: 0, t: "PRESENCE_UPDATE", d: presence({ x: "x".repeat(65_536) }) }],
  ])("one that lies (%s) is as good as none", async (_, message) => {
    answer(`${SRC}/check`, LIVE);
    const element = await put();
    const first = socket();
    first.open();
    first.say(message);
    await settled();
    expect([first.readyState, shown(element)?.[1]]).toEqual([3, "Editor"]);
  });

  test("one that says something else is not minded", async () => {
    const element = await pushed();
    for (const message of [{ op: 3 }, { op: 99 }, {}]) socket().say(message);
    expect([socket().readyState, shown(element)?.[1]]).toEqual([1, "Pushed"]);
  });

  test("texts that it receives stay text", async () => {
    const html = '<img src=x onerror="alert(1)">';
    const kv = { ...KV, application: html, introduce: html, rgba: "red", device: html };
    const element = await pushed({}, { kv });
    expect(shown(element)).toEqual(["online", html, html]);
    expect(element.shadowRoot?.querySelector("img")).toBeNull();
    expect(element.style.getPropertyValue("--rgba")).toBe("");
  });
});

describe("the device", () => {
  test("is an icon of its kind, with its name and battery", async () => {
    answer(`${SRC}/devices`, { devices: [{ ...PHONE, battery: 79.6, charging: true }] });
    const part = partOf(await pushed(), "device");
    expect(part.hidden).toBe(false);
    expect([part.title, part.getAttribute("role"), part.getAttribute("aria-label")]).toEqual([
      "Pixel 8 · battery 80% · charging",
      "img",
      "Pixel 8 · battery 80% · charging",
    ]);
    expect(part.querySelectorAll("svg > path").length).toBe(1);
    socket().update(OFFLINE);
    expect(part.hidden).toBe(true);
  });

  test.each([-1, 101, "80", null])("has no battery of %j", async (battery) => {
    answer(`${SRC}/devices`, { devices: [{ ...PHONE, battery, charging: true }] });
    expect(partOf(await pushed(), "device").title).toBe("Pixel 8");
  });

  test("has an icon for each kind", async () => {
    const kinds = ["desktop", "laptop", "phone", "tablet", "other", "toaster", null];
    const paths = [];
    for (const kind of kinds) {
      answer(`${SRC}/devices`, { devices: [{ ...PHONE, kind }] });
      const element = await pushed();
      paths.push(partOf(element, "device").querySelector("path")?.getAttribute("d"));
      element.remove();
    }
    expect(new Set(paths).size).toBe(5);
    expect(paths.slice(5)).toEqual([paths[4], paths[4]]);
  });

  test.each([
    ["is not listed", [{ ...PHONE, id: "d2" }], {}],
    ["is offline", [{ ...PHONE, online: false }], {}],
    ["belongs to an owner who is offline", [PHONE], OFFLINE],
    ["is in no list", "x", {}],
    ["is none", [null, 1], {}],
  ])("is not shown where it %s", async (_, devices, over) => {
    answer(`${SRC}/devices`, { devices });
    const element = await pushed({}, over);
    expect(lists()).toBe("discord_status" in over ? 0 : 1);
    expect(partOf(element, "device").hidden).toBe(true);
  });

  test("is asked for when another one is shown, and for its battery when somebody points at it", async () => {
    answer(`${SRC}/devices`, { devices: [{ ...PHONE, battery: 80 }] });
    const element = await pushed();
    const part = partOf(element, "device");
    socket().update({ kv: { ...KV, application: "Other" } });
    await settled();
    expect(lists()).toBe(1);
    part.dispatchEvent(new Event("pointerenter"));
    expect(lists()).toBe(1);
    await vi.advanceTimersByTimeAsync(30_000);
    answer(`${SRC}/devices`, {
      devices: [
        { ...PHONE, battery: 79 },
        { ...PHONE, id: "d2" },
      ],
    });
    part.dispatchEvent(new Event("pointerenter"));
    await settled();
    expect([lists(), part.title]).toEqual([2, "Pixel 8 · battery 79%"]);
    await vi.advanceTimersByTimeAsync(15_000);
    socket().update({ kv: { ...KV, device: "d2" } });
    await settled();
    expect([lists(), part.title]).toEqual([2, "Pixel 8"]);
    socket().update({ kv: { ...KV, device: "d3" } });
    await settled();
    expect([lists(), part.hidden]).toEqual([3, true]);
  });

  test("is, without a socket, the one with the app that is shown", async () => {
    answer(`${SRC}/check`, LIVE);
    answer(`${SRC}/devices`, {
      devices: [PHONE, { ...PHONE, id: "d2", name: "Laptop", application: "Editor" }],
    });
    const element = await put();
    socket().close();
    await settled();
    expect(partOf(element, "device").title).toBe("Laptop");
  });

  test("is, of several with that app, the one of that heartbeat", async () => {
    answer(`${SRC}/check`, LIVE);
    const phone = { ...PHONE, application: "Editor", last_heartbeat: LIVE.last_heartbeat - 60 };
    const laptop = { ...phone, id: "d2", name: "Laptop", last_heartbeat: LIVE.last_heartbeat };
    answer(`${SRC}/devices`, { devices: [phone, laptop] });
    const element = await put();
    socket().close();
    await settled();
    expect(partOf(element, "device").title).toBe("Laptop");
  });

  test("is none where a lost socket has left no app to know it by", async () => {
    const laptop = { ...PHONE, id: "d2", name: "Laptop", application: "" };
    answer(`${SRC}/devices`, { devices: [{ ...PHONE, application: "" }, laptop] });
    answer(`${SRC}/check`, { ...LIVE, application: "", introduce: "" });
    const kv = { ...KV, application: "", device: "d2" };
    const element = await pushed({}, { kv });
    expect(partOf(element, "device").title).toBe("Laptop");
    socket().close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect([checks(), partOf(element, "device").hidden]).toEqual([1, true]);
  });
});

describe("with the attribute `devices`", () => {
  const devices = [
    { ...PHONE, battery: 80, charging: false },
    { id: "d2", name: "Laptop", kind: "laptop", online: false, application: "" },
    { id: "d3", name: "<b>x</b>", kind: "other", online: true, application: "" },
  ];
  const lines = (element: HTMLElement) =>
    [...partOf(element, "devices").children].map(({ textContent }) => textContent?.trim());

  test("all are listed, each with what it shows", async () => {
    answer(`${SRC}/devices`, { devices });
    const element = await pushed({ devices: "" });
    const list = partOf(element, "devices");
    expect([list.tagName, list.getAttribute("role"), list.hidden]).toEqual(["UL", "list", false]);
    expect(lines(element)).toEqual([
      "Pixel 8 Pushed · battery 80%",
      "Laptop Offline",
      "<b>x</b> Online",
    ]);
    expect([...list.children].map((item) => item.getAttribute("part"))).toEqual([
      "item online",
      "item offline",
      "item online",
    ]);
    element.setAttribute("lang", "zh");
    expect(lines(element)).toEqual(["Pixel 8 Pushed · 电量 80%", "Laptop 离线", "<b>x</b> 在线"]);
    element.removeAttribute("devices");
    expect([list.hidden, list.children.length]).toEqual([true, 0]);
  });

  test("they are read again with a change, at most every 15 seconds", async () => {
    answer(`${SRC}/devices`, { devices });
    const element = await pushed({ devices: "" });
    for (let seconds = 0; seconds < 60; seconds += 1) {
      socket().update({ kv: { ...KV, introduce: String(seconds) } });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(lists()).toBe(4);
    answer(`${SRC}/devices`, { devices: [] });
    socket().update();
    await settled();
    expect([lists(), partOf(element, "devices").hidden]).toEqual([5, true]);
  });

  test("those of the address before are not listed", async () => {
    let release = (_: Response) => {};
    answers.set(`${SRC}/devices`, () => new Promise((resolve) => (release = resolve)));
    const element = await pushed({ devices: "" });
    answer("https://other.example/devices", { devices: [{ ...PHONE, name: "Other" }] });
    element.setAttribute("src", "https://other.example");
    socket().open();
    socket().init();
    await settled();
    release(new Response(JSON.stringify({ devices })));
    await settled();
    expect(lines(element)).toEqual(["Other Pushed"]);
  });

  test("no more than 20 are listed, and none where nobody answers", async () => {
    answer(`${SRC}/devices`, { devices: Array(50).fill(PHONE) });
    expect(lines(await pushed({ devices: "" })).length).toBe(20);
    answers.clear();
    expect(partOf(await pushed({ devices: "" }), "devices").hidden).toBe(true);
  });
});
