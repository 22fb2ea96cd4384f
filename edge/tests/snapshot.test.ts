// What the Worker answers from the snapshot while the service is off.

import { describe, expect, test } from "vitest";
import { startWithoutService } from "./harness/edge.ts";
import { nameOf, putCheck, putIndex, seconds } from "./harness/store.ts";

const OFFLINE = { error: "The service is offline" };

describe("/check", () => {
  test.each([
    ["online", 60, true, true],
    ["online", -1, false, false],
    ["away", 60, true, false],
    ["away", -1, false, false],
    ["offline", 60, false, false],
    ["something new", 60, false, false],
  ])("%s, valid for %i s", async (state, left, alive, applicationOnline) => {
    const { store, edge } = await startWithoutService();
    // What is written beside the state is not believed.
    const wrong = { alive: !alive, applicationOnline: !applicationOnline };
    putCheck(store, { ...wrong, state, last_heartbeat: 5, valid_until: seconds() + left });
    const answer = await edge.get("/check");
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        alive,
        last_heartbeat: 5,
        // The foreground app does not count for someone who is gone.
        ...(alive
          ? { application: "Editor", introduce: "writing", rgba: "1,2,3,1" }
          : { application: "", introduce: "", rgba: "" }),
        applicationOnline,
      },
    ]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("X-Porchlight")).toBeNull();
  });

  test("has two fields where the service's has two", async () => {
    const { store, edge } = await startWithoutService();
    const body = { alive: true, last_heartbeat: 5 };
    const times = { since: 1, written_at: 1, valid_until: seconds() + 100 };
    store.snapshot("check.json", { ...body, state: "online", ...times });
    expect((await edge.get("/check")).json()).toEqual(body);
  });

  test("expires while no process writes", async () => {
    const { store, edge } = await startWithoutService();
    putCheck(store);
    const shown = { application: "Editor", introduce: "writing", rgba: "1,2,3,1" };
    expect((await edge.get("/check")).json()).toMatchObject({ alive: true, ...shown });
    await edge.ahead(600_000);
    const nothing = { application: "", introduce: "", rgba: "" };
    expect((await edge.get("/check")).json()).toMatchObject({ alive: false, ...nothing });
  });

  test("is read from the folder PREFIX", async () => {
    const { store, edge } = await startWithoutService({ PREFIX: "blog/light/" });
    putCheck(store);
    expect((await edge.get("/check")).status).toBe(503);
    store.put("blog/light/check.json", store.objects.get("porchlight/check.json") ?? "");
    expect((await edge.get("/check")).status).toBe(200);
  });
});

describe("/devices", () => {
  test("ends what each has reported with its report, and has no other fields", async () => {
    const { store, edge } = await startWithoutService();
    const base = { kind: "phone", last_heartbeat: 5 };
    const shown = { online: true, application: "Editor", introduce: "writing", rgba: "1,2,3,1" };
    const nothing = { online: false, application: "", introduce: "", rgba: "" };
    const [one, other] = ["one", "other"].map((id) => ({ ...base, id, name: id, ...shown }));
    store.snapshot("devices.json", {
      devices: [
        { ...one, battery: 80, charging: false, valid_until: seconds() + 600 },
        { ...other, battery: 70, charging: true, valid_until: seconds() + 100 },
      ],
    });
    const devices = async () => (await edge.get("/devices")).json();
    expect(await devices()).toEqual({
      devices: [
        { ...one, battery: 80, charging: false },
        { ...other, battery: 70, charging: true },
      ],
    });
    await edge.ahead(200_000);
    expect(await devices()).toEqual({
      devices: [
        { ...one, battery: 80, charging: false },
        { ...other, ...nothing },
      ],
    });
  });
});

describe("/game_status", () => {
  test("holds until its time, and then is nothing special", async () => {
    const { store, edge } = await startWithoutService();
    const body = { status: "在游戏中", game: "A game" };
    store.snapshot("game_status.json", { ...body, valid_until: seconds() + 180 });
    expect((await edge.get("/game_status")).json()).toEqual(body);
    await edge.ahead(182_000);
    expect((await edge.get("/game_status")).json()).toEqual({ status: "在线" });
  });
});

describe("/images/list and /images/count", () => {
  test("answer like the service, over the pages of the index", async () => {
    const { store, edge } = await startWithoutService();
    const names = putIndex(store, [3, 1, 1000, 40]);
    expect((await edge.get("/images/count")).json()).toEqual({ count: 1044 });
    const list = async (page: number, limit: number) =>
      (await edge.get(`/images/list?page=${page}&limit=${limit}`)).json() as {
        images: { hash: string }[];
        pagination: object;
      };
    const first = await list(1, 2);
    expect(first).toEqual({
      images: names.slice(0, 2).map((hash) => ({
        hash,
        contentType: "image/webp",
        createdAt: "2026-01-31T08:15:00.000Z",
      })),
      pagination: { current: 1, size: 2, total: 1044 },
    });
    for (const [page, limit] of [
      [1, 10],
      [2, 2],
      [11, 100],
      [53, 20],
    ] as const) {
      const hashes = (await list(page, limit)).images.map(({ hash }) => hash);
      expect(hashes).toEqual(names.slice((page - 1) * limit, page * limit));
    }
    expect((await list(12, 100)).images).toEqual([]);
  });

  test("echo the largest page exactly, and 100 for a larger limit", async () => {
    const { store, edge } = await startWithoutService();
    putIndex(store, [2]);
    const answer = await edge.get("/images/list?page=9223372036854775807&limit=101");
    expect(answer.text).toBe(
      '{"images":[],"pagination":{"current":9223372036854775807,"size":100,"total":2}}',
    );
  });

  test("know of a new image within 2 seconds", async () => {
    const { store, edge } = await startWithoutService();
    putIndex(store, [2]);
    expect((await edge.get("/images/count")).json()).toEqual({ count: 2 });
    putIndex(store, [3]);
    await edge.ahead(2_000);
    expect((await edge.get("/images/count")).json()).toEqual({ count: 3 });
  });
});

describe("/random_image", () => {
  test("is each image equally likely, and never kept", async () => {
    const { store, edge } = await startWithoutService();
    const names = putIndex(store, [1, 7]);
    for (const name of names) store.put(`randomimg/${name}.webp`, `image ${name}`);
    const times = new Map<string, number>();
    for (let draws = 0; draws < 400; draws += 1) {
      const answer = await edge.get("/random_image", { headers: { Range: "bytes=0-1" } });
      const name = answer.text.slice("image ".length);
      expect(answer.status).toBe(200);
      times.set(name, (times.get(name) ?? 0) + 1);
      if (draws > 0) continue;
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("ETag")).toBeNull();
      expect(answer.headers.get("Content-Disposition")).toBe(`inline; filename="${name}.webp"`);
    }
    expect([...times.keys()].sort()).toEqual([...names].sort());
    // 50 each are expected; so far off is one of them once in a million runs.
    for (const count of times.values()) expect(count).toBeGreaterThan(15);
    const known = await edge.get("/random_image", { headers: { "If-None-Match": "*" } });
    expect([known.status, known.text.length]).toEqual([200, 38]);
    const head = await edge.get("/random_image", { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Length")]).toEqual([200, "38"]);
  });

  test("is another one where an image was just deleted", async () => {
    const { store, edge } = await startWithoutService();
    const [left] = putIndex(store, [2]);
    store.put(`randomimg/${left}.webp`, "left");
    for (let draws = 0; draws < 100; draws += 1)
      expect((await edge.get("/random_image")).text).toBe("left");
  });

  test.for([
    [2, 2],
    [7, 5],
  ] as const)("of %i missing ones %i are tried", async ([images, tries]) => {
    const { store, edge } = await startWithoutService();
    putIndex(store, [images]);
    const answer = await edge.get("/random_image");
    expect([answer.status, answer.json()]).toEqual([404, { error: "Image not found" }]);
    expect(store.asked.filter(({ path }) => path.startsWith("/randomimg/")).length).toBe(tries);
  });

  test("is none where there are none", async () => {
    const { store, edge } = await startWithoutService();
    putIndex(store, []);
    const answer = await edge.get("/random_image");
    expect([answer.status, answer.json()]).toEqual([404, { error: "No images available" }]);
  });

  test("does not follow a name that is none", async () => {
    const { store, edge } = await startWithoutService();
    const page = { images: [{ hash: "../secret", contentType: "", createdAt: "" }] };
    store.snapshot("images/0.json", page);
    store.snapshot("images/index.json", { total: 1, pages: [{ name: "0", count: 1 }] });
    store.put("secret.webp", "secret");
    expect((await edge.get("/random_image")).status).toBe(404);
    expect((await edge.get(`/i/${nameOf(1)}`)).status).toBe(404);
  });
});

describe("without a snapshot", () => {
  const read = ["/check", "/devices", "/game_status", "/images/count", "/images/list"];
  test.each([...read, "/random_image"])("%s makes the service offline", async (path) => {
    const { store, edge } = await startWithoutService();
    const check = async () => {
      const answer = await edge.get(path);
      expect([answer.status, answer.json()]).toEqual([503, OFFLINE]);
      expect(answer.headers.get("Retry-After")).toBe("60");
      expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    };
    await check();
    store.broken = 500;
    await check();
    store.broken = 0;
    const objects = ["check.json", "devices.json", "game_status.json", "images/index.json"];
    for (const name of objects) {
      store.snapshot(name, "<html>not JSON</html>");
    }
    await edge.ahead(2_000);
    await check();
  });
});
