// @vitest-environment happy-dom

// The custom element, with a service that is there, is not, and lies.

import { describe, expect, test, vi } from "vitest";
import {
  answer,
  answers,
  asked,
  hide,
  init,
  LIVE,
  prepare,
  put,
  SRC,
  settled,
  shown,
} from "./harness/element.ts";

// Without sockets.
prepare(undefined);

describe("while the service is there", () => {
  test("it shows the app, what it is about, and the colour", async () => {
    answer(`${SRC}/check`, LIVE);
    const element = await put({ src: `${SRC}/` });
    expect(shown(element)).toEqual(["online", "Editor", "writing"]);
    expect(element.style.getPropertyValue("--rgba")).toBe("rgba(1, 2, 3, 0.5)");
    expect(asked).toEqual([`${SRC}/check`, `${SRC}/devices`]);
  });

  test.each([
    ["online", { alive: true, last_heartbeat: 1 }, ["online", "Online", ""]],
    ["online", { ...LIVE, application: "", introduce: "" }, ["online", "Online", ""]],
    ["away", { ...LIVE, applicationOnline: false }, ["away", "Away", ""]],
    ["offline", { ...LIVE, alive: false, last_heartbeat: 0 }, ["offline", "Offline", ""]],
    ["offline", { ...LIVE, alive: false, last_heartbeat: "x" }, ["offline", "Offline", ""]],
  ])("%s: %j", async (_, check, expected) => {
    answer(`${SRC}/check`, check);
    expect(shown(await put())).toEqual(expected);
  });

  test("it sends no cookies, and wants nothing that the browser kept", async () => {
    answer(`${SRC}/check`, LIVE);
    await put();
    expect(init).toMatchObject({ credentials: "omit", cache: "no-store" });
  });

  test("it shows when the owner was last seen", async () => {
    const minutes = new Date(2026, 0, 31, 23, 40).getTime() / 1000;
    answer(`${SRC}/check`, { ...LIVE, alive: false, last_heartbeat: minutes });
    expect(shown(await put())).toEqual(["offline", "Offline", "last seen 23:40"]);
    expect(shown(await put({ lang: "zh-CN" }))).toEqual(["offline", "离线", "最后在线 23:40"]);
    const day = new Date(2026, 0, 29, 7, 5).getTime() / 1000;
    answer(`${SRC}/check`, { ...LIVE, alive: false, last_heartbeat: day });
    expect(shown(await put())?.[2]).toMatch(/^last seen .*29.*Jan.*07:05$/);
  });

  test("its words are the reader's, or those of the attributes", async () => {
    answer(`${SRC}/check`, { ...LIVE, applicationOnline: false });
    const language = vi.spyOn(navigator, "language", "get");
    language.mockReturnValue("zh-TW");
    expect(shown(await put())?.[1]).toBe("离开");
    expect(shown(await put({ lang: "en" }))?.[1]).toBe("Away");
    language.mockReturnValue("de");
    expect(shown(await put())?.[1]).toBe("Away");
    const element = await put({ away: "Nicht da", "last-seen": "zuletzt {time} gesehen" });
    expect(shown(element)?.[1]).toBe("Nicht da");
    const minutes = new Date(2026, 0, 31, 23, 40).getTime() / 1000;
    answer(`${SRC}/check`, { ...LIVE, alive: false, last_heartbeat: minutes });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(shown(element)?.[2]).toBe("zuletzt 23:40 gesehen");
    expect(shown(await put({ lang: "no language!" }))?.[2]).toBe("last seen 23:40");
  });

  test("it asks every 30 seconds while the page is visible, and until it is removed", async () => {
    answer(`${SRC}/check`, LIVE);
    const checks = () => asked.filter((url) => url.endsWith("/check")).length;
    const element = await put();
    expect(checks()).toBe(1);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(checks()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(checks()).toBe(2);
    hide(true);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(checks()).toBe(2);
    hide(false);
    await settled();
    expect(checks()).toBe(3);
    element.remove();
    document.dispatchEvent(new Event("visibilitychange"));
    await vi.advanceTimersByTimeAsync(90_000);
    expect(checks()).toBe(3);
    // The devices are not asked for each time.
    expect(asked.length).toBe(4);
  });

  test("another address is asked at once, and late answers of the old one are not shown", async () => {
    let release = (_: Response) => {};
    answers.set(
      `${SRC}/check`,
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    const element = await put();
    answer("https://other.example/check", { ...LIVE, application: "Other" });
    element.setAttribute("src", "https://other.example");
    await settled();
    expect(shown(element)?.[1]).toBe("Other");
    release(new Response(JSON.stringify(LIVE)));
    await settled();
    expect(shown(element)?.[1]).toBe("Other");
  });
});

describe("while the service is not there", () => {
  test("nothing is shown", async () => {
    const element = await put();
    expect(shown(element)).toBeNull();
    answer(`${SRC}/check`, LIVE);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(shown(element)?.[0]).toBe("online");
    answers.clear();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(shown(element)).toBeNull();
  });

  test("a service that hangs is left after 6 seconds", async () => {
    let isAborted = false;
    vi.stubGlobal(
      "fetch",
      (_: string, { signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            isAborted = true;
            reject(signal.reason);
          });
        }),
    );
    await put();
    await vi.advanceTimersByTimeAsync(5_999);
    expect(isAborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isAborted).toBe(true);
  });
});

describe("a service that lies", () => {
  test.each([
    ["HTML", "<html><script>alert(1)</script></html>", 200],
    ["an error", LIVE, 500],
    ["a list", [LIVE], 200],
    ["null", "null", 200],
    ["another object", { error: "x" }, 200],
    ["a status that is a text", { ...LIVE, alive: "true" }, 200],
    ["64 KB and more", { ...LIVE, introduce: "x".repeat(65_536) }, 200],
  ])("with %s is as good as none", async (_, body, status) => {
    answer(`${SRC}/check`, body, status);
    expect(shown(await put())).toBeNull();
  });

  test("with 10 MB is not read to its end", async () => {
    let sent = 0;
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 16_384;
          controller.enqueue(new Uint8Array(16_384).fill(32));
          if (sent >= 10_000_000) controller.close();
        },
      });
    answers.set(`${SRC}/check`, () => new Response(body()));
    expect(shown(await put())).toBeNull();
    expect(sent).toBeLessThan(200_000);
  });

  test("with HTML in its texts gets text", async () => {
    const html = '</script><img src=x onerror="alert(1)"></span><style>*{display:none}</style>';
    answer(`${SRC}/check`, { ...LIVE, application: html, introduce: html });
    const element = await put();
    expect(shown(element)).toEqual(["online", html, html]);
    const tags = [...(element.shadowRoot?.querySelectorAll("*") ?? [])].map(
      ({ tagName }) => tagName,
    );
    expect(tags).toEqual(["SPAN", "SPAN", "SPAN", "SPAN", "UL"]);
    expect(element.children.length).toBe(0);
  });

  test("with texts that are none gets none", async () => {
    answer(`${SRC}/check`, { ...LIVE, application: { a: 1 }, introduce: ["x"] });
    expect(shown(await put())).toEqual(["online", "Online", ""]);
  });

  test.each([
    "1,2,3",
    "1,2,3,4,5",
    "256,0,0,1",
    "0,0,0,2",
    "0,0,0,1.5",
    "0,0,0,.",
    "-1,0,0,1",
    "1e2,0,0,1",
    "0,0,0,1);background:url(https://evil.example",
    "var(--x),0,0,1",
    "red",
    "",
    "\n1,2,3,1",
    null,
    [1, 2, 3, 1e9],
    { toString: 1 },
  ])("with the colour %j gets none", async (rgba) => {
    answer(`${SRC}/check`, { ...LIVE, rgba });
    const element = await put();
    expect(shown(element)?.[0]).toBe("online");
    expect(element.getAttribute("style") ?? "").not.toMatch(/rgba\(|url|var/);
  });

  test.each(["0,0,0,0", "255,255,255,1", "1, 2, 3, .5", "1,2,3,1.0"])(
    "the colour %s is one",
    async (rgba) => {
      answer(`${SRC}/check`, { ...LIVE, rgba });
      expect((await put()).style.getPropertyValue("--rgba")).toMatch(/^rgba\([\d., ]+\)$/);
    },
  );

  test("a page that has an answer shows it, and nothing is asked", async () => {
    const element = document.createElement("porch-light") as HTMLElement & {
      show(check: object): void;
    };
    document.body.append(element);
    expect(element.hidden).toBe(true);
    element.show(LIVE);
    expect(shown(element)).toEqual(["online", "Editor", "writing"]);
    element.show({ ...LIVE, applicationOnline: false });
    await vi.advanceTimersByTimeAsync(90_000);
    expect(shown(element)).toEqual(["away", "Away", ""]);
    expect(asked).toEqual([]);
  });
});
