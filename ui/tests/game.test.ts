import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { SettingProblem } from "../src/api/types";
import Game from "../src/game/Game.svelte";
import type { FakeNative } from "../src/testing/fake-native";
import { scenes } from "../src/testing/scenes/game";
import { text as words } from "../src/testing/text";
import { drawn, englishLeft, open, wrongIn } from "./framed";

type Name = keyof typeof scenes;
const names = Object.keys(scenes) as Name[];
const SECRET = "0123456789ABCDEF0123456789ABCDEF";

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const updates = (native: FakeNative) =>
  native.calls.filter((one) => one.startsWith("updateSettings("));

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(names)("axe reports no violations in %s", async (name) => {
    const { container } = await open(Game, scenes[name], language);
    expect(await wrongIn(container, language)).toEqual([]);
  });
});

test.for(names)("the Chinese window has no English words in %s", async (name) => {
  const { user } = await open(Game, scenes[name], "zh-CN");
  const test = screen.queryByRole("button", { name: "立即测试" });
  if (test !== null) await user.click(test);
  await drawn();
  const kept =
    /Porchlight’s database failed: [\w ,]+|Porchlight|steamcommunity\.com\/dev\/apikey|SteamID|Steam|Hades II|Stardew Valley|Battle beyond[^.]*\.|\bH\b|~\/\.local\/share|Web API|\bID\b|\b(status|game|game_id|description|price|playtime|achievement_percentage)\b/g;
  expect(englishLeft(kept)).toEqual([]);
});

describe("the current game", () => {
  test("is a card with cover, title, price, play time, achievements and start time", async () => {
    const { container } = await open(Game, scenes.playing);
    const card = screen.getByRole("heading", { name: "Hades II" }).closest("section");
    expect(card?.textContent).toMatch(/Playing since 13:32/);
    const facts = [...container.querySelectorAll("dl > div")].map((one) =>
      [...one.children].map(({ textContent }) => textContent?.trim()).join(": "),
    );
    expect(facts).toEqual(["Played in all: 47.2 h", "Price: ¥ 112.00", "Achievements: 19 of 50"]);
    const bar = screen.getByRole("progressbar", { name: "Achievements" });
    expect(bar.getAttribute("aria-valuenow")).toBe("38");
    const cover = container.querySelector<HTMLImageElement>(".cover img");
    expect(cover?.getAttribute("src")).toBe("picture://localhost/game-1145350?w=460");
    expect(screen.getByText("From Steam on this computer")).toBeTruthy();
  });

  test("shows the initial of the title if there is no cover or it fails to load", async () => {
    const { container, unmount } = await open(Game, scenes.plain);
    expect(container.querySelector(".cover img")).toBeNull();
    expect(container.querySelector(".cover svg")).not.toBeNull();
    expect(screen.getAllByText("Free").length).toBe(2);
    unmount();
    const other = await open(Game, scenes.playing);
    const cover = other.container.querySelector(".cover img");
    if (cover === null) throw new Error("no cover");
    await fireEvent.error(cover);
    expect(other.container.querySelector(".cover img")).toBeNull();
    expect(other.container.querySelector(".cover svg")).not.toBeNull();
  });

  test("is shown as readers see it, with the raw fields collapsed", async () => {
    await open(Game, scenes.playing);
    expect(screen.getByText("47.2 h played · ¥ 112.00 · 38% of achievements")).toBeTruthy();
    const fields = screen.getByText("Raw data for developers", { selector: "summary" });
    expect((fields.parentElement as HTMLDetailsElement).open).toBe(false);
    const row = within(fields.parentElement as HTMLElement)
      .getByText("game_id")
      .closest("tr");
    expect(row?.textContent).toMatch(/1145350/);
  });

  test("shows that no game is running, or that the user is offline", async () => {
    const { unmount } = await open(Game, scenes.idle);
    expect(screen.getByRole("heading", { name: "Not playing" })).toBeTruthy();
    unmount();
    await open(Game, scenes.offline);
    expect(screen.getByRole("heading", { name: "Offline on Steam" })).toBeTruthy();
  });

  test("shows why a game is hidden", async () => {
    await open(Game, scenes.hidden);
    expect(screen.getByText("Hidden")).toBeTruthy();
    expect(screen.getByText(/Sharing is paused/)).toBeTruthy();
  });

  test("shows why the game is unknown, and what to do if no source is set up", async () => {
    const { unmount } = await open(Game, scenes.failing);
    expect(
      screen
        .getByText(/Steam doesn’t accept the key \(error 403\): check it/)
        .closest("[role=alert]"),
    ).not.toBeNull();
    unmount();
    await open(Game, scenes.unset);
    expect(screen.getByText(/the Steam game you’re playing/, { selector: "p" })).toBeTruthy();
    expect(screen.queryByText(/game\.steam_api_key/)).toBeNull();
  });

  test("offers the Steam client first if no source is set up", async () => {
    const { native, user } = await open(Game, scenes.unset);
    await user.click(button("Use Steam on this computer"));
    expect(updates(native)).toEqual(['updateSettings({"game.local_steam":true})']);
  });

  test("offers a Steam account if there is no client", async () => {
    const { user } = await open(Game, scenes.notFound);
    expect(screen.queryByRole("button", { name: "Use Steam on this computer" })).toBeNull();
    await user.click(button("Add a Steam key"));
    await drawn();
    expect(document.activeElement).toBe(screen.getByLabelText("Steam Web API key"));
  });

  test("is read again on changes until another page is opened", async () => {
    const { native, unmount } = await open(Game, scenes.playing);
    native.answer({ game: { ...(await native.game()), recent: [] } });
    native.emit("home-changed", null);
    await drawn();
    expect(screen.getByText(/No recent games/)).toBeTruthy();
    unmount();
    await drawn();
    expect(native.listeners).toBe(0);
  });
});

test("recently played games are listed with known and unknown times", async () => {
  await open(Game, scenes.playing);
  const table = screen.getByRole("table", { name: "Recently played" });
  const text = within(table)
    .getAllByRole("row")
    .map((row) => [...row.children].map((cell) => cell.textContent?.trim()).join(" | "));
  expect(text.slice(1)).toEqual([
    "Hades II | 10.2 h | 47.2 h | 40 seconds ago",
    "Stardew Valley | 41 min | 152 h | 3 days ago",
    "空洞骑士 | unknown | 25.5 h | unknown",
  ]);
});

describe("the Steam key", () => {
  test("is written once and never shown afterwards", async () => {
    const { native, user, container } = await open(Game, scenes.unset);
    expect(screen.getByText("No key")).toBeTruthy();
    await user.click(button("Add key"));
    const field = screen.getByLabelText("Steam Web API key") as HTMLInputElement;
    expect(field.type).toBe("password");
    expect(document.activeElement).toBe(field);
    await user.type(field, SECRET);
    native.answer({ game: { ...(await native.game()), hasKey: true } });
    await user.click(button("Save"));
    await drawn();
    expect(updates(native)).toEqual([`updateSettings({"game.steam_api_key":"${SECRET}"})`]);
    expect(screen.getByText("Key saved")).toBeTruthy();
    expect(container.innerHTML).not.toContain(SECRET);
    expect([...container.querySelectorAll("input")].map(({ value }) => value)).not.toContain(
      SECRET,
    );
    // Reopened, the field is empty.
    await user.click(button("Replace"));
    expect((screen.getByLabelText("Steam Web API key") as HTMLInputElement).value).toBe("");
  });

  test("is discarded on cancel", async () => {
    const { native, user } = await open(Game, scenes.playing);
    await user.click(button("Replace"));
    await user.type(screen.getByLabelText("Steam Web API key"), SECRET);
    await user.click(button("Cancel"));
    await user.click(button("Replace"));
    expect((screen.getByLabelText("Steam Web API key") as HTMLInputElement).value).toBe("");
    expect(native.calls.join(" ")).not.toContain(SECRET);
  });

  test("is removed by unsetting the setting", async () => {
    const { native, user } = await open(Game, scenes.playing);
    await user.click(button("Remove"));
    await drawn();
    expect(updates(native)).toEqual(['updateSettings({"game.steam_api_key":null})']);
    expect(screen.getByText("Key removed.")).toBeTruthy();
  });

  test("stays in its field with the reason if it is rejected", async () => {
    const { native, user } = await open(Game, scenes.unset);
    native.answer({ updateSettings: [{ key: "game.steam_api_key", why: words("too short") }] });
    await user.click(button("Add key"));
    await user.type(screen.getByLabelText("Steam Web API key"), "abc{Enter}");
    await drawn();
    expect(screen.getByText("too short")).toBeTruthy();
    expect((screen.getByLabelText("Steam Web API key") as HTMLInputElement).value).toBe("abc");
    expect(screen.queryByText("Key saved.")).toBeNull();
  });
});

describe("the SteamID", () => {
  const field = () => screen.getByLabelText("SteamID") as HTMLInputElement;

  test("is checked while typing and written on Enter", async () => {
    const { native, user } = await open(Game, scenes.unset);
    await user.type(field(), "7656");
    await vi.waitFor(() => expect(screen.getByText(/number of 17 digits\.$/)).toBeTruthy());
    expect(field().getAttribute("aria-invalid")).toBe("true");
    expect(updates(native)).toEqual([]);
    await user.type(field(), "1197960287930{Enter}");
    await drawn();
    expect(updates(native)).toEqual(['updateSettings({"game.steam_id":"76561197960287930"})']);
    expect(field().getAttribute("aria-invalid")).toBe("false");
    expect(screen.getByText("SteamID saved.")).toBeTruthy();
  });

  test("ignores the answer to an older check", async () => {
    const answers: ((problems: SettingProblem[]) => void)[] = [];
    const { native, user } = await open(Game, scenes.unset);
    native.answer({ checkSettings: () => new Promise((answer) => answers.push(answer)) });
    await user.type(field(), "1");
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await user.type(field(), "2");
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.([]);
    answers[0]?.([{ key: "game.steam_id", why: words("of the older one") }]);
    await drawn();
    expect(screen.queryByText("of the older one")).toBeNull();
  });

  test("is unset if emptied, and not written if unchanged", async () => {
    const { native, user } = await open(Game, scenes.playing);
    await user.type(field(), "1{Backspace}");
    await user.tab();
    expect(updates(native)).toEqual([]);
    await user.clear(field());
    await user.tab();
    await drawn();
    expect(updates(native)).toEqual(['updateSettings({"game.steam_id":null})']);
  });
});

test("the switches write their settings", async () => {
  const { native, user } = await open(Game, scenes.playing);
  const client = screen.getByRole("switch", { name: "Use Steam on this computer" });
  expect(client.getAttribute("aria-checked")).toBe("true");
  await user.click(client);
  const offline = screen.getByRole("switch", { name: "Tell your blog when Steam is offline" });
  expect(offline.getAttribute("aria-checked")).toBe("false");
  await user.click(offline);
  expect(updates(native)).toEqual([
    'updateSettings({"game.local_steam":false})',
    'updateSettings({"game.report_offline":true})',
  ]);
});
