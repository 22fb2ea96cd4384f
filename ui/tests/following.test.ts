// How the state of the window follows the process.

import { expect, test } from "vitest";
import { HomeState } from "../src/home/home.svelte";
import { FakeNative } from "../src/testing/fake-native";
import { lit, scenes } from "../src/testing/scenes/home";
import { open } from "./window";

test("a burst of changes causes one more read, not one for each change", async () => {
  const native = new FakeNative(scenes.good);
  const first = new HomeState(native);
  const reading = first.read();
  for (let n = 0; n < 20; n++) void first.read();
  native.answer({ home: { ...lit, pictureCount: 7 } });
  await reading;
  expect(native.calls.length).toBe(2);
  expect(first.home?.pictureCount).toBe(7);
});

test("a closed window removes its listeners", async () => {
  const { native, unmount } = await open("good");
  expect(native.listeners).toBe(7);
  unmount();
  await expect.poll(() => native.listeners).toBe(0);
});
