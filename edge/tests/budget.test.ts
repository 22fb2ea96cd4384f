// What 100,000 pictures cost: rows read and written by each endpoint and sync, where STORE has just come
// into memory and where it has been there, and the memory that the list takes. The free plan has
// 5,000,000 rows read and 100,000 written a day, and 128 MB.

import { describe, expect, test } from "vitest";
import { startEdge } from "./harness/edge.ts";
import { always, nameOf, row, servedBy, sha256, shown } from "./harness/own.ts";

const COUNT = 100_000;
const MANY = 1_000;

function rows(from: number, to: number): Row[] {
  return Array.from({ length: to - from }, (_, n) =>
    row(from + n, {
      width: 600 + (n % 3) * 200,
      height: 800,
      album: n % 4 === 0 ? `album ${n % 50}` : null,
      thumbhash: Buffer.from(nameOf(n), "hex").toString("base64"),
      names: n % 10 === 0 ? [sha256(`second ${from + n}`).slice(0, 32)] : [],
    }),
  );
}
const PATHS = [
  "/check",
  "/devices",
  "/game_status",
  "/widget.js",
  "/badge.json",
  "/badge.svg",
  "/card.svg",
  "/v1/users/1",
  "/images/count",
  "/images/list",
  "/images/list?page=1000&limit=100&detail=1",
  "/images/list?album=album%2048",
  "/random_image",
  "/random_image?form=json",
  "/random_image?form=text&seed=x",
  "/random_image?form=redirect&orientation=portrait&album=album%2048",
  "/random_image?orientation=auto&seed=x",
  `/i/${nameOf(7)}`,
  `/i/${nameOf(7)}/a-cat.webp`,
  `/i/${nameOf(7)}?w=320`,
  `/images/${nameOf(7)}`,
  `/i/${sha256("second 20").slice(0, 32)}`,
  `/i/${nameOf(COUNT + 1)}`,
];

describe("100,000 pictures", () => {
  async function start() {
    const edge = await startEdge();
    return { edge, own: servedBy(edge) };
  }

  test("are synced from nothing, cost few rows, and fit into memory", async () => {
    const { edge, own } = await start();
    const { post, sync, put, send } = own;
    await sync();
    const began = performance.now();
    const [read, written] = await edge.rowsOf(async () => {
      for (let from = 0; from < COUNT; from += MANY) {
        const more = from + MANY < COUNT;
        const images = { from, to: from + MANY, put: rows(from, from + MANY), more };
        const answer = await post({ ...always(null), images });
        expect([from, answer.status, answer.text]).toEqual([from, 200, answer.text]);
      }
    });
    const took = performance.now() - began;
    expect(took).toBeLessThan(120_000);
    expect(read).toBeLessThan(1_000);
    // A call is one row, and one of the state; then the calls become 32 parts.
    expect(written).toBeLessThan(500);

    for (const number of [7, 20]) await put(`randomimg/${nameOf(number)}.webp`, "picture");
    await put(`randomimg/${nameOf(7)}.w320.webp`, "narrow");
    expect((await edge.get("/images/count")).json()).toEqual({ count: COUNT });

    for (const path of PATHS) {
      await edge.restart();
      await edge.get(path);
      const { rowsRead: cold } = await edge.seen(true);
      const [again, wrote] = await edge.rowsOf(() => edge.get(path));
      expect([path, wrote]).toEqual([path, 0]);
      // The state, the 32 parts and what is asked for.
      expect([path, cold <= 40]).toEqual([path, true]);
      expect([path, again <= 3]).toEqual([path, true]);
    }

    // A sync of presence, a beat without a change, and one more picture.
    const later = { t: Date.now() + 100_000 };
    await sync({ images: { from: COUNT, to: COUNT } });
    const [, presence] = await edge.rowsOf(() => sync({ presence: shown("New") }, [], [], later));
    later.t += 1;
    const [, beat] = await edge.rowsOf(() => sync({}, [], [], later));
    later.t += 1;
    const [, added] = await edge.rowsOf(() => sync({}, [row(COUNT + 2)], [], later));
    later.t += 1;
    const [, gone] = await edge.rowsOf(() => sync({}, [], [nameOf(COUNT + 2)], later));
    const line = await edge.connect("/socket");
    await line.next();
    line.send({ op: 2, d: { subscribe_to_all: true } });
    await line.next();
    later.t += 1;
    const [, pushed] = await edge.rowsOf(() => sync({ presence: shown("Newer") }, [], [], later));
    const one = `/-/store/randomimg/${nameOf(9)}.webp`;
    const [, upload] = await edge.rowsOf(() => send("PUT", one, "picture"));
    expect([presence, beat, pushed]).toEqual([1, 1, 1]);
    // The alarm, which is not set again for as long as it rings in time.
    expect((await edge.seen()).alarms).toBeLessThanOrEqual(1);
    expect([added, gone]).toEqual([2, 2]);
    expect(upload).toBe(1);
  }, 300_000);

  test("take less than 64 MB", async () => {
    const { Pictures } = await import("../src/answers.js");
    const parts = new Map<number, string>();
    const { next, changed } = new Pictures(() => []).after(rows(0, COUNT), []);
    for (const number of changed)
      parts.set(number, JSON.stringify([...next.part(number).values()]));
    const sizes = [...parts.values()].map((text) => text.length);
    // A row of the table has at most 2 MB.
    expect(Math.max(...sizes)).toBeLessThan(1_500_000);
    const { gc } = globalThis;
    if (!gc) throw new Error("vitest.config.ts exposes gc");
    gc();
    const before = process.memoryUsage().heapUsed;
    const list = new Pictures((number) => JSON.parse(parts.get(number) ?? "[]"));
    list.all();
    await list.draw("", undefined, "x");
    gc();
    const used = process.memoryUsage().heapUsed - before;
    expect(used).toBeLessThan(64e6);
    expect(list.of("").length).toBe(COUNT);
  });
});
