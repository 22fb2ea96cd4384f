// One page of the window, with a fake backend.

import { cleanup, render } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { Component } from "svelte";
import { afterEach, expect, vi } from "vitest";
import type { Home } from "../src/api/types";
import { Navigation } from "../src/shell/navigation.svelte";
import Frame from "../src/testing/Frame.svelte";
import { FakeNative, type Scene } from "../src/testing/fake-native";
import { createLocale } from "../src/words/locale";

/** The time in every scene: 20 November 2026, 14:20 UTC. */
export const NOW = Date.UTC(2026, 10, 20, 14, 20);

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** Opens a page on a scene, once its first answers are rendered. */
export async function open(place: Component, scene: Scene | FakeNative, language = "en-GB") {
  // Only the clock is frozen; timers run.
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  const native = scene instanceof FakeNative ? scene : new FakeNative(scene);
  const navigation = new Navigation();
  const { container, unmount } = render(Frame, {
    native,
    locale: createLocale(language),
    place,
    navigation,
    home: homeOf(native.scene),
  });
  await drawn();
  return { native, navigation, container, unmount, user: userEvent.setup() };
}

/** The status of a scene that has one. */
export function homeOf({ home }: Scene): Home | null {
  return typeof home === "object" ? home : null;
}

/** Waits for pending answers: the fake answers at once. */
export async function drawn() {
  for (let turn = 0; turn < 4; turn++) await new Promise((later) => setTimeout(later));
}

/** The violations that axe reports. Colours are not rendered here: contrast.test.ts checks them. */
export async function wrongIn(container: Element, language: string) {
  document.documentElement.lang = language;
  document.title = "Porchlight";
  const { violations, passes } = await axe.run(container, {
    rules: { "color-contrast": { enabled: false } },
  });
  expect(passes.length).toBeGreaterThan(5);
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

/** English words left in visible or spoken text, except `kept`. */
export function englishLeft(kept: RegExp): string[] {
  const attributes = ["aria-label", "aria-valuetext", "alt", "title", "placeholder"].flatMap(
    (name) =>
      [...document.querySelectorAll(`[${name}]`)].map((one) => one.getAttribute(name) ?? ""),
  );
  const texts: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? "");
  const text = [...texts, ...attributes].join("\n").replace(kept, "");
  return text.match(/[A-Za-z]{2,}/g) ?? [];
}
