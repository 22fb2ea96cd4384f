// The Worker under a clock that a test moves: `https://clock.test/?ahead=MS` moves it ahead, and
// `?faster=N` makes the timers that are set from then on N times as fast.
import worker from "./worker.js";

let ahead = 0;
let faster = 1;
const { now } = Date;
const timer = globalThis.setTimeout;
Date.now = () => now() + ahead;
// @ts-expect-error: only the form that the Worker uses
globalThis.setTimeout = (/** @type {() => void} */ run, /** @type {number} */ wait) =>
  timer(run, wait / faster);

export default {
  /**
   * @param {Request} request
   * @param {object} env
   * @param {{ waitUntil(work: Promise<unknown>): void }} context
   */
  fetch(request, env, context) {
    const url = new URL(request.url);
    if (url.hostname !== "clock.test") return worker.fetch(request, env, context);
    ahead += Number(url.searchParams.get("ahead") ?? 0);
    faster = Number(url.searchParams.get("faster") ?? faster);
    return new Response(String(Date.now()));
  },
};
