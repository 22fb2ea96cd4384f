// The pictures page with a fake backend and a layout that a test sets.

import { cleanup, render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { afterEach, beforeEach, vi } from "vitest";
import type { Home } from "../src/api/types";
import Images from "../src/images/Images.svelte";
import { Navigation } from "../src/shell/navigation.svelte";
import Frame from "../src/testing/Frame.svelte";
import { FakeNative, type Scene } from "../src/testing/fake-native";
import { lit } from "../src/testing/scenes/home";
import { scenes } from "../src/testing/scenes/images";
import { createLocale } from "../src/words/locale";

/** The time in every scene. */
export const NOW = Date.UTC(2026, 10, 20, 14, 20);

/** Where the grid begins on the page, in pixels. */
const GRID_TOP = 200;
/** Five pictures of 179 pixels in each row of this width, 191 pixels from row to row. */
const layout = { width: 944 };
const resized = new Set<() => void>();

class Observer implements ResizeObserver {
  readonly #call: () => void;
  constructor(call: ResizeObserverCallback) {
    this.#call = () => call([], this);
  }
  observe() {
    resized.add(this.#call);
  }
  unobserve() {}
  disconnect() {
    resized.delete(this.#call);
  }
}

beforeEach(() => {
  layout.width = 944;
  document.documentElement.scrollTop = 0;
  vi.stubGlobal("ResizeObserver", Observer);
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (
    this: HTMLElement,
  ) {
    return this.getAttribute("role") === "grid"
      ? new DOMRect(0, GRID_TOP - document.documentElement.scrollTop, layout.width, 10)
      : new DOMRect();
  });
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The name of a scene. */
export type SceneName = keyof typeof scenes;

/** Opens the page on a scene, or again in the same window. */
export async function open(
  scene: SceneName | Scene | FakeNative,
  language = "en-GB",
  { section = null as string | null, home = lit as Home | null } = {},
) {
  // Only the clock is frozen; timers run.
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  const native =
    scene instanceof FakeNative
      ? scene
      : new FakeNative(typeof scene === "string" ? scenes[scene] : scene);
  const navigation = new Navigation();
  navigation.to("images", section);
  const { container, unmount } = render(Frame, {
    native,
    locale: createLocale(language),
    place: Images,
    navigation,
    home,
  });
  await drawn();
  return { native, navigation, container, unmount, user: userEvent.setup() };
}

/** Waits until the answers are rendered. */
export async function drawn() {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((next) => setTimeout(next));
    await tick();
  }
}

/** Scrolls the page to this position in pixels. */
export async function scrollTo(pixels: number) {
  document.documentElement.scrollTop = pixels;
  document.dispatchEvent(new Event("scroll"));
  await drawn();
}

/** Gives the grid another width. */
export async function widen(width: number) {
  layout.width = width;
  for (const call of resized) call();
  await drawn();
}

/** The indexes of the rendered pictures, in order. */
export const places = () =>
  [...document.querySelectorAll<HTMLElement>("[data-index]")]
    .map((cell) => Number(cell.dataset.index))
    .sort((a, b) => a - b);

/** The rendered cell at this index. */
export function cell(index: number): HTMLElement {
  const found = document.querySelector<HTMLElement>(`[data-index="${index}"]`);
  if (found === null) throw new Error(`no picture ${index}`);
  return found;
}

/** The hash of the picture rendered at this index; `null` while it is loading. */
export const shown = (index: number) =>
  cell(index)
    .querySelector("img")
    ?.getAttribute("src")
    ?.match(/[0-9a-f]{32}/)?.[0] ?? null;

/** The indexes of the rendered selected pictures. */
export const selected = () =>
  [...document.querySelectorAll<HTMLElement>('[aria-selected="true"]')]
    .map((one) => Number(one.dataset.index))
    .sort((a, b) => a - b);

/** The index of the focused cell. */
export const focused = () => Number((document.activeElement as HTMLElement).dataset.index);

/** The text of the whole page, with spaces collapsed. */
export const text = () => (document.body.textContent ?? "").replace(/\s+/g, " ");

/** The button with this name. */
export const button = (name: string | RegExp) => screen.getByRole("button", { name });
