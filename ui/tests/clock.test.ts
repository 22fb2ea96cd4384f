// What is done again and again: only while the window can be seen.

import { expect, test, vi } from "vitest";
import { Removals } from "../src/images/removals.svelte";
import { UploadsState } from "../src/images/uploads.svelte";
import { FakeNative } from "../src/testing/fake-native";
import { visibleInterval } from "../src/visible-interval";

/** Shows the window, or hides it. */
function see(shown: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(!shown);
  document.dispatchEvent(new Event("visibilitychange"));
}

test("what is done every second rests while the window is hidden, and is done when it is back", () => {
  vi.useFakeTimers();
  const done = vi.fn();
  const end = visibleInterval(1_000, done);
  vi.advanceTimersByTime(2_500);
  expect(done.mock.calls.length).toBe(2);
  see(false);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(done.mock.calls.length).toBe(2);
  see(true);
  expect(done.mock.calls.length).toBe(3);
  vi.advanceTimersByTime(1_000);
  expect(done.mock.calls.length).toBe(4);
  end();
  see(false);
  see(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(done.mock.calls.length).toBe(4);
  vi.useRealTimers();
});

test("a window that is hidden from the beginning begins when it is shown", () => {
  vi.useFakeTimers();
  see(false);
  const done = vi.fn();
  const end = visibleInterval(1_000, done);
  expect(vi.getTimerCount()).toBe(0);
  see(true);
  expect(done.mock.calls.length).toBe(1);
  end();
  vi.useRealTimers();
});

test("nothing runs for removals and uploads while there are none", async () => {
  vi.useFakeTimers();
  const native = new FakeNative({ images: { removals: [] }, uploads: { read: [] } });
  const removals = new Removals(native);
  const ends = [removals.follow(), new UploadsState(native).follow()];
  await vi.waitFor(() => expect(native.asked.length).toBe(2));
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(0);
  native.tell("removals-changed", [{ id: 1, hashes: ["a"], at: Date.now() + 5_000 }]);
  native.tell("uploads-changed", [{ id: 1, name: "a", size: 1, state: "waiting" }]);
  expect(vi.getTimerCount()).toBe(2);
  native.tell("removals-changed", []);
  native.tell("uploads-changed", []);
  expect(vi.getTimerCount()).toBe(0);
  native.tell("removals-changed", [{ id: 2, hashes: ["a"], at: Date.now() + 5_000 }]);
  for (const end of ends) end();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
