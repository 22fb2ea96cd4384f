// Where there is nothing yet: an unlit lamp, one sentence and one button.

import { screen, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import Game from "../src/game/Game.svelte";
import Presence from "../src/presence/Presence.svelte";
import Statistics from "../src/statistics/Statistics.svelte";
import { scenes as game } from "../src/testing/scenes/game";
import { scenes as presence } from "../src/testing/scenes/presence";
import { scenes as statistics } from "../src/testing/scenes/statistics";
import { drawn, open } from "./framed";
import { open as openSettings } from "./settings-place";

const unplayed = { ...game.playing, game: { read: { ...game.playing.game.read, recent: [] } } };
const settings = (section: string) => openSettings("first", section);

test.for([
  ["rules", /^No rules yet/, "Add a rule", () => open(Presence, presence.empty)],
  ["the past", /^Nothing was told$/, "Look at the light", () => open(Presence, presence.empty)],
  ["games", /^No game was played lately/, "Look again", () => open(Game, unplayed)],
  ["calls", /^Nobody called/, "Show me the address", () => open(Statistics, statistics.quiet)],
  ["paths", /^Nothing was asked for/, "Copy the address", () => open(Statistics, statistics.quiet)],
  ["pictures", /^Nobody (has )?looked/, "All pictures", () => open(Statistics, statistics.quiet)],
  ["tokens", /^There are no tokens/, "New token…", () => settings("tokens")],
] as const)("without %s there is a lamp, a sentence and one button", async ([, said, does, at]) => {
  await at();
  const place = screen.getByText(said).closest<HTMLElement>(".empty");
  if (place === null) throw new Error("not drawn");
  expect(within(place).getByRole("img", { name: "A porch lamp, not lit" })).toBeTruthy();
  expect(within(place).getAllByRole("button", { name: does }).length).toBe(1);
  // And not a second time beside it.
  expect(screen.getAllByRole("button", { name: does }).length).toBe(1);
});

test("the buttons do what they say", async () => {
  const rules = await open(Presence, presence.empty);
  await rules.user.click(screen.getByRole("button", { name: "Add a rule" }));
  await drawn();
  expect(screen.getByLabelText("Program")).toBeTruthy();
  await rules.user.click(screen.getByRole("button", { name: "Look at the light" }));
  expect(rules.going.place).toBe("home");
  rules.unmount();

  const played = await open(Game, unplayed);
  const reads = () => played.native.asked.filter((one) => one === "game.read()").length;
  const before = reads();
  await played.user.click(screen.getByRole("button", { name: "Look again" }));
  expect(reads()).toBe(before + 1);
  played.unmount();

  const calls = await open(Statistics, statistics.quiet);
  await calls.user.click(screen.getByRole("button", { name: "Copy the address" }));
  expect(calls.native.asked).toContain("home.copyAddress()");
  await screen.findByText("The address is on the clipboard");
  await calls.user.click(screen.getByRole("button", { name: "Show me the address" }));
  expect(calls.going.place).toBe("home");
});
