// Empty states: an unlit lamp, one sentence and one button.

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

const unplayed = { ...game.playing, game: { ...game.playing.game, recent: [] } };
const settings = (section: string) => openSettings("first", section);

test.for([
  ["rules", /^No rules yet/, "Add rule", () => open(Presence, presence.empty)],
  ["the past", /^Nothing shared yet$/, "Go to Home", () => open(Presence, presence.empty)],
  ["games", /^No recent games/, "Refresh", () => open(Game, unplayed)],
  ["readers", /^No readers in/, "Add to your blog…", () => open(Statistics, statistics.quiet)],
  ["pictures", /^No picture views/, "All pictures", () => open(Statistics, statistics.quiet)],
  ["tokens", /^No tokens yet/, "New token…", () => settings("tokens")],
] as const)(
  "without %s the page shows a lamp, a sentence and one button",
  async ([, sentence, does, at]) => {
    await at();
    const place = screen.getByText(sentence).closest<HTMLElement>(".empty");
    if (place === null) throw new Error("not drawn");
    expect(within(place).getByRole("img", { name: "An unlit porch lamp" })).toBeTruthy();
    expect(within(place).getAllByRole("button", { name: does }).length).toBe(1);
    // And not a second time beside it.
    expect(screen.getAllByRole("button", { name: does }).length).toBe(1);
  },
);

test("the buttons of empty states run their actions", async () => {
  const rules = await open(Presence, presence.empty);
  await rules.user.click(screen.getByRole("button", { name: "Add rule" }));
  await drawn();
  expect(screen.getByLabelText("App")).toBeTruthy();
  await rules.user.click(screen.getByRole("button", { name: "Go to Home" }));
  expect(rules.navigation.place).toBe("home");
  rules.unmount();

  const played = await open(Game, unplayed);
  const reads = () => played.native.calls.filter((one) => one === "game()").length;
  const before = reads();
  await played.user.click(screen.getByRole("button", { name: "Refresh" }));
  expect(reads()).toBe(before + 1);
  played.unmount();

  const seen = await open(Statistics, statistics.quiet);
  await seen.user.click(screen.getByRole("button", { name: "All pictures" }));
  expect(seen.navigation.place).toBe("images");
});
