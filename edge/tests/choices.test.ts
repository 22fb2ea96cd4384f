// Random images of an orientation, an album or a seed, and lists with details or of an album, from the
// snapshot while the service is off. Seeds and names of albums are those of `rules.json`, which the
// service's tests read, too.

import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import worker from "../worker.js";
import { HOST, startAll, startWithoutService } from "./harness/edge.ts";
import { startOwn } from "./harness/own.ts";
import rules from "./harness/rules.json" with { type: "json" };
import { json } from "./harness/service.ts";
import type { Store } from "./harness/store.ts";

type Snapshot = Pick<Store, "put" | "snapshot">;
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
function named(store: Snapshot, content: object) {
  const text = JSON.stringify(content);
  const name = sha256(text).slice(0, 16);
  store.snapshot(`images/${name}.json`, text);
  return name;
}

/** By class and place: which image of the list. One that is null has gone from its places. */
function putPlaces(store: Snapshot, list: Item[], places: (Item | null)[]) {
  const classes: Record<string, (number | null)[]> = {};
  const positions = new Map(list.map(({ hash }, n) => [hash, n]));
  for (const name of ["*", "l", "p", "s", "*/猫/ & co", "l/猫/ & co", "s/猫/ & co"]) {
    const [orientation, ...album] = name.split("/");
    const isMeant = (image: Item) =>
      (orientation === "*" || classOf(image)[0] === orientation) &&
      (album.length === 0 || image.album === album.join("/"));
    const ofClass = places.filter((item) => item === null || isMeant(item));
    classes[name] = ofClass.map((item) => positions.get(item?.hash ?? "") ?? null);
  }
  return named(store, { positions: classes });
}

/** An index of these images on pages of these sizes, else 20 a page, and the images themselves. */
function put(
  store: Snapshot,
  images: Item[],
  places: (Item | null)[] = images,
  more: { sizes?: number[]; places?: string | undefined; albums?: boolean } = {},
) {
  const sizes = more.sizes ?? Array<number>(Math.ceil(images.length / 20)).fill(20);
  const left = [...images];
  for (const { hash } of images) store.put(`randomimg/${hash}.webp`, "bytes");
  const pages = sizes.map((size) => {
    const part = left.splice(0, size);
    const classes: Record<string, number> = {};
    for (const image of part) classes[classOf(image)] = (classes[classOf(image)] ?? 0) + 1;
    return { name: named(store, { images: part }), count: part.length, classes };
  });
  const index = { publisher: "p", total: images.length, pages };
  const document = putPlaces(store, images, places);
  store.snapshot("images/index.json", { ...index, places: document, ...more });
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

/** The Worker in this process, where a draw needs no request over a network. */
function startHere() {
  const objects = new Map<string, string>();
  const put = (key: string, value: unknown) =>
    void objects.set(key, typeof value === "string" ? value : JSON.stringify(value));
  const store: Snapshot = { put, snapshot: (name, value) => put(`porchlight/${name}`, value) };
  const BUCKET: Bucket = {
    get: async (key) => {
      const text = objects.get(key);
      return text === undefined ? null : { size: text.length, body: new Blob([text]).stream() };
    },
    head: async (key) => (objects.has(key) ? { size: 1 } : null),
    put: async () => {},
    delete: async () => {},
  };
  /** The hash of the image that is drawn, in this form. */
  const draw = async (form: string, parameters: string, headers = {}) => {
    const url = `${HOST}/random_image?form=${form}&${parameters}`;
    const method = form === "image" ? "HEAD" : "GET";
    const request = new Request(url, { method, headers });
    const answer = await worker.fetch(request, { BUCKET }, { waitUntil() {} });
    const shown = ["Location", "Content-Disposition"].map((name) => answer.headers.get(name));
    const [hash] = /[0-9a-f]{32}/.exec(shown.join("") || (await answer.text())) ?? [];
    return hash ?? `none: ${answer.status}`;
  };
  return { store, draw };
}

describe("/random_image of 10,000 images", () => {
  const PHONE = { "Sec-CH-UA-Mobile": "?1" };
  const FORMS = ["json", "redirect", "image"];
  const DRAWS = 4_000;
  // The service cuts a page of 1,000 in two for another image; deletions leave smaller ones.
  const sizes = [983, ...Array<number>(15).fill(501), 60, 137, 305, 1_000];
  // Each page has other shares of the classes.
  const images = Array.from({ length: 10_000 }, (_, n) =>
    item(12 * n + (n % 3 ? n % 11 : Math.floor(n / 700) % 12)),
  );
  // The oldest has the first place, and one of ten is free.
  const places = images.toReversed().flatMap((image, n) => (n % 9 ? [image] : [null, image]));
  const { store, draw } = startHere();
  put(store, images, places, { sizes });

  /** Fails where chi-square is what chance exceeds once in 10^9 times. The bins are some hundred, each of
   * neighbours on one page. */
  function expectUniform(isMeant: (image: Item) => boolean, drawn: string[]) {
    const left = [...images];
    const pages = sizes.map((size) => left.splice(0, size).filter(isMeant));
    const each = drawn.length / pages.flat().length;
    const bins: { expected: number; found: number }[] = [];
    const binOf = new Map<string, (typeof bins)[number]>();
    for (const page of pages) {
      const size = Math.ceil(page.length / Math.ceil((page.length * each) / (drawn.length / 100)));
      for (let start = 0; start < page.length; start += size) {
        const neighbours = page.slice(start, start + size);
        const bin = { expected: neighbours.length * each, found: 0 };
        bins.push(bin);
        for (const { hash } of neighbours) binOf.set(hash, bin);
      }
    }
    for (const hash of drawn) {
      const bin = binOf.get(hash);
      if (!bin) throw new Error(`not one of the class: ${hash}`);
      bin.found += 1;
    }
    expect(Math.min(...bins.map(({ expected }) => expected))).toBeGreaterThan(5);
    const parts = bins.map(({ expected, found }) => (found - expected) ** 2 / expected);
    const chiSquare = parts.reduce((sum, part) => sum + part, 0);
    const freedom = bins.length - 1;
    // The quantile of 1 - 10^-9, which is 5.998 of a normal distribution (Wilson and Hilferty).
    const spread = 2 / (9 * freedom);
    const bound = freedom * (1 - spread + 5.998 * Math.sqrt(spread)) ** 3;
    expect(freedom).toBeGreaterThan(90);
    expect(chiSquare).toBeLessThan(bound);
  }

  test.each<[string, [parameters: string, headers?: object][], (image: Item) => boolean]>([
    ["all", [["t=1"]], () => true],
    ["landscape", [["orientation=landscape"], ["type=pc"]], (image) => image.width > image.height],
    [
      "portrait",
      [["orientation=portrait"], ["type=mobile"], ["orientation=auto", PHONE]],
      (image) => image.width < image.height,
    ],
    ["square", [["orientation=square"]], (image) => image.width === image.height],
    ["an album", [[ALBUM]], (image) => image.album !== undefined],
    [
      "landscape of an album",
      [[`${ALBUM}&orientation=landscape`], [`${ALBUM}&type=pc`]],
      (image) => image.width > image.height && image.album !== undefined,
    ],
  ])("is equally likely each of the class: %s", async (_, ways, isMeant) => {
    const drawAs = (n: number, more = "") => {
      const [parameters, headers] = ways[n % ways.length] ?? [""];
      return draw(FORMS[n % FORMS.length] ?? "", parameters + more, headers);
    };
    const meant = images.filter(isMeant).map(({ hash }) => hash);
    const random = vi.spyOn(Math, "random");
    // As many numbers draw each image once. A single one that is left out would not change chi-square.
    const once: string[] = [];
    for (const n of meant.keys()) {
      random.mockReturnValueOnce((n + 0.5) / meant.length);
      once.push(await drawAs(n));
    }
    expect(once.sort()).toEqual(meant.sort());

    const drawn: string[] = [];
    let numbers = 0;
    random.mockImplementation(() => {
      numbers += 1;
      return Number.parseInt(sha256(String(numbers)).slice(0, 12), 16) / 2 ** 48;
    });
    while (drawn.length < DRAWS) drawn.push(await drawAs(drawn.length));
    expectUniform(isMeant, drawn);

    const ofSeeds: string[] = [];
    while (ofSeeds.length < DRAWS)
      ofSeeds.push(await drawAs(ofSeeds.length, `&seed=${ofSeeds.length}`));
    expectUniform(isMeant, ofSeeds);
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
