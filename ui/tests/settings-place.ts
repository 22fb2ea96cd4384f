// The settings page with a fake backend, for tests.

import { cleanup, render } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, vi } from "vitest";
import type { SettingProblem, SettingValue } from "../src/api/types";
import Settings from "../src/settings/Settings.svelte";
import Frame from "../src/testing/Frame.svelte";
import type { Scene } from "../src/testing/fake-native";
import { FakeNative } from "../src/testing/fake-native";
import { pageWith, scenes, settingsWith } from "../src/testing/scenes/settings";
import { createLocale } from "../src/words/locale";
import { homeOf } from "./framed";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** The name of a scene. */
export type SceneName = keyof typeof scenes;

/** Opens the page on a scene, once its first answers are rendered. */
export async function open(
  scene: SceneName | Scene | FakeNative,
  section: string | null = "app",
  language = "en-GB",
) {
  // Only the clock is frozen; timers run.
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  const native =
    scene instanceof FakeNative
      ? scene
      : new FakeNative(typeof scene === "string" ? scenes[scene] : scene);
  const { container, unmount } = render(Frame, {
    native,
    locale: createLocale(language),
    place: Settings,
    section,
    home: homeOf(native.scene),
  });
  await vi.waitFor(() => {
    if (!native.calls.includes("tokens()")) throw new Error("not asked yet");
  });
  // The answers are rendered one turn later.
  await new Promise((drawn) => setTimeout(drawn));
  return { native, container, unmount, user: userEvent.setup() };
}

/** The row of a setting. */
export function row(key: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(`[data-setting="${key}"]`);
  if (found === null) throw new Error(`no row of ${key}`);
  return found;
}

/** The field of a setting. */
export function field(key: string): HTMLInputElement {
  const found = row(key).querySelector<HTMLInputElement>("input, textarea, select, [role=switch]");
  if (found === null) throw new Error(`no field of ${key}`);
  return found;
}

/** The text of an element, with spaces collapsed. */
export const text = (element: Element = document.body) =>
  (element.textContent ?? "").replace(/\s+/g, " ").trim();

type Changes = Record<string, SettingValue>;

/** A page with these settings, read again after each update. */
export function kept(inFile: Changes, refuse: (all: Changes) => SettingProblem[] = () => []) {
  let now = inFile;
  return {
    ...scenes.full,
    settings: () => pageWith(settingsWith(now)),
    checkSettings: (changes: Changes) => refuse({ ...now, ...changes }),
    updateSettings: (changes: Changes) => {
      const problems = refuse({ ...now, ...changes });
      if (problems.length === 0) {
        const next = { ...now, ...changes };
        now = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null));
      }
      return problems;
    },
  };
}
