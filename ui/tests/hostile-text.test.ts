// Untrusted text (programs, titles, games) is shown as text in the window, never as markup.

import { expect, test } from "vitest";
import Game from "../src/game/Game.svelte";
import Presence from "../src/presence/Presence.svelte";
import type { Scene } from "../src/testing/fake-native";
import { scenes as game } from "../src/testing/scenes/game";
import { scenes as home } from "../src/testing/scenes/home";
import { scenes as presence } from "../src/testing/scenes/presence";
import { open as openPlace } from "./framed";
import { open as openWindow } from "./window";

const MARKUP = "<img src=x onerror=alert(1)>";
const HOSTILE = `</script></style>${MARKUP}<svg onload=alert(1)>\u202e"'\u001b[2J\u0000${"\u0301".repeat(10_000)}`;

/** A copy of `value` in which `text` replaces each string that matches. */
function replaced(value: unknown, match: RegExp, text: string): unknown {
  if (typeof value === "string") return match.test(value) ? text : value;
  if (typeof value === "function")
    return (...asked: unknown[]) => replaced(value(...asked), match, text);
  if (Array.isArray(value)) return value.map((one) => replaced(one, match, text));
  if (value === null || typeof value !== "object" || value instanceof Promise) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaced(one, match, text)]),
  );
}

const openPresence = (scene: Scene) => openPlace(Presence, scene);
const openGame = (scene: Scene) => openPlace(Game, scene);

test.for([
  ["home", openWindow, home.good, /^(Zed|写代码 & tea|Hades II)$/],
  ["presence", openPresence, presence.full, /^(Zed|写代码.*|Firefox|porchlight — .*|dev\..*)$/],
  ["game", openGame, game.playing, /^(Hades II|Stardew Valley|Battle .*|¥ .*|~\/.*)$/],
] as const)("%s shows hostile text as text", async ([, open, scene, match]) => {
  const plain = await open(replaced(scene, match, "plain") as Scene);
  const elements = plain.container.querySelectorAll("*").length;
  plain.unmount();
  const { container } = await open(replaced(scene, match, HOSTILE) as Scene);
  expect(container.textContent).toContain(MARKUP);
  expect(container.querySelector("script, style, [onerror], [onload], [src='x']")).toBeNull();
  expect(container.querySelectorAll("*").length).toBe(elements);
});
