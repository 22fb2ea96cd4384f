// The Worker under a clock that a test moves: `https://clock.test/?ahead=MS` moves it ahead, and
// `?faster=N` makes the timers that are set from then on N times as fast. `?fail=TEXT` makes writes of
// STORE fail with this text at the last row of an object or at the state of a sync, `?refuse=TEXT` all
// requests to it. The answer has what was removed from the cache in front, how often STORE was made, how
// many rows it has read and written, and how often it wrote its counts.
import worker, { Store as RealStore } from "./worker.js";

let ahead = 0;
let faster = 1;
let failure = "";
let refusal = "";
let made = 0;
let saves = 0;
let alarms = 0;
/** How many bytes of rows are on their way to readers, at most. */
let [rowsRead, rowsWritten] = [0, 0];
/** @type {string[]} */
const purged = [];
const { now } = Date;
const timer = globalThis.setTimeout;
Date.now = () => now() + ahead;
// @ts-expect-error: only the form that the Worker uses
globalThis.setTimeout = (/** @type {() => void} */ run, /** @type {number} */ wait) =>
  timer(run, wait / faster);

/** @typedef {{ rowsRead: number, rowsWritten: number }} Cursor */

/** STORE as it is at the limits of a plan. */
export class Store extends RealStore {
  /** @param {State} state @param {Env} env */
  constructor(state, env) {
    const { storage } = state;
    const cursors = /** @type {Cursor[]} */ ([]);
    const sql = {
      /** @param {string} query @param {...SqlValue} values */
      exec(query, ...values) {
        const bytes = values.at(-1);
        const isLast = !(bytes instanceof ArrayBuffer && bytes.byteLength === 1_900_000);
        if (failure && /^INSERT.*(state|objects)/.test(query) && isLast) throw new Error(failure);
        const cursor = storage.sql.exec(query, ...values);
        cursors.push(/** @type {any} */ (cursor));
        return cursor;
      },
    };
    const watched = {
      sql,
      /** @param {string} key */
      get: (key) => storage.get(key),
      /** @param {string} key @param {Counts} value */
      put(key, value) {
        saves += 1;
        return storage.put(key, value);
      },
      getAlarm: () => storage.getAlarm(),
      /** @param {number} time */
      setAlarm(time) {
        alarms += 1;
        return storage.setAlarm(time);
      },
      /** @template T @param {() => T} work */
      transactionSync: (work) => storage.transactionSync(work),
    };
    super(
      /** @type {State} */ (
        new Proxy(state, {
          get(target, name) {
            if (name === "storage") return watched;
            const value = Reflect.get(target, name);
            return typeof value === "function" ? value.bind(target) : value;
          },
        })
      ),
      env,
    );
    this.cursors = cursors;
    made += 1;
  }

  /** Adds the rows of the queries since the last time. */
  settle() {
    for (const cursor of this.cursors.splice(0)) {
      rowsRead += cursor.rowsRead;
      rowsWritten += cursor.rowsWritten;
    }
  }

  /** @override @param {Request} request */
  async fetch(request) {
    if (new URL(request.url).pathname === "/-/test") {
      this.settle();
      return Response.json({ reads: this.reads });
    }
    if (refusal) throw new Error(refusal);
    return super.fetch(request);
  }
}

export default {
  /**
   * @param {Request} request
   * @param {Env} env
   * @param {{ waitUntil(work: Promise<unknown>): void }} context
   */
  async fetch(request, env, context) {
    const url = new URL(request.url);
    const cache = {
      /** @param {{ tags: string[] }} what */
      async purge({ tags }) {
        purged.push(...tags);
      },
    };
    const waitUntil = (/** @type {Promise<unknown>} */ work) => context.waitUntil(work);
    if (url.hostname !== "clock.test") return worker.fetch(request, env, { waitUntil, cache });
    ahead += Number(url.searchParams.get("ahead") ?? 0);
    faster = Number(url.searchParams.get("faster") ?? faster);
    failure = url.searchParams.get("fail") ?? failure;
    refusal = url.searchParams.get("refuse") ?? refusal;
    const { STORE } = env;
    const isAsked = STORE && url.searchParams.has("rows");
    const store = isAsked && STORE.get(STORE.idFromName("porchlight"));
    const own = store ? await (await store.fetch("https://store/-/test", {})).json() : {};
    const state = { now: Date.now(), purged, made, rowsRead, rowsWritten, saves, alarms };
    return Response.json({ ...state, ...own });
  },
};
