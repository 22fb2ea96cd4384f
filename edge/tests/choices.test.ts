// Random images of an orientation, an album or a seed, and lists with details or of an album, from the
// snapshot while the service is off.

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startAll, startWithoutService } from "./harness/edge.ts";
import { json } from "./harness/service.ts";
import type { Published } from "./harness/store.ts";

type Size = [width: number, height: number];
const SIZES: Size[] = [
  [3, 2],
  [2, 3],
  [2, 2],
];
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The `n`th image: each third is landscape, portrait or square, and each fourth is in an album. */
function item(n: number) {
  const [width, height] = SIZES[n % 3] ?? [1, 1];
  return {
    hash: sha256(`image ${n}`).slice(0, 32),
    contentType: "image/webp",
    createdAt: "2026-01-31T08:15:00.000Z",
    width,
    height,
    size: 100 + n,
    animated: n % 5 === 0,
    color: "#102030",
    thumbhash: n % 2 === 0 ? "3OcRJYB4d3h/iIeHeEh3eIhw+j2w" : null,
    ...(n % 4 === 0 && { album: "猫/ & co" }),
  };
}
type Item = ReturnType<typeof item>;

const classOf = ({ width, height, album = "" }: Item) =>
  `${width > height ? "landscape" : width < height ? "portrait" : "square"}/${album}`;

/** An index of these images, 20 a page. */
function put(store: Published, images: Item[]) {
  const pages = [];
  for (let start = 0; start < images.length; start += 20) {
    const part = images.slice(start, start + 20);
    const text = JSON.stringify({ images: part });
    const name = sha256(text).slice(0, 16);
    store.snapshot(`images/${name}.json`, text);
    const classes: Record<string, number> = {};
    for (const image of part) classes[classOf(image)] = (classes[classOf(image)] ?? 0) + 1;
    pages.push({ name, count: part.length, classes });
  }
  store.snapshot("images/index.json", { publisher: "p", total: images.length, pages });
}

const some = (count: number) => Array.from({ length: count }, (_, n) => item(n));
const ALBUM = `album=${encodeURIComponent("猫/ & co")}`;

async function start(images: Item[]) {
  const { store, edge } = await startWithoutService();
  put(store, images);
  const drawn = async (parameters: string, headers = {}) => {
    const answer = await edge.get(`/random_image?form=json&${parameters}`, { headers });
    expect(answer.status).toBe(200);
    return answer.json() as { hash: string; url: string };
  };
  return { store, edge, drawn };
}

describe("/random_image", () => {
  test.each([
    ["orientation=landscape", (n: number) => n % 3 === 0],
    ["orientation=portrait", (n: number) => n % 3 === 1],
    ["orientation=square", (n: number) => n % 3 === 2],
    ["type=pc", (n: number) => n % 3 === 0],
    ["type=mobile", (n: number) => n % 3 === 1],
    [ALBUM, (n: number) => n % 4 === 0],
    [`${ALBUM}&orientation=square`, (n: number) => n % 12 === 8],
    ["t=1", () => true],
  ])("with %s is each image of these equally likely", async (parameters, isMeant) => {
    const { drawn } = await start(some(48));
    const meant = some(48).filter((_, n) => isMeant(n));
    const times = new Map(meant.map(({ hash }) => [hash, 0]));
    for (let draws = 0; draws < meant.length * 20; draws += 1) {
      const { hash } = await drawn(parameters);
      expect(times.has(hash)).toBe(true);
      times.set(hash, (times.get(hash) ?? 0) + 1);
    }
    const chiSquare = [...times.values()].reduce((sum, count) => sum + (count - 20) ** 2 / 20, 0);
    const freedom = meant.length - 1;
    expect(chiSquare).toBeLessThan(freedom + 5 * Math.sqrt(2 * freedom));
  });

  test("of auto fits the reader's screen, and is any where none does", async () => {
    const { edge, drawn } = await start(some(2));
    const [wide, high] = some(2).map(({ hash }) => hash);
    const phone = { "User-Agent": "Mozilla/5.0 (Linux; Android 15) Mobile Safari/537.36" };
    const auto = "orientation=auto";
    expect((await drawn(auto, phone)).hash).toBe(high);
    expect((await drawn(auto, { "User-Agent": "Mozilla/5.0 (X11)" })).hash).toBe(wide);
    expect((await drawn(auto, { ...phone, "Sec-CH-UA-Mobile": "?0" })).hash).toBe(wide);
    expect((await drawn(auto, { "Sec-CH-UA-Mobile": "?1" })).hash).toBe(high);
    const answer = await edge.get(`/random_image?form=json&${auto}`);
    expect(answer.headers.get("Vary")).toBe("Sec-CH-UA-Mobile, User-Agent");
    const { drawn: fromOne } = await start([item(0)]);
    expect((await fromOne(auto, phone)).hash).toBe(wide);
  });

  test("is an image, its address or JSON", async () => {
    const { store, edge } = await start([item(0)]);
    const { hash, width, height, thumbhash } = item(0);
    store.put(`randomimg/${hash}.webp`, "bytes");
    const url = `https://light.example/i/${hash}.webp`;
    const inJson = await edge.get("/random_image?form=json");
    expect(inJson.json()).toEqual({ hash, url, width, height, thumbhash });
    const redirect = await edge.get("/random_image?form=redirect", { redirect: "manual" });
    expect([redirect.status, redirect.headers.get("Location")]).toEqual([302, url]);
    expect(redirect.headers.get("Cache-Control")).toBe("no-store");
    expect((await edge.get("/random_image?form=image")).text).toBe("bytes");
  });

  test("of a seed changes only to a new image, or with the one that is gone", async () => {
    const { store, edge, drawn } = await start(some(40));
    const seeds = Array.from({ length: 200 }, (_, n) => `seed=${encodeURIComponent(`光 ${n}`)}`);
    const all = () => Promise.all(seeds.map(async (seed) => (await drawn(seed)).hash));
    const before = await all();
    expect(await all()).toEqual(before);
    expect(new Set(before).size).toBeGreaterThan(30);
    put(store, [item(100), ...some(40)]);
    await edge.ahead(5_000);
    const added = await all();
    const moved = added.filter((hash, n) => hash !== before[n]);
    expect(moved.length).toBeGreaterThan(0);
    // 5 are expected, with a standard deviation of 2.
    expect(moved.length).toBeLessThan(16);
    expect(new Set(moved)).toEqual(new Set([item(100).hash]));
    put(store, [item(100), ...some(40).slice(1)]);
    await edge.ahead(5_000);
    const removed = await all();
    for (const [n, hash] of removed.entries())
      expect(hash === added[n]).toBe(added[n] !== item(0).hash);
  });

  test("of a seed is the service's where there are many images", async () => {
    const { store, edge, service } = await startAll();
    put(store, some(2_001));
    service.answers = () => ({ status: 302, headers: { Location: "/i/1.webp" } });
    const answer = await edge.get("/random_image?form=redirect&seed=1", { redirect: "manual" });
    expect(answer.headers.get("Location")).toBe("/i/1.webp");
  });

  test.each([
    ["orientation=wide", "Invalid orientation"],
    ["type=tablet", "Invalid type"],
    ["form=xml", "Invalid form"],
    [`seed=${"a".repeat(201)}`, "Invalid seed"],
    ["album=", "Invalid album"],
    [`album=${"a".repeat(65)}`, "Invalid album"],
  ])("names a wrong parameter: %s", async (parameters, error) => {
    const { edge } = await start(some(3));
    const answer = await edge.get(`/random_image?${parameters}`);
    expect([answer.status, answer.json()]).toEqual([400, { error }]);
  });

  test.each(["orientation=portrait", "album=dogs"])("is none where none is %s", async (what) => {
    const { edge } = await start([item(0)]);
    const answer = await edge.get(`/random_image?${what}`);
    expect([answer.status, answer.json()]).toEqual([404, { error: "No images available" }]);
  });
});

describe("/images/list", () => {
  const fields = ({ album: _, ...details }: Item) => details;

  test("has details on request", async () => {
    const { edge } = await start(some(30));
    const { images } = (await edge.get("/images/list?detail=1&limit=25")).json() as {
      images: unknown[];
    };
    expect(images).toEqual(some(25).map(fields));
    const plain = (await edge.get("/images/list?detail=0&limit=1")).json();
    const { hash, contentType, createdAt } = item(0);
    expect(plain).toEqual({
      images: [{ hash, contentType, createdAt }],
      pagination: { current: 1, size: 1, total: 30 },
    });
  });

  test("is that of an album", async () => {
    const { edge } = await start(some(50));
    const inAlbum = some(50).filter(({ album }) => album !== undefined);
    const answer = await edge.get(`/images/list?detail=1&page=2&limit=5&${ALBUM}`);
    expect(answer.json()).toEqual({
      images: inAlbum.slice(5, 10).map(fields),
      pagination: { current: 2, size: 5, total: 13 },
    });
    const wrong = await edge.get("/images/list?album=");
    expect([wrong.status, wrong.json()]).toEqual([400, { error: "Invalid album" }]);
  });

  test("asks the service with these parameters alone", async () => {
    const { edge, service } = await startAll();
    service.answers = () => json({});
    await edge.get(`/images/list?x=1&detail=1&page=2&${ALBUM}&album=dogs`);
    expect(service.asked.map(({ path }) => path)).toContain(
      "/images/list?page=2&limit=10&detail=1&album=dogs",
    );
  });
});
