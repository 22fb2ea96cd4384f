// The snippet that owners paste into their blogs, run as a blog would.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { light, paste, text } from "./pasted";

let answers: unknown[];
let asked: string[];

beforeEach(() => {
  answers = [];
  asked = [];
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError("no network");
    return new Response(JSON.stringify(answer));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.documentElement.lang = "";
});

const AT = {
  alive: true,
  last_heartbeat: 1,
  application: "Zed",
  introduce: "Writing code",
  rgba: "8,74,196,1",
  applicationOnline: true,
};

test("a blog shows the program in its colour", async () => {
  answers = [AT];
  const place = paste();
  await vi.waitFor(() => expect(place.hidden).toBe(false));
  expect(asked).toEqual(["https://light.example/check"]);
  expect([text(place, "name"), text(place, "line")]).toEqual(["Zed", "Writing code"]);
  expect(light(place)).toBe("rgba(8,74,196,1)");
});

test("what a service says is text, and its colour is numbers or none", async () => {
  const hostile = `</script><img src=x onerror=alert(1)>\u202e${"\u0301".repeat(10_000)}`;
  answers = [
    { ...AT, application: hostile, introduce: hostile, rgba: "1,2,3,1);background:url(x" },
  ];
  const place = paste();
  await vi.waitFor(() => expect(place.hidden).toBe(false));
  expect(text(place, "name")).toBe(hostile);
  expect(text(place, "line")).toBe(hostile);
  expect(document.querySelector("img, script")).toBeNull();
  expect(light(place)).toBe("rgba(255,180,84,1)");
});

test("a service that tells of no program says who is there", async () => {
  answers = [{ alive: true, last_heartbeat: 1 }];
  const place = paste();
  await vi.waitFor(() => expect(text(place, "name")).toBe("Online"));
});

test("somebody who is away is not shown at a program, in the blog's language", async () => {
  document.documentElement.lang = "zh-CN";
  answers = [{ ...AT, applicationOnline: false }];
  const place = paste();
  await vi.waitFor(() => expect(text(place, "name")).toBe("离开"));
  expect(text(place, "line")).toBe("");
});

test("it asks again every thirty seconds, and shows nothing while nobody answers", async () => {
  answers = [AT];
  const place = paste();
  await vi.waitFor(() => expect(place.hidden).toBe(false));
  await vi.advanceTimersByTimeAsync(29_000);
  expect(asked.length).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.length).toBe(2);
  await vi.waitFor(() => expect(place.hidden).toBe(true));
});
