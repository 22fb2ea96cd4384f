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
const asked = (native: FakeNative, command: string) =>
  native.asked.filter((one) => one.startsWith(`settings.${command}`));

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(names)("axe finds nothing in %s", async (name) => {
    const { container } = await open(Game, scenes[name], language);
    expect(await wrongIn(container, language)).toEqual([]);
  });
});

test.for(names)("no English word is left in the Chinese window in %s", async (name) => {
  const { user } = await open(Game, scenes[name], "zh-CN");
  const test = screen.queryByRole("button", { name: "立即测试" });
  if (test !== null) await user.click(test);
  await drawn();
  const kept =
    /Porchlight|steamcommunity\.com\/dev\/apikey|SteamID|Steam|Hades II|Stardew Valley|Battle beyond[^.]*\.|\bH\b|~\/\.local\/share|Web API|\bID\b|\b(status|game|game_id|description|price|playtime|achievement_percentage)\b/g;
  expect(englishLeft(kept)).toEqual([]);
});

describe("what the blog reads", () => {
  test("is a card with cover, title, price, play time, achievements and since when", async () => {
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

  test("has the initial of the title where there is no cover, or none that loads", async () => {
    const { container, unmount } = await open(Game, scenes.plain);
    expect(container.querySelector(".cover img")).toBeNull();
    expect(container.querySelector(".cover")?.textContent?.trim()).toBe("H");
    expect(screen.getAllByText("Free").length).toBe(2);
    unmount();
    const other = await open(Game, scenes.playing);
    const cover = other.container.querySelector(".cover img");
    if (cover === null) throw new Error("no cover");
    await fireEvent.error(cover);
    expect(other.container.querySelector(".cover img")).toBeNull();
    expect(other.container.querySelector(".cover")?.textContent?.trim()).toBe("H");
  });

  test("is told as readers get it, with every field folded away", async () => {
    await open(Game, scenes.playing);
    expect(screen.getByText("47.2 h played · ¥ 112.00 · 38% of achievements")).toBeTruthy();
    const fields = screen.getByText("Raw data for developers", { selector: "summary" });
    expect((fields.parentElement as HTMLDetailsElement).open).toBe(false);
    const row = within(fields.parentElement as HTMLElement)
      .getByText("game_id")
      .closest("tr");
    expect(row?.textContent).toMatch(/1145350/);
  });

  test("says that no game runs, or that the owner is offline", async () => {
    const { unmount } = await open(Game, scenes.idle);
    expect(screen.getByRole("heading", { name: "Not playing" })).toBeTruthy();
    unmount();
    await open(Game, scenes.offline);
    expect(screen.getByRole("heading", { name: "Offline on Steam" })).toBeTruthy();
  });

  test("says why a game is not told", async () => {
    await open(Game, scenes.hidden);
    expect(screen.getByText("Hidden")).toBeTruthy();
    expect(screen.getByText(/Sharing is paused/)).toBeTruthy();
  });

  test("says why nothing better is known, and what to do where nothing is set up", async () => {
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

  test("begins with the Steam client, where nothing is set up", async () => {
    const { native, user } = await open(Game, scenes.unset);
    await user.click(button("Use Steam on this computer"));
    expect(asked(native, "update")).toEqual(['settings.update({"game.local_steam":true})']);
  });

  test("continues with an account, where there is no client", async () => {
    const { user } = await open(Game, scenes.notFound);
    expect(screen.queryByRole("button", { name: "Use Steam on this computer" })).toBeNull();
    await user.click(button("Add a Steam key"));
    await drawn();
    expect(document.activeElement).toBe(screen.getByLabelText("Steam Web API key"));
  });

  test("is read again when something has changed, and no more once another place is shown", async () => {
    const { native, unmount } = await open(Game, scenes.playing);
    native.answer("game", { read: { ...(await native.game.read()), recent: [] } });
    native.tell("home-changed", null);
    await drawn();
    expect(screen.getByText(/No recent games/)).toBeTruthy();
    unmount();
    await drawn();
    expect(native.listeners).toBe(0);
  });
});

test("what was played is told with times that are known, and those that are not", async () => {
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

describe("the key", () => {
  test("is written, once, and is nowhere to be seen then", async () => {
    const { native, user, container } = await open(Game, scenes.unset);
    expect(screen.getByText("No key")).toBeTruthy();
    await user.click(button("Add key"));
    const field = screen.getByLabelText("Steam Web API key") as HTMLInputElement;
    expect(field.type).toBe("password");
    expect(document.activeElement).toBe(field);
    await user.type(field, SECRET);
    native.answer("game", { read: { ...(await native.game.read()), hasKey: true } });
    await user.click(button("Save"));
    await drawn();
    expect(asked(native, "update")).toEqual([
      `settings.update({"game.steam_api_key":"${SECRET}"})`,
    ]);
    expect(screen.getByText("Key saved")).toBeTruthy();
    expect(container.innerHTML).not.toContain(SECRET);
    expect([...container.querySelectorAll("input")].map(({ value }) => value)).not.toContain(
      SECRET,
    );
    // Reopened, the field is empty.
    await user.click(button("Replace"));
    expect((screen.getByLabelText("Steam Web API key") as HTMLInputElement).value).toBe("");
  });

  test("that was typed is forgotten when the owner cancels", async () => {
    const { native, user } = await open(Game, scenes.playing);
    await user.click(button("Replace"));
    await user.type(screen.getByLabelText("Steam Web API key"), SECRET);
    await user.click(button("Cancel"));
    await user.click(button("Replace"));
    expect((screen.getByLabelText("Steam Web API key") as HTMLInputElement).value).toBe("");
    expect(native.asked.join(" ")).not.toContain(SECRET);
  });

  test("is removed by unsetting it", async () => {
    const { native, user } = await open(Game, scenes.playing);
    await user.click(button("Remove"));
    await drawn();
    expect(asked(native, "update")).toEqual(['settings.update({"game.steam_api_key":null})']);
    expect(screen.getByText("Key removed.")).toBeTruthy();
  });

  test("that is refused stays in its field, with the reason", async () => {
    const { native, user } = await open(Game, scenes.unset);
    native.answer("settings", { update: [{ key: "game.steam_api_key", why: words("too short") }] });
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

  test("is checked while it is typed, and kept by Enter", async () => {
    const { native, user } = await open(Game, scenes.unset);
    await user.type(field(), "7656");
    await vi.waitFor(() => expect(screen.getByText(/number of 17 digits\.$/)).toBeTruthy());
    expect(field().getAttribute("aria-invalid")).toBe("true");
    expect(asked(native, "update")).toEqual([]);
    await user.type(field(), "1197960287930{Enter}");
    await drawn();
    expect(asked(native, "update")).toEqual([
      'settings.update({"game.steam_id":"76561197960287930"})',
    ]);
    expect(field().getAttribute("aria-invalid")).toBe("false");
    expect(screen.getByText("SteamID saved.")).toBeTruthy();
  });

  test("shows no older answer over a newer one", async () => {
    const answers: ((problems: SettingProblem[]) => void)[] = [];
    const { native, user } = await open(Game, scenes.unset);
    native.answer("settings", { check: () => new Promise((answer) => answers.push(answer)) });
    await user.type(field(), "1");
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await user.type(field(), "2");
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.([]);
    answers[0]?.([{ key: "game.steam_id", why: words("of the older one") }]);
    await drawn();
    expect(screen.queryByText("of the older one")).toBeNull();
  });

  test("that is taken away is unset, and one that is left as it was is not written", async () => {
    const { native, user } = await open(Game, scenes.playing);
    await user.type(field(), "1{Backspace}");
    await user.tab();
    expect(asked(native, "update")).toEqual([]);
    await user.clear(field());
    await user.tab();
    await drawn();
    expect(asked(native, "update")).toEqual(['settings.update({"game.steam_id":null})']);
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
  expect(asked(native, "update")).toEqual([
    'settings.update({"game.local_steam":false})',
    'settings.update({"game.report_offline":true})',
  ]);
});

describe("asking both now", () => {
  test("says what each of them said", async () => {
    const { user } = await open(Game, scenes.playing);
    await user.click(button("Test connection"));
    await drawn();
    expect(screen.getByText(/Works: playing Hades II\./)).toBeTruthy();
    expect(screen.getByText(/Works: not playing\./)).toBeTruthy();
  });

  test("says that one is off, and why the other failed", async () => {
    const { user } = await open(Game, scenes.unset);
    await user.click(button("Test connection"));
    await drawn();
    expect(screen.getByText(/Off or not set up\./)).toBeTruthy();
    expect(screen.getByText(/Steam doesn’t accept the key \(error 403\): check it/)).toBeTruthy();
  });

  test("that does not work says so, and can be tried again", async () => {
    const { native, user } = await open(Game, scenes.playing);
    native.failure = "The service is not there.";
    await user.click(button("Test connection"));
    await drawn();
    expect(screen.getAllByText(/The service is not there\./).length).toBeGreaterThan(0);
    expect(button("Test connection").hasAttribute("disabled")).toBe(false);
  });
});
