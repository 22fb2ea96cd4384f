// The window with a fake process behind it, for tests.

import { cleanup, render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, vi } from "vitest";
import App from "../src/App.svelte";
import { FakeNative } from "../src/testing/fake-native";
import { NOW, type Scene, type SceneName, scenes } from "../src/testing/scenes";
import { speak } from "../src/words/tongue";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** Opens the window on a scene, once everything in it has come. */
export async function open(scene: SceneName | Scene, language = "en-GB") {
  // Only the clock stands still: timers run.
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  const native = new FakeNative(typeof scene === "string" ? scenes[scene] : scene);
  const { container, unmount } = render(App, { native, tongue: speak(language) });
  await vi.waitFor(() => {
    if (container.querySelector(".page > .card, .page > .two") === null) throw new Error("empty");
    if (container.querySelector("[aria-hidden=true].two") !== null) throw new Error("loading");
    if (!native.asked.includes("uploads")) throw new Error("no queue");
  });
  // The queue's answer is drawn in the turn after it was asked for.
  await new Promise((drawn) => setTimeout(drawn));
  return { native, container, unmount, user: userEvent.setup() };
}

/** The text of the whole window, spaces made one. */
export const text = () => (document.body.textContent ?? "").replace(/\s+/g, " ");

/** The button with this name. */
export const button = (name: string | RegExp) => screen.getByRole("button", { name });
