// Intervals run only while the window is visible.

import { expect, test, vi } from "vitest";
import { UploadsState } from "../src/images/uploads.svelte";
import { FakeNative } from "../src/testing/fake-native";
import { visibleInterval } from "../src/visible-interval";

/** Shows the window, or hides it. */
function see(shown: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(!shown);
  document.dispatchEvent(new Event("visibilitychange"));
}

test("an interval pauses while the window is hidden and runs at once when it is shown", () => {
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

test("an interval in a window that starts hidden runs once the window is shown", () => {
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

test("uploads use no timer while there are none", async () => {
  vi.useFakeTimers();
  const native = new FakeNative({ uploads: [] });
  const end = new UploadsState(native).follow();
  await vi.waitFor(() => expect(native.calls.length).toBe(1));
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(0);
  native.emit("uploads-changed", [{ id: 1, name: "a", size: 1, state: "waiting" }]);
  expect(vi.getTimerCount()).toBe(1);
  native.emit("uploads-changed", []);
  expect(vi.getTimerCount()).toBe(0);
  native.emit("uploads-changed", [{ id: 1, name: "a", size: 1, state: "waiting" }]);
  end();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
