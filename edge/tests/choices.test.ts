// Random images of an orientation, an album or a seed, and lists with details or of an album, from the
// snapshot while the service is off. Seeds and names of albums are those of `rules.json`, which the
// service's tests read, too.

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startAll, startWithoutService } from "./harness/edge.ts";
import { startOwn } from "./harness/own.ts";
import rules from "./harness/rules.json" with { type: "json" };
import { json } from "./harness/service.ts";
import type { Store } from "./harness/store.ts";

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

/** A document that never changes under its name. */
function named(store: Store, content: object) {
  const text = JSON.stringify(content);
  const name = sha256(text).slice(0, 16);
  store.snapshot(`images/${name}.json`, text);
  return name;
}

/** The images by class and place. One that is null has gone from its places. */
function putPlaces(store: Store, places: (Item | null)[]) {
  const classes: Record<string, (number | null)[]> = {};
  const images = places.filter((item) => item !== null);
  for (const name of ["*", "l", "p", "s", "*/猫/ & co", "l/猫/ & co"]) {
    const [orientation, ...album] = name.split("/");
    const isMeant = (image: Item) =>
      (orientation === "*" || classOf(image)[0] === orientation) &&
      (album.length === 0 || image.album === album.join("/"));
    const ofClass = places.filter((item) => item === null || isMeant(item));
    classes[name] = ofClass.map((item) => (item ? images.indexOf(item) : null));
  }
  return named(store, { images, classes });
}

/** An index of these images, 20 a page, and the images themselves. */
function put(store: Store, images: Item[], places: (Item | null)[] = images, more = {}) {
  const pages = [];
  for (const { hash } of images) store.put(`randomimg/${hash}.webp`, "bytes");
  for (let start = 0; start < images.length; start += 20) {
    const part = images.slice(start, start + 20);
    const name = named(store, { images: part });
    const classes: Record<string, number> = {};
    for (const image of part) classes[classOf(image)] = (classes[classOf(image)] ?? 0) + 1;
    pages.push({ name, count: part.length, classes });
  }
  const index = { publisher: "p", total: images.length, pages, places: putPlaces(store, places) };
  store.snapshot("images/index.json", { ...index, ...more });
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
    put(store, [item(100), ...some(40)], [...some(40), item(100)]);
    await edge.ahead(5_000);
    const added = await all();
    const moved = added.filter((hash, n) => hash !== before[n]);
    expect(moved.length).toBeGreaterThan(0);
    // 5 are expected, with a standard deviation of 2.
    expect(moved.length).toBeLessThan(16);
    expect(new Set(moved)).toEqual(new Set([item(100).hash]));
    put(store, [item(100), ...some(40).slice(1)], [null, ...some(40).slice(1), item(100)]);
    await edge.ahead(5_000);
    const removed = await all();
    for (const [n, hash] of removed.entries())
      expect(hash === added[n]).toBe(added[n] !== item(0).hash);
  });

  test.each(rules.draws)("of a seed is the service's: $places places", async (draws) => {
    const { store, edge, drawn } = await start([]);
    const places = Array.from({ length: draws.places }, (_, n) =>
      draws.taken.some(([first = 0, last = 0]) => first <= n && n <= last) ? item(n) : null,
    );
    put(
      store,
      places.filter((image) => image !== null),
      places,
    );
    await edge.ahead(5_000);
    for (const [n, seed] of rules.seeds.entries()) {
      const { hash } = await drawn(`seed=${encodeURIComponent(seed)}`);
      expect(hash).toBe(item(draws.drawn[n] ?? -1).hash);
    }
  });

  test("of a seed is one of the class", async () => {
    const { drawn } = await start(some(48));
    const wide = new Set(some(48).flatMap(({ hash }, n) => (n % 3 === 0 ? [hash] : [])));
    const inAlbum = some(48).flatMap(({ hash }, n) => (n % 12 === 0 ? [hash] : []));
    for (let n = 0; n < 20; n += 1) {
      expect(wide).toContain((await drawn(`orientation=landscape&seed=${n}`)).hash);
      expect(inAlbum).toContain((await drawn(`type=pc&${ALBUM}&seed=${n}`)).hash);
    }
  });

  test.each([
    ["a seed", "seed=1", { places: undefined }],
    ["a seed without its document", "seed=1", { places: "0123456789abcdef" }],
    ["an album", ALBUM, { albums: false }],
  ])("of %s is the service's where the snapshot has no answer", async (_, parameters, more) => {
    const { store, edge, service } = await startAll();
    put(store, some(3), some(3), more);
    const place = `/i/${item(1).hash}.webp`;
    service.answers = () => ({ status: 302, headers: { Location: place } });
    const path = `/random_image?form=redirect&${parameters}`;
    const answer = await edge.get(path, { redirect: "manual" });
    expect(answer.headers.get("Location")).toBe(place);
    service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
    const off = await edge.get(path);
    expect([off.status, off.headers.get("Retry-After")]).toEqual([503, "60"]);
    expect((await edge.get("/random_image?form=json")).status).toBe(200);
  });

  test.each(["form=json", "form=redirect", "form=image", "form=json&seed=1"])(
    "with %s is none that was deleted a moment ago",
    async (parameters) => {
      const { store, edge } = await start(some(5));
      for (const n of [0, 1, 2, 4]) store.objects.delete(`randomimg/${item(n).hash}.webp`);
      const { hash } = item(3);
      for (let n = 0; n < 5; n += 1) {
        const answer = await edge.get(`/random_image?${parameters}`);
        const { headers } = answer;
        const shown = headers.get("Location") ?? headers.get("Content-Disposition") ?? answer.text;
        expect(shown).toContain(hash);
      }
      store.objects.delete(`randomimg/${hash}.webp`);
      const answer = await edge.get(`/random_image?${parameters}`);
      expect([answer.status, answer.json()]).toEqual([404, { error: "Image not found" }]);
    },
  );

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

  test("cleans the names of albums as the service does", async () => {
    const { edge, store } = await start([]);
    const names = new Set(rules.albums.flatMap(([, name]) => name ?? []));
    put(
      store,
      [...names].map((album, n) => ({ ...item(n), album })),
    );
    await edge.ahead(5_000);
    for (const [asked, name] of rules.albums) {
      const answer = await edge.get(`/images/list?album=${encodeURIComponent(asked ?? "")}`);
      const expected = name === null ? { error: "Invalid album" } : { pagination: { total: 1 } };
      expect(answer.json(), JSON.stringify(asked)).toMatchObject(expected);
    }
  });

  test("is the service's where the index has no albums", async () => {
    const { edge, store } = await start([]);
    put(store, some(8), some(8), { albums: false });
    await edge.ahead(5_000);
    const answer = await edge.get(`/images/list?${ALBUM}`);
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "60"]);
    expect((await edge.get("/images/list")).json()).toMatchObject({ pagination: { total: 8 } });
  });

  const ofNoAlbum = { total: 0, pages: [], albums: false };
  const listsHang = ({ path }: { path: string }) =>
    path.startsWith("/images/list") ? "hang" : undefined;

  test("of an album does not wait for a service that is off", async () => {
    const { edge, store, service } = await startAll();
    store.snapshot("images/index.json", ofNoAlbum);
    // The service has proved itself, so a list may be passed on to it.
    await edge.get("/images/count");
    service.answers = listsHang;
    const asked = async () => {
      const before = service.asked.length;
      expect((await edge.get(`/images/list?${ALBUM}`)).status).toBe(503);
      return service.asked.length - before;
    };
    expect(await asked()).toBeGreaterThan(0);
    await expect.poll(asked).toBe(0);
  });

  test("of an album waits 3 seconds where the Worker's own store has the index", async () => {
    const { edge, service, publish } = await startOwn();
    await publish(({ snapshot }) => snapshot("images/index.json", ofNoAlbum));
    await edge.get("/sysinfo");
    service.answers = listsHang;
    const began = performance.now();
    expect((await edge.get(`/images/list?${ALBUM}`)).status).toBe(503);
    expect(performance.now() - began).toBeGreaterThan(2_900);
    expect(service.asked.at(-1)?.path).toBe(`/images/list?${ALBUM}`);
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
