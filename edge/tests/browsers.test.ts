// The custom element in real browsers, with a service that is there, is not, and lies.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { browsers, open } from "./harness/browser.ts";
import { serve } from "./harness/http.ts";
import { CHECK, seconds, shown, startOwn } from "./harness/own.ts";

const file = (name: string) => readFileSync(new URL(name, import.meta.url));

const LIVE = {
  alive: true,
  last_heartbeat: Math.floor(Date.now() / 1000),
  application: "Editor",
  introduce: "writing",
  rgba: "1,2,3,1",
  applicationOnline: true,
};
const HIDDEN = expect.objectContaining({ hidden: true });
const MARKUP = '</script><img src=x onerror="window.hurt=true"><b>bold</b>';
/** What the element makes of one that is there; its parts are five, and stay five. */
const shows = (name: string, text: string, light = "rgb(1, 2, 3)") => ({
  hidden: false,
  state: "online",
  elements: 5,
  name,
  text,
  light,
  device: "",
  devices: [],
});

/** A service of another origin that gives this answer. */
async function service(answer: (response: ServerResponse) => void) {
  return await serve((_, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    answer(response);
  });
}

const json = (check: object) => service((response) => response.end(JSON.stringify(check)));

// The browsers come from Debian, which updates them.
test.runIf(process.env.PORCHLIGHT_BROWSERS)("the READMEs name the tested versions", () => {
  const packages = ["chromium", "firefox-esr", "libwebkit2gtk-4.1-0"];
  const listed = execFileSync("dpkg-query", ["--show", ...packages], { encoding: "utf8" });
  const installed = [...listed.matchAll(/\t(.*)/g)].map(([, version]) => String(version));
  for (const readme of ["../../README.md", "../../README.zh.md"]) {
    const row = /^\| Chromium.*$/m.exec(String(file(readme)))?.[0] ?? "";
    const named = row.match(/\d+(\.\d+)+/g) ?? [];
    const numbers = installed.map((one, nth) => one.slice(0, named[nth]?.length));
    expect(named, `${readme}: ${installed}`).toEqual(numbers);
  }
});

test.skipIf(process.platform !== "linux").each(browsers)("%s", async (browser) => {
  const up = (await json(LIVE)).url;
  const long = await json({ ...LIVE, application: "A".repeat(10_000_000) });
  let openFor = Number.NaN;
  const endless = await service((response) => {
    const start = Date.now();
    response.on("close", () => {
      openFor = Date.now() - start;
    });
    response.on("drain", () => response.write("A".repeat(10_000)));
    response.write(" ".repeat(1_000_000));
  });
  const html = await service((response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><script>window.hurt = true</script>");
  });
  const fails = await service((response) => {
    response.statusCode = 500;
    response.end(JSON.stringify(LIVE));
  });
  const rgba = "1,2,3,1);background:url(/hurt";
  const marked = await json({ ...LIVE, application: MARKUP, introduce: MARKUP, rgba });
  // The Worker itself, whose socket says something else than `/check`.
  const { edge, sync } = await startOwn();
  const pushed = (application: string) => ({
    ...shown(application, { introduce: "by a socket", device: "phone" }),
    check: { ...CHECK, application: "Asked" },
  });
  const phone = { id: "phone", name: "Phone", kind: "phone", battery: 80 };
  const one = { ...phone, last_heartbeat: seconds(), online: true, application: "Pushed" };
  const devices = [one, { ...one, id: "other", online: false }].map((now) => ({
    until: null,
    now,
    over: now,
  }));
  await sync({ presence: pushed("Pushed"), devices });
  // Nothing listens on this port.
  const down = "http://127.0.0.1:1";
  const cases = {
    html: { up, src: html.url },
    long: { up, src: long.url },
    endless: { up, src: endless.url },
    fails: { up, src: fails.url },
    marked: { up, src: marked.url },
    down: { up, src: down },
    pushed: { up, src: edge.url, devices: "", pushed: "Pushed" },
  };

  let report: ((body: string) => void) | undefined;
  const reported = new Promise<string>((resolve) => {
    report = resolve;
  });
  const blog = await serve(({ path, body }, response) => {
    if (path === "/widget.js") {
      response.setHeader("Content-Type", "text/javascript");
      response.end(file("../widget.js"));
    } else if (path === "/cases") {
      response.end(JSON.stringify(cases));
    } else if (path === "/change") {
      sync({ presence: pushed("Changed") }).then(() => response.end());
    } else if (path === "/report") {
      report?.(String(body));
      response.end();
    } else {
      response.setHeader("Content-Type", "text/html");
      response.end(file("harness/page.html"));
    }
  });
  await open(browser, `${blog.url}/`);
  const { hurt, results } = JSON.parse(await reported);

  const listed = ["Phone Pushed · battery 80%", "Phone Offline · battery 80%"];
  const withDevices = {
    device: "Phone · battery 80%",
    devices: listed,
    elements: expect.any(Number),
  };
  expect(results).toEqual({
    html: HIDDEN,
    long: HIDDEN,
    endless: HIDDEN,
    fails: HIDDEN,
    // A colour that is none leaves the element its own.
    marked: shows(MARKUP, MARKUP, expect.stringMatching(/^rgb/)),
    down: HIDDEN,
    pushed: expect.objectContaining({ name: "Pushed", text: "by a socket" }),
    "pushed, its icon": { isSeen: true },
    "pushed, changed": { ...shows("Changed", "by a socket"), ...withDevices },
  });
  expect(results.marked.light).not.toBe("rgb(1, 2, 3)");
  expect(hurt).toBe(false);
  expect(blog.asked.map(({ path }) => path)).not.toContain("/hurt");
  // It was not the element's limit of six seconds that ended it.
  await expect.poll(() => openFor).toBeLessThan(5_000);
});
