// The Worker under a clock that a test moves: `https://clock.test/?ahead=MS` moves it ahead, and
// `?faster=N` makes the timers that are set from then on N times as fast. `?fail=TEXT` makes writes of
// STORE fail with this text at the last row of an object, `?refuse=TEXT` all requests to it. The
// answer has what was removed from the cache in front, how often STORE was made, how often it asked its
// database, and how often it wrote its counts.
import worker, { Store as RealStore } from "./worker.js";

let ahead = 0;
let faster = 1;
let failure = "";
let refusal = "";
let made = 0;
let queries = 0;
let saves = 0;
/** @type {string[]} */
const purged = [];
const { now } = Date;
const timer = globalThis.setTimeout;
Date.now = () => now() + ahead;
// @ts-expect-error: only the form that the Worker uses
globalThis.setTimeout = (/** @type {() => void} */ run, /** @type {number} */ wait) =>
  timer(run, wait / faster);

/** STORE as it is at the limits of a plan. */
export class Store extends RealStore {
  /** @param {State} state @param {Env} env */
  constructor(state, env) {
    super(state, env);
    made += 1;
    const put = state.storage.put.bind(state.storage);
    state.storage.put = (/** @type {string} */ key, /** @type {Counts} */ value) => {
      saves += 1;
      return put(key, value);
    };
  }

  /** @override @param {string} query @param {...(string | number | ArrayBuffer | null)} values */
  sql(query, ...values) {
    queries += 1;
    const bytes = values.at(-1);
    const isLast = !(bytes instanceof ArrayBuffer && bytes.byteLength === 1_900_000);
    if (failure && query.startsWith("INSERT") && isLast) throw new Error(failure);
    return super.sql(query, ...values);
  }

  /** @override @param {Request} request */
  async fetch(request) {
    if (refusal) throw new Error(refusal);
    return super.fetch(request);
  }
}

export default {
  /**
   * @param {Request} request
   * @param {object} env
   * @param {{ waitUntil(work: Promise<unknown>): void }} context
   */
  fetch(request, env, context) {
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
    return Response.json({ now: Date.now(), purged, made, queries, saves });
  },
};
