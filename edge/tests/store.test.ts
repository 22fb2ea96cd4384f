// STORE, the Worker's own store: the service's signed requests to `/-/store`.

import { describe, expect, test } from "vitest";
import { startEdge } from "./harness/edge.ts";
import { now, type Over, row, sha256, signed, startOwn } from "./harness/own.ts";

const KEY = "randomimg/0123456789abcdef0123456789abcdef.webp";
const PATH = `/-/store/${KEY}`;
const NOT_FOUND = { error: "Resource not found" };

function bytes(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, place) => (place * 31 + size) % 251));
}

describe("an object", () => {
  test.each([0, 1, 200_000, 1_899_999, 1_900_000, 1_900_001, 3_000_000, 3_800_000, 9_000_000])(
    "of %i bytes is stored, replaced and deleted",
    async (size) => {
      const { send } = await startOwn();
      const first = bytes(size);
      const created = await send("PUT", PATH, first);
      expect([created.status, created.json()]).toEqual([
        201,
        { key: KEY, size, sha256: sha256(first) },
      ]);
      const read = await send("GET", PATH);
      expect([read.status, read.body.equals(first)]).toEqual([200, true]);
      expect(read.headers.get("Content-Length")).toBe(String(size));
      expect(read.headers.get("X-Sha256")).toBe(sha256(first));
      const second = bytes(Math.max(size - 1_000_000, 3));
      expect((await send("PUT", PATH, second)).status).toBe(200);
      expect((await send("GET", PATH)).body.equals(second)).toBe(true);
      const head = await send("HEAD", PATH);
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(Object.fromEntries(head.headers)).toMatchObject({
        "content-length": String(second.length),
        "x-sha256": sha256(second),
        "cache-control": "no-store",
      });
      expect((await send("DELETE", PATH)).status).toBe(200);
      for (const method of ["GET", "HEAD", "DELETE"]) {
        expect((await send(method, PATH)).status).toBe(404);
      }
      expect((await send("PUT", PATH, first)).status).toBe(201);
      expect((await send("GET", PATH)).body.equals(first)).toBe(true);
    },
  );

  test("of more than 50 MiB is refused", async () => {
    const { send } = await startOwn();
    const answer = await send("PUT", PATH, Buffer.alloc((50 << 20) + 1));
    expect([answer.status, answer.json()]).toEqual([413, { error: "Object too large" }]);
    expect((await send("GET", PATH)).status).toBe(404);
  });
});

describe("a request changes nothing", () => {
  const old = Buffer.from("as it was");
  const other = Buffer.from("something else");
  test.each<[string, number, Over]>([
    ["by another key", 401, { secret: "another" }],
    ["signed for another method", 401, { method: "DELETE" }],
    ["signed for another path", 401, { path: `${PATH}x` }],
    ["signed with a query that it lacks", 401, { path: `${PATH}?a` }],
    ["with another body", 400, { sent: Buffer.from("SOMETHING ELSE") }],
    ["with half of its body", 400, { sent: other.subarray(0, 7) }],
    ["with no body", 400, { sent: Buffer.alloc(0) }],
    ["with more than its body", 400, { sent: Buffer.concat([other, other]) }],
  ])("%s", async (_, status, over) => {
    const { send } = await startOwn();
    await send("PUT", PATH, old, { t: Date.now() - 250_000 });
    expect((await send("PUT", PATH, other, over)).status).toBe(status);
    expect((await send("GET", PATH)).text).toBe("as it was");
  });

  test.each([
    [-301, 401],
    [-290, 200],
    [290, 200],
    [310, 401],
  ])("signed %i s ahead of the Worker's clock, or else it is %i", async (ahead, status) => {
    const { send } = await startOwn();
    await send("PUT", PATH, old, { t: Date.now() - 295_000 });
    const answer = await send("PUT", PATH, other, { t: Date.now() + ahead * 1000 });
    expect(answer.status).toBe(status);
    const { text } = await send("GET", PATH);
    expect(text).toBe(status === 200 ? "something else" : "as it was");
  });

  test("without a signature, or with a malformed one", async () => {
    const { edge, send } = await startOwn();
    await send("PUT", PATH, old);
    const right = new Headers(signed("PUT", PATH, other).headers as Record<string, string>);
    const header = right.get("X-Porchlight-Store") ?? "";
    const [t = "", body = "", v1 = ""] = header.split(", ");
    const wrong = ["", header.replace(", ", ","), `${header}, x=1`, `${body}, ${t}, ${v1}`];
    for (const value of [...wrong, header.replace("t=", "t=0"), header.slice(0, -1)]) {
      const headers = { "X-Porchlight-Store": value };
      const answer = await edge.get(PATH, { method: "PUT", body: other, headers });
      expect([value, answer.status, answer.json()]).toEqual([
        value,
        401,
        { error: "Unauthorized" },
      ]);
    }
    expect((await edge.get(PATH)).status).toBe(401);
    expect((await send("GET", PATH)).text).toBe("as it was");
  });

  test("by a clock that is off, and the answer has the Worker's", async () => {
    const { edge, send } = await startOwn();
    await edge.ahead(3_600_000);
    const answer = await send("PUT", PATH, old);
    expect([answer.status, answer.json()]).toEqual([401, { error: "Clock is off" }]);
    const ahead = Date.parse(answer.headers.get("Date") ?? "") - Date.now();
    expect(Math.abs(ahead - 3_600_000)).toBeLessThan(30_000);
    const adjusted = { t: now() + 3_600_000 - 290_000 };
    expect((await send("PUT", PATH, old, adjusted)).status).toBe(201);
  });

  test("sent again, or later than a newer one", async () => {
    const { send } = await startOwn();
    const [first, second, third] = [now(), now(), now()];
    expect((await send("PUT", PATH, old, { t: second })).status).toBe(201);
    const again = await send("PUT", PATH, old, { t: second });
    expect([again.status, again.headers.get("X-Time")]).toEqual([409, String(second)]);
    expect((await send("PUT", PATH, other, { t: first })).status).toBe(409);
    expect((await send("DELETE", PATH, "", { t: first })).status).toBe(409);
    expect((await send("GET", PATH)).text).toBe("as it was");
    expect((await send("DELETE", PATH, "", { t: third })).status).toBe(200);
    for (const t of [second, third]) {
      expect((await send("PUT", PATH, old, { t })).status).toBe(409);
    }
    expect((await send("GET", PATH)).status).toBe(404);
  });

  test("that comes after the deletion of what was never there", async () => {
    const { send } = await startOwn();
    const [first, second] = [now(), now()];
    expect((await send("DELETE", PATH, "", { t: second })).status).toBe(404);
    expect((await send("PUT", PATH, old, { t: first })).status).toBe(409);
    expect((await send("GET", PATH)).status).toBe(404);
  });

  test("sent again after the deletion, as long as its signature is valid", async () => {
    const { edge, send } = await startOwn();
    const t = now() + 290_000;
    expect((await send("PUT", PATH, old, { t })).status).toBe(201);
    expect((await send("DELETE", PATH, "", { t: t + 1 })).status).toBe(200);
    await edge.ahead(589_000);
    // Another change clears the times that are older than any valid signature.
    expect((await send("PUT", `${PATH}x`, old, { t: now() + 589_000 })).status).toBe(201);
    expect((await send("PUT", PATH, old, { t })).status).toBe(409);
    expect((await send("GET", PATH, "", { t: now() + 589_000 })).status).toBe(404);
  });

  test("over plain HTTP", async () => {
    const { edge } = await startOwn();
    for (const method of ["PUT", "GET"]) {
      const answer = await edge.get(`http://light.example${PATH}`, signed(method, PATH, old));
      expect([answer.status, answer.json()]).toEqual([403, { error: "HTTPS required" }]);
    }
  });

  test("without EDGE_SECRET", async () => {
    const edge = await startEdge({ EDGE_SECRET: "" });
    expect((await edge.get(PATH, signed("PUT", PATH, old, { secret: "" }))).status).toBe(401);
  });
});

describe("below /-/ there is nothing else", () => {
  test.each([
    ["GET", "/-/"],
    ["GET", "/-/other"],
    ["GET", "/-/store/"],
    ["GET", "/-/store/a//b"],
    ["GET", "/-/store/a%20b"],
    ["GET", "/-/stores"],
    ["POST", PATH],
    ["PUT", "/-/sync"],
    ["GET", "/-/sync"],
    ["POST", "/-/sync/x"],
    ["POST", "/-/reach"],
    ["GET", "/-/reach"],
    ["POST", "/-/count"],
    ["PUT", "/-/store"],
    ["HEAD", "/-/store"],
  ])("%s %s", async (method, path) => {
    const { service, send } = await startOwn();
    const answer = await send(method, path);
    expect(answer.status).toBe(404);
    if (method !== "HEAD") expect(answer.json()).toEqual(NOT_FOUND);
    expect(service.asked).toEqual([]);
  });

  test("where STORE is not bound", async () => {
    const edge = await startEdge({}, { durableObjects: {} });
    const answer = await edge.get(PATH, signed("PUT", PATH, bytes(3)));
    expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
  });
});

describe("a listing", () => {
  interface Listing {
    objects: { key: string; size: number; time: number; sha256: string }[];
    next: string | null;
  }

  test("comes in parts, in order", async () => {
    const { send } = await startOwn();
    const empty = await send("GET", "/-/store?prefix=randomimg/");
    expect(empty.json()).toEqual({ objects: [], next: null });
    const keys = Array.from({ length: 25 }, (_, place) => `randomimg/${(place * 7) % 25}`);
    const times = new Map<string, number>();
    for (const key of [...keys, "randomimgs", "randomim"]) {
      const t = now();
      times.set(key, t);
      await send("PUT", `/-/store/${key}`, bytes(key === "randomimg/3" ? 4_000_000 : 9), { t });
    }
    await send("DELETE", "/-/store/randomimg/11");
    const left = keys.filter((key) => key !== "randomimg/11").sort();
    const found: string[] = [];
    let after = "";
    const sizes: number[] = [];
    do {
      const query = `?prefix=randomimg/${after && `&after=${after}`}&limit=10`;
      const { objects, next } = (await send("GET", `/-/store${query}`)).json() as Listing;
      sizes.push(objects.length);
      for (const { key, time } of objects) expect(time).toBe(times.get(key));
      found.push(...objects.map(({ key }) => key));
      after = next ?? "";
    } while (after);
    expect([found, sizes]).toEqual([left, [10, 10, 4]]);
    const all = (await send("GET", "/-/store")).json() as Listing;
    // What STORE itself needs is not listed.
    const others = ["randomim", "randomimgs"];
    expect(all.objects.map(({ key }) => key)).toEqual([...left, ...others].sort());
    expect(all.objects.find(({ key }) => key === "randomimg/3")).toMatchObject({
      size: 4_000_000,
      sha256: sha256(bytes(4_000_000)),
    });
  });

  test.each(["0", "-1", "x", "1.5"])("of %j names is none", async (limit) => {
    const { send } = await startOwn();
    const answer = await send("GET", `/-/store?limit=${limit}`);
    expect([answer.status, answer.json()]).toEqual([400, { error: "Invalid limit" }]);
  });
});

describe("a limit of the plan", () => {
  const FULL = { error: "Not enough storage" };

  test("of its space loses nothing", async () => {
    const { edge, send } = await startOwn();
    await send("PUT", PATH, bytes(4_000_000));
    await edge.fail("database or disk is full: SQLITE_FULL");
    for (const size of [4_000_001, 10]) {
      const answer = await send("PUT", PATH, bytes(size));
      expect([answer.status, answer.json()]).toEqual([507, FULL]);
      expect(answer.headers.get("Retry-After")).toBeNull();
    }
    expect((await send("GET", PATH)).body.equals(bytes(4_000_000))).toBe(true);
    await edge.fail("");
    expect((await send("PUT", PATH, bytes(10))).status).toBe(200);
  });

  test("of a day loses nothing, and the answer says until when", async () => {
    const { edge, send } = await startOwn();
    await send("PUT", PATH, bytes(10));
    await edge.fail("Exceeded allowed rows written in Durable Objects free tier.");
    const midnight = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000);
    for (const method of ["PUT", "DELETE"]) {
      const answer = await send(method, PATH, method === "PUT" ? bytes(11) : undefined);
      expect([answer.status, answer.json()]).toEqual([507, FULL]);
      const wait = Number(answer.headers.get("Retry-After"));
      expect(Math.abs(wait - midnight)).toBeLessThan(30);
    }
    expect((await send("GET", PATH)).body.equals(bytes(10))).toBe(true);
    await edge.fail("");

    await edge.fail("Exceeded allowed duration in Durable Objects free tier.", "refuse");
    for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
      const answer = await send(method, PATH, method === "PUT" ? bytes(11) : undefined);
      expect(answer.status).toBe(507);
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    // Readers get the answer of a service that is off, not one that there is no picture.
    for (const path of [`/i/${KEY.slice("randomimg/".length)}`, "/check", "/images/list"]) {
      const answer = await edge.get(path);
      expect([path, answer.status, answer.headers.get("Retry-After")]).toEqual([path, 503, "60"]);
    }
    await edge.fail("", "refuse");
    expect((await send("GET", PATH)).body.equals(bytes(10))).toBe(true);
  });

  test("that is none of the known ones is a 503, and loses nothing", async () => {
    const { edge, send } = await startOwn();
    await send("PUT", PATH, bytes(10));
    await edge.fail("internal error; reference = 0", "refuse");
    expect((await send("PUT", PATH, bytes(11))).status).toBe(503);
    expect((await edge.get(`/i/${KEY.slice("randomimg/".length)}`)).status).toBe(503);
    await edge.fail("", "refuse");
    expect((await send("GET", PATH)).body.equals(bytes(10))).toBe(true);
  });
});

describe("beside an R2 bucket", () => {
  test("pictures are in the bucket, and what is known of them is here", async () => {
    const { edge, send } = await startOwn({}, { r2Buckets: ["BUCKET"] });
    expect((await send("PUT", PATH, bytes(3_000_000))).status).toBe(201);
    expect((await edge.inBucket(KEY))?.equals(bytes(3_000_000))).toBe(true);
    const head = await send("HEAD", PATH);
    expect(head.headers.get("X-Sha256")).toBe(sha256(bytes(3_000_000)));
    expect(head.headers.get("Content-Length")).toBe("3000000");
    expect((await send("GET", PATH)).body.equals(bytes(3_000_000))).toBe(true);
    const listed = (await send("GET", "/-/store?prefix=randomimg/")).json();
    expect(listed).toMatchObject({ objects: [{ key: KEY, size: 3_000_000 }], next: null });
    await send("PUT", "/-/store/other", bytes(3));
    expect(await edge.inBucket("other")).toBeUndefined();
    expect((await send("DELETE", PATH)).status).toBe(200);
    expect(await edge.inBucket(KEY)).toBeUndefined();
    expect((await send("GET", PATH)).status).toBe(404);
  });
});

test("what is written before the first sync is there after it", async () => {
  const { edge, send, sync } = await startOwn();
  const unused = await startEdge();
  const answer = await unused.get(PATH, signed("PUT", PATH, bytes(3)));
  expect(answer.status).toBe(201);
  await unused.restart();
  expect((await unused.get(PATH, signed("GET", PATH))).body.equals(bytes(3))).toBe(true);
  await send("PUT", PATH, bytes(4));
  await sync({}, [row(1, { hash: KEY.slice("randomimg/".length, -".webp".length) })]);
  const image = await edge.get(`/i/${KEY.slice("randomimg/".length)}`);
  expect(image.body.equals(bytes(4))).toBe(true);
});
