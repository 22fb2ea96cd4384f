// `/random_image`: its parameters and forms, seeds, and that each image is equally likely. Seeds are
// those of `rules.json`, which the service's tests read, too.

import { describe, expect, test } from "vitest";
import { Pictures } from "../src/answers.js";
import { nameOf, row, sha256, startOwn } from "./harness/own.ts";
import rules from "./harness/rules.json" with { type: "json" };
import { startService } from "./harness/service.ts";

const PHONE = { "User-Agent": "Mozilla/5.0 (Linux; Android 15) Mobile Safari/537.36" };
const ALBUM = `album=${encodeURIComponent("猫/ & co")}`;
const SIZES = [
  [3, 2],
  [2, 3],
  [2, 2],
] as const;

/** Each third is landscape, portrait or square, and each fourth is in an album. */
function some(count: number): Row[] {
  return Array.from({ length: count }, (_, n) => {
    const [width, height] = SIZES[n % 3] ?? [1, 1];
    return row(n, { width, height, album: n % 4 === 0 ? "猫/ & co" : null });
  });
}
const isWide = (one: Row) => one[2] > one[3];
const isHigh = (one: Row) => one[2] < one[3];

async function start(rows: Row[]) {
  const own = await startOwn();
  await own.sync({}, rows);
  const drawn = async (query: string, headers = {}) => {
    const answer = await own.edge.get(`/random_image?form=json&${query}`, { headers });
    expect([query, answer.status]).toEqual([query, 200]);
    return (answer.json() as { hash: string }).hash;
  };
  return { ...own, drawn };
}

describe("the form", () => {
  const one = row(1, { width: 3, height: 2, thumbhash: "3OcRJYB4d3h/" });
  const address = `https://light.example/i/${nameOf(1)}.webp`;

  test("is an image, JSON, a redirect or a text", async () => {
    const own = await startOwn();
    await own.add([one], () => "bytes");
    const { edge } = own;
    for (const query of ["", "?form=image"]) {
      const image = await edge.get(`/random_image${query}`);
      expect([image.status, image.text]).toEqual([200, "bytes"]);
      expect(Object.fromEntries(image.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-disposition": `inline; filename="${nameOf(1)}.webp"`,
        "content-length": "5",
        "content-type": "image/webp",
      });
      for (const name of ["ETag", "Accept-Ranges", "Cache-Tag"])
        expect(image.headers.get(name)).toBeNull();
    }
    const json = await edge.get("/random_image?form=json");
    // The keys are in the service's order.
    expect(json.text).toBe(
      `{"hash":"${nameOf(1)}","height":2,"thumbhash":"3OcRJYB4d3h/","url":"${address}","width":3}`,
    );
    const text = await edge.get("/random_image?form=text");
    expect([text.status, text.text]).toEqual([200, address]);
    expect(text.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const redirect = await edge.get("/random_image?form=redirect");
    expect([redirect.status, redirect.text]).toEqual([302, ""]);
    expect(redirect.headers.get("Location")).toBe(`/i/${nameOf(1)}.webp`);
    for (const answer of [json, text, redirect])
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  test("of an image has no parts, and is never known", async () => {
    const own = await startOwn();
    await own.add([one], () => "bytes");
    const headers = { Range: "bytes=0-1", "If-None-Match": "*" };
    const part = await own.edge.get("/random_image", { headers });
    expect([part.status, part.text]).toEqual([200, "bytes"]);
    const head = await own.edge.get("/random_image", { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("Content-Length")]).toEqual([200, "", "5"]);
  });

  test("has no thumbhash before there is one", async () => {
    const { edge } = await start([row(1)]);
    expect((await edge.get("/random_image?form=json")).json()).toMatchObject({ thumbhash: null });
  });
});

describe("an image whose bytes are not here", () => {
  test("is another one, or else the service's", async () => {
    const own = await startOwn();
    const { edge, service } = own;
    const rows = Array.from({ length: 20 }, (_, n) => row(10 + n));
    await own.add(rows, () => "bytes");
    await own.sync({}, [row(2)]);
    for (let times = 0; times < 100; times += 1)
      expect((await edge.get("/random_image")).text).toBe("bytes");
    const gone = rows.map(([hash]) => hash);
    await own.sync({}, [], gone);
    service.answers = ({ path }) =>
      path === "/random_image?seed=1" ? { body: "of the service" } : undefined;
    expect((await edge.get("/random_image?seed=1")).text).toBe("of the service");
    service.answers = () => ({ status: 530, headers: { "X-Porchlight": "" } });
    expect((await edge.get("/random_image")).status).toBe(503);
    expect((await edge.get("/random_image?form=json")).status).toBe(200);
  });
});

describe("a parameter", () => {
  test.each([
    ["orientation=wide", "orientation"],
    ["orientation=", "orientation"],
    ["orientation=%ff", "orientation"],
    ["type=tablet", "type"],
    ["type=", "type"],
    ["form=xml", "form"],
    ["form=", "form"],
    [`seed=${"a".repeat(201)}`, "seed"],
    ["seed=%ff", "seed"],
    ["album=", "album"],
    [`album=${"a".repeat(65)}`, "album"],
    // Which one is named, where several are wrong.
    ["form=x&album=&seed=%ff&orientation=x&type=x", "type"],
    ["form=x&album=&seed=%ff&orientation=%ff", "orientation"],
    ["form=x&album=&seed=%ff&orientation=x", "seed"],
    ["form=x&album=&orientation=x", "orientation"],
    ["form=x&album=", "album"],
    // The last one of a name counts.
    ["form=json&form=x", "form"],
  ])("that is wrong is named: %s", async (query, name) => {
    const { edge } = await start(some(3));
    const answer = await edge.get(`/random_image?${query}`);
    expect([answer.status, answer.json()]).toEqual([400, { error: `Invalid ${name}` }]);
    expect(answer.headers.get("Vary")).toBeNull();
  });

  test("of 200 characters may be a seed, and the last of a name counts", async () => {
    const { drawn } = await start(some(3));
    await drawn(`seed=${"光".repeat(200)}&form=x&form=json`);
    await drawn("seed=&orientation=x&orientation=square&type=mobile");
    expect(await drawn("a+b=c&seed=a+b")).toBe(await drawn("seed=a%20b"));
    expect(await drawn("seed=100%")).toBe(await drawn("seed=100%25"));
  });

  test.each(["orientation=portrait", "album=dogs", "type=mobile&album=x"])(
    "that no image has is a 404: %s",
    async (query) => {
      const { edge } = await start([row(1)]);
      for (const form of ["image", "json", "redirect", "text"]) {
        const answer = await edge.get(`/random_image?form=${form}&${query}`);
        expect([answer.status, answer.json()]).toEqual([404, { error: "No images available" }]);
      }
    },
  );

  test("auto fits the reader's screen, and is any where none does", async () => {
    const { edge, drawn } = await start([row(1), row(2, { width: 2, height: 3 })]);
    const [wide, high] = [nameOf(1), nameOf(2)];
    const auto = "orientation=auto";
    expect(await drawn(auto, PHONE)).toBe(high);
    expect(await drawn(auto, { "User-Agent": "Mozilla/5.0 (X11)" })).toBe(wide);
    expect(await drawn(auto, { ...PHONE, "Sec-CH-UA-Mobile": "?0" })).toBe(wide);
    expect(await drawn(auto, { "Sec-CH-UA-Mobile": "?1" })).toBe(high);
    for (const form of ["json", "redirect", "text"]) {
      const answer = await edge.get(`/random_image?form=${form}&${auto}`);
      expect(answer.headers.get("Vary")).toBe("Sec-CH-UA-Mobile, User-Agent");
    }
    expect((await edge.get("/random_image?form=json")).headers.get("Vary")).toBeNull();
    const { drawn: fromOne } = await start([row(1)]);
    expect(await fromOne(auto, PHONE)).toBe(wide);
  });

  test("keeps to its class", async () => {
    const rows = some(48);
    const { drawn } = await start(rows);
    const all = (isMeant: (one: Row) => boolean) => rows.filter(isMeant).map(([hash]) => hash);
    const isIn = (one: Row) => one[8] !== null;
    for (let n = 0; n < 20; n += 1) {
      expect(all(isWide)).toContain(await drawn("orientation=landscape"));
      expect(all(isHigh)).toContain(await drawn(`type=mobile&seed=${n}`));
      expect(all((one) => isWide(one) && isIn(one))).toContain(await drawn(`type=pc&${ALBUM}`));
      expect(all(isIn)).toContain(await drawn(`${ALBUM}&seed=${n}`));
      expect(all((one) => one[2] === one[3])).toContain(await drawn("orientation=square&type=pc"));
    }
  });
});

describe("a seed", () => {
  test.each(rules.rings)("draws the service's image from a ring: %#", async ({ hashes, drawn }) => {
    const own = await start(hashes.map((hash, n) => row(n, { hash })));
    const found = [];
    for (const seed of rules.seeds) found.push(await own.drawn(`seed=${encodeURIComponent(seed)}`));
    expect(found).toEqual(drawn);
  });

  test("changes only to a new image, or with the one that is gone", async () => {
    const { sync, drawn } = await start(some(40));
    const seeds = Array.from({ length: 200 }, (_, n) => `seed=${encodeURIComponent(`光 ${n}`)}`);
    const all = () => Promise.all(seeds.map((seed) => drawn(seed)));
    const before = await all();
    expect(await all()).toEqual(before);
    expect(new Set(before).size).toBeGreaterThan(20);
    const fresh = sha256("光 7").slice(0, 32);
    await sync({}, [row(100, { hash: fresh })]);
    const added = await all();
    const moved = added.filter((hash, n) => hash !== before[n]);
    expect(new Set(moved)).toEqual(new Set([fresh]));
    await sync({}, [], [before[0] ?? ""]);
    const removed = await all();
    for (const [n, hash] of removed.entries())
      expect(hash === added[n]).toBe(added[n] !== before[0]);
  });
});

test("of 10,000 images each is equally likely, and so it is by seeds of many rings", async () => {
  const rows = some(10_000);
  const pictures = new Pictures(() => []).after(rows, []).next;
  const wide = pictures.of("landscape");
  expect(wide.length).toBe(rows.filter(isWide).length);
  const found = new Map<string, number>();
  const draws = 200_000;
  for (let n = 0; n < draws; n += 1) {
    const hash = (await pictures.draw("landscape"))?.[0] ?? "";
    found.set(hash, (found.get(hash) ?? 0) + 1);
  }
  expect([...found.keys()].sort()).toEqual(wide.map(([hash]) => hash).sort());
  const expected = draws / wide.length;
  const parts = [...found.values()].map((count) => (count - expected) ** 2 / expected);
  const chiSquare = parts.reduce((sum, part) => sum + part, 0);
  // The quantile of 1 - 10^-9, which is 5.998 of a normal distribution (Wilson and Hilferty).
  const freedom = wide.length - 1;
  const spread = 2 / (9 * freedom);
  expect(chiSquare).toBeLessThan(freedom * (1 - spread + 5.998 * Math.sqrt(spread)) ** 3);
});

test("what the service off cannot give is no other image's answer", async () => {
  const service = await startService(() => ({ status: 530, headers: { "X-Porchlight": "" } }));
  const own = await startOwn();
  await own.sync({ address: service.url }, [row(1, { place: "disk" })]);
  const answer = await own.edge.get("/random_image");
  expect([answer.status, answer.json()]).toEqual([503, { error: "The service is offline" }]);
  expect(service.asked.map(({ path }) => path)).toEqual(["/random_image"]);
});
