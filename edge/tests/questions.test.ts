// `/check`, `/game_status`, `/images/list` and `/images/count` while the service is there, and how
// the Worker learns that it is not.

import { describe, expect, test } from "vitest";
import { type Edge, startAll } from "./harness/edge.ts";
import { type Answer, json, LIVE_CHECK, signature } from "./harness/service.ts";
import { putCheck, putIndex, type Store, sealed, seconds } from "./harness/store.ts";

const READS = ["/check", "/game_status", "/images/count", "/images/list?page=1&limit=10"];

function putSnapshot(store: Store) {
  putCheck(store, { application: "Snapshot" });
  putIndex(store, [2]);
  store.snapshot("game_status.json", { status: "在线", valid_until: seconds() + 100 });
}

/** Who answers `/check`. */
async function whoAnswers(edge: Edge) {
  const answer = await edge.get("/check");
  const { application } = answer.json() as { application: string };
  // Only the service's own answers have the mark.
  expect(answer.headers.get("X-Porchlight")).toBe(application === "Live" ? "1" : null);
  return application;
}

describe("while the service is there", () => {
  test("its answers are given", async () => {
    const { service, edge } = await startAll();
    const answer = await edge.get("/check");
    expect([answer.status, answer.json()]).toEqual([200, LIVE_CHECK]);
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect((await edge.get("/game_status")).json()).toEqual({ status: "在游戏中" });
    expect((await edge.get("/images/count")).json()).toEqual({ count: 7 });
    expect((await edge.get("/check", { method: "HEAD" })).text).toBe("");
    expect(service.asked.filter(({ path }) => path === "/check").length).toBe(1);
  });

  test("nothing of the reader is sent with a question", async () => {
    const { service, edge } = await startAll({ CLIENT_IP_HEADER: "X-Real-IP" });
    const headers = { "X-Real-IP": "192.0.2.7", Cookie: "a=b", Authorization: "Bearer x" };
    for (const path of READS)
      await edge.get(`${path}${path.includes("?") ? "&" : "?"}x=1`, { headers });
    const questions = service.asked.filter(({ path }) => !path.startsWith("/?"));
    expect(questions.map(({ path }) => path)).toEqual(READS);
    for (const asked of questions) {
      expect(asked.headers).not.toHaveProperty("cookie");
      expect(asked.headers).not.toHaveProperty("authorization");
      expect(asked.headers).not.toHaveProperty("x-real-ip");
      const { right, ip, t } = signature(asked);
      expect([right, ip]).toEqual([true, ""]);
      expect(Math.abs(t - seconds())).toBeLessThan(30);
    }
  });

  test.each([
    ["", "page=1&limit=10"],
    ["?limit=1000&page=007&other=x", "page=7&limit=100"],
    ["?page=3&page=4", "page=4&limit=10"],
    ["?page=9223372036854775807", "page=9223372036854775807&limit=10"],
  ])("/images/list%s is normalised", async (query, sent) => {
    const { service, edge } = await startAll();
    await edge.get(`/images/list${query}`);
    expect(service.asked.at(-1)?.path).toBe(`/images/list?${sent}`);
  });

  test.each([
    ["?page=0", "Invalid page"],
    ["?page=", "Invalid page"],
    ["?page=1.5&limit=0", "Invalid page"],
    ["?page=9223372036854775808", "Invalid page"],
    ["?limit=+5", "Invalid limit"],
    ["?limit=-1", "Invalid limit"],
  ])("/images/list%s is refused", async (query, error) => {
    const { service, edge } = await startAll();
    const answer = await edge.get(`/images/list${query}`);
    expect([answer.status, answer.json()]).toEqual([400, { error }]);
    expect(service.asked).toEqual([]);
  });
});

describe("an answer is shared", () => {
  test("for 2 seconds", async () => {
    const { service, edge } = await startAll();
    const count = () => service.asked.filter(({ path }) => path === "/check").length;
    for (let times = 0; times < 5; times += 1) await edge.get("/check");
    expect(count()).toBe(1);
    await edge.ahead(2_000);
    await edge.get("/check");
    expect(count()).toBe(2);
  });

  test("for 2 seconds from the question on, however long its answer took", async () => {
    const { service, edge } = await startAll();
    await edge.get("/images/count");
    let release = (_: Answer) => {};
    const isAsked = new Promise<void>((resolve) => {
      service.answers = ({ path }) => {
        if (path !== "/check") return undefined;
        resolve();
        return new Promise<Answer>((answer) => {
          release = answer;
        });
      };
    });
    const first = edge.get("/check");
    await isAsked;
    await edge.ahead(1_500);
    release(json({ ...LIVE_CHECK, application: "Old" }));
    expect((await first).json()).toMatchObject({ application: "Old" });
    service.answers = () => undefined;
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Old" });
    await edge.ahead(500);
    expect((await edge.get("/check")).json()).toMatchObject({ application: "Live" });
  });

  test("by all who ask while the question is on its way, unless it was refused", async () => {
    const { store, service, edge } = await startAll();
    putSnapshot(store);
    await edge.get("/images/count");
    let release = (_: Answer) => {};
    const isAsked = new Promise<void>((resolve) => {
      service.answers = ({ path }) => {
        if (path !== "/check") return undefined;
        resolve();
        return new Promise<Answer>((answer) => {
          release = answer;
        });
      };
    });
    const first = edge.get("/check");
    await isAsked;
    const others = Array.from({ length: 20 }, () => edge.get("/check"));
    await edge.get("/images/count");
    release(json({ ...LIVE_CHECK, application: "Together" }));
    for (const answer of await Promise.all([first, ...others])) {
      expect(answer.json()).toMatchObject({ application: "Together" });
    }
    expect(service.asked.filter(({ path }) => path === "/check").length).toBe(1);

    await edge.ahead(2_000);
    service.answers = () => json({ error: "Too many requests" }, 429);
    expect(await whoAnswers(edge)).toBe("Snapshot");
    const before = service.asked.length;
    // Neither kept, nor a reason to leave the service alone.
    expect(await whoAnswers(edge)).toBe("Snapshot");
    expect(service.asked.length).toBe(before + 1);
    service.answers = () => undefined;
    expect(await whoAnswers(edge)).toBe("Live");
  });

  test("and at most 64 are kept", async () => {
    const { service, edge } = await startAll();
    for (let page = 1; page <= 65; page += 1) await edge.get(`/images/list?page=${page}`);
    const before = service.asked.length;
    await edge.get("/images/list?page=65");
    await edge.get("/images/list?page=2");
    expect(service.asked.length).toBe(before);
    await edge.get("/images/list?page=1");
    expect(service.asked.length).toBe(before + 1);
  });
});

describe("the service is off", () => {
  test.each<[string, Answer | "hang"]>([
    ["no answer in time", "hang"],
    ["an answer without the mark", { ...json(LIVE_CHECK), headers: { "X-Porchlight": "" } }],
    ["a 308", { status: 308, headers: { Location: "https://elsewhere.example/check" } }],
    ["a 500", json({ error: "Internal server error" }, 500)],
    ["a 503", json({ error: "Too busy" }, 503)],
  ])("after %s, for 30 seconds, and then its address is read again", async (_, answer) => {
    const { store, service, edge } = await startAll();
    putSnapshot(store);
    service.answers = ({ path }) => (path === "/check" ? answer : undefined);
    expect(await whoAnswers(edge)).toBe("Snapshot");
    // The one who waited may be answered just before the question itself is over.
    await expect
      .poll(async () => {
        const before = service.asked.length;
        await edge.get("/images/count");
        return service.asked.length - before;
      })
      .toBe(0);
    service.answers = () => undefined;
    const origins = () => store.asked.filter(({ path }) => path.endsWith("origin.json")).length;
    const [asked, read] = [service.asked.length, origins()];
    await edge.ahead(28_000);
    for (const path of READS) expect((await edge.get(path)).status).toBe(200);
    expect([service.asked.length, origins()]).toEqual([asked, read]);
    await edge.ahead(2_500);
    expect(await whoAnswers(edge)).toBe("Live");
    await edge.ahead(2_500);
    expect(await whoAnswers(edge)).toBe("Live");
    expect(origins()).toBe(read + 1);
  });

  test("for a reader after 3 seconds of waiting", async () => {
    const { store, service, edge } = await startAll();
    putSnapshot(store);
    service.answers = ({ path }) => (path === "/check" ? "hang" : undefined);
    const began = performance.now();
    expect(await whoAnswers(edge)).toBe("Snapshot");
    expect(performance.now() - began).toBeGreaterThan(2_900);
  });

  test("and its new address is used after that time", async () => {
    const { store, service, edge } = await startAll();
    putSnapshot(store);
    expect(await whoAnswers(edge)).toBe("Live");
    service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
    await edge.ahead(2_000);
    expect(await whoAnswers(edge)).toBe("Snapshot");
    const other = await startAll();
    store.snapshot("origin.json", sealed(other.service.url));
    await edge.ahead(30_000);
    expect(await whoAnswers(edge)).toBe("Live");
    expect(other.service.asked.length).toBeGreaterThan(0);
  });

  test("whatever is passed on, it is not", async () => {
    const { store, service, edge } = await startAll();
    putSnapshot(store);
    service.answers = ({ path }) =>
      path === "/sysinfo" ? { status: 500, headers: { "X-Porchlight": "" } } : undefined;
    expect((await edge.get("/sysinfo")).status).toBe(503);
    expect(await whoAnswers(edge)).toBe("Live");
  });
});
