// How the state of the window follows the process.

import { describe, expect, test } from "vitest";
import { HomeState } from "../src/home.svelte";
import { FakeNative } from "../src/testing/fake-native";
import { lit, scenes } from "../src/testing/scenes";
import { UploadsState } from "../src/uploads.svelte";
import { open } from "./window";

test("changes that come in a burst are read once more, not once each", async () => {
  const native = new FakeNative(scenes.on);
  const first = new HomeState(native);
  const reading = first.read();
  for (let n = 0; n < 20; n++) void first.read();
  native.state = { ...lit, pictureCount: 7 };
  await reading;
  expect(native.asked.length).toBe(2);
  expect(first.home?.pictureCount).toBe(7);
});

test("a queue that was told while it was asked for is not set back by the answer", async () => {
  const native = new FakeNative(scenes.on);
  let answer = (_: []) => {};
  native.uploads = () => new Promise((resolve) => (answer = resolve));
  const uploads = new UploadsState(native);
  uploads.follow();
  await expect.poll(() => native.listeners).toBe(1);
  native.changeUploads([{ id: 1, name: "a.png", size: 1, state: "working" }]);
  answer([]);
  await Promise.resolve();
  expect(uploads.all.length).toBe(1);
});

describe("a window that is closed", () => {
  test("listens no longer", async () => {
    const { native, unmount } = await open("on");
    expect(native.listeners).toBe(3);
    unmount();
    await expect.poll(() => native.listeners).toBe(0);
  });
});

test("progress is counted in files where their sizes are not known", () => {
  const native = new FakeNative(scenes.on);
  const uploads = new UploadsState(native);
  uploads.follow();
  return expect
    .poll(() => {
      native.changeUploads([
        { id: 1, name: "a", size: 0, state: "failed", trouble: "not_a_file" },
        { id: 2, name: "b", size: 0, state: "waiting" },
      ]);
      return uploads.share;
    })
    .toBe(0.5);
});
