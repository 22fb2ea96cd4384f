// How long a notice stays.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Notices } from "../src/notice.svelte";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LONG = 60_000;

test("a notice with an undo stays while the focus or the pointer is on it", async () => {
  const notices = new Notices();
  await notices.run(
    async () => undefined,
    "Renamed",
    async () => undefined,
  );
  notices.hold("focus", true);
  notices.hold("pointer", true);
  notices.hold("pointer", false);
  vi.advanceTimersByTime(LONG);
  expect(notices.current?.text).toBe("Renamed");
  notices.hold("focus", false);
  vi.advanceTimersByTime(LONG);
  expect(notices.current).toBeNull();
});

test("focus on a notice does not keep the next one open", async () => {
  const notices = new Notices();
  await notices.run(
    async () => undefined,
    "Renamed",
    async () => undefined,
  );
  notices.hold("focus", true);
  notices.done("2 links copied");
  vi.advanceTimersByTime(LONG);
  expect(notices.current).toBeNull();
});
