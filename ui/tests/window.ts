// The whole window with a fake backend, for tests.

import { cleanup, render, screen } from "@testing-library/svelte";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { afterEach, vi } from "vitest";
import App from "../src/App.svelte";
import type { Home } from "../src/api/types";
import { FakeNative, type Scene } from "../src/testing/fake-native";
import { scenes as game } from "../src/testing/scenes/game";
import { NOW, type SceneName, scenes } from "../src/testing/scenes/home";
import { scenes as images } from "../src/testing/scenes/images";
import { scenes as presence } from "../src/testing/scenes/presence";
import { scenes as settings } from "../src/testing/scenes/settings";
import { scenes as statistics } from "../src/testing/scenes/statistics";

// The layout that is missing here has no layers either.
HTMLElement.prototype.showPopover ??= () => undefined;

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  delete document.documentElement.dataset.theme;
});

/** Answers for the pages that a test does not cover. */
const elsewhere: Scene = Object.assign(
  {},
  ...[game, images, presence, settings, statistics].map((scenes) => Object.values(scenes)[0]),
);

/** Opens the window on a scene of the first place, or on any other, once everything has come. */
export async function open(scene: SceneName | Scene, language = "en-GB") {
  // Only the clock is frozen; timers run.
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  const appearance = { theme: "system", language: "system", systemLanguage: language };
  const native = new FakeNative({
    appearance: () => appearance,
    ...elsewhere,
    ...(typeof scene === "string" ? scenes[scene] : scene),
  });
  const { container, unmount } = render(App, { native, appearance });
  await vi.waitFor(() => {
    if (!native.calls.includes("home()")) throw new Error("nothing was asked for");
  });
  // The answer is rendered one turn later.
  await new Promise((drawn) => setTimeout(drawn));
  return { native, container, unmount, user: userEvent.setup() };
}

/** Changes the home status and sends its event. */
export function change(native: FakeNative, home: Home | Error) {
  native.answer({
    home: () => {
      if (home instanceof Error) throw home;
      return home;
    },
  });
  native.emit("home-changed", null);
}

/** The text of the whole window, with spaces collapsed. */
export const text = () => (document.body.textContent ?? "").replace(/\s+/g, " ");

/** Goes to the next step of the welcome. */
export async function goOn(user: UserEvent, name: RegExp) {
  const heading = () => screen.getByRole("heading", { level: 1 }).textContent;
  const before = heading();
  await user.click(button(name));
  await vi.waitFor(() => {
    if (heading() === before) throw new Error(`still at ${before}`);
  });
}

/** The button with this name. */
export const button = (name: string | RegExp) => screen.getByRole("button", { name });
