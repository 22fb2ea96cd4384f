// What the settings page keeps after a visit to another page, or in another language.

import { screen, within } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import type { WorkReport } from "../src/api/types";
import { pageWith, scenes, settingsWith } from "../src/testing/scenes/settings";
import { text as words } from "../src/testing/text";
import { field, open, row, text } from "./settings-place";

const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const report: WorkReport = {
  kind: "check",
  good: 1_204,
  wrong: [],
  mended: 0,
  file: null,
  secrets: [],
  alreadyHere: 0,
  cancelled: false,
  adopted: null,
};

test("the result of a check stays after leaving its group", async () => {
  const { native, user } = await open("full", "maintenance");
  native.answer({ checkImages: report });
  await user.click(button("Check all pictures"));
  await screen.findByText(/1,204 pictures OK/);
  await user.click(screen.getByRole("tab", { name: "Links" }));
  expect(text()).not.toContain("1,204 pictures");
  await user.click(screen.getByRole("tab", { name: "Backup & repair" }));
  expect(text()).toContain("1,204 pictures OK.");
});

test("the last open group is open at the next visit", async () => {
  const { native, user, unmount } = await open("full", "links");
  await user.click(screen.getByRole("tab", { name: "Storage" }));
  unmount();
  // The side bar does not select a group.
  await open(native, null);
  const selected = screen.getByRole("tab", { selected: true });
  expect(text(selected)).toBe("Storage");
});

test("unsaved input is kept and marked as not saved", async () => {
  const { native, user, unmount } = await open("full", "service");
  native.answer({
    updateSettings: [{ key: "server.public_url", why: words("it is no address") }],
  });
  const refused = field("server.public_url");
  await user.clear(refused);
  await user.type(refused, "nowhere{Enter}");
  await vi.waitFor(() => expect(text(row("server.public_url"))).toContain("it is no address"));
  await user.click(screen.getByRole("tab", { name: "Game" }));
  await user.click(
    within(row("game.steam_api_key")).getByRole("button", { name: /^(Set it|Replace):/ }),
  );
  await user.type(field("game.steam_api_key"), "hush");
  unmount();
  const second = await open(native, "service", "zh-CN");
  expect(field("server.public_url").value).toBe("nowhere");
  expect(text(row("server.public_url"))).toContain("it is no address");
  expect(text(row("server.public_url"))).toContain("尚未保存");
  second.unmount();
  await open(native, "game");
  expect(field("game.steam_api_key").value).toBe("hush");
  expect(text(row("game.steam_api_key"))).toContain("Not saved yet");
});

test("a named tunnel without its name yet is kept as a named tunnel", async () => {
  const scene = {
    ...scenes.full,
    settings: pageWith(settingsWith({})),
  };
  const { native, user, unmount } = await open(scene, "tunnel");
  await user.click(screen.getByRole("radio", { name: "Cloudflare named tunnel" }));
  unmount();
  await open(native, "tunnel");
  expect(
    screen.getByRole<HTMLInputElement>("radio", { name: "Cloudflare named tunnel" }).checked,
  ).toBe(true);
  expect(text()).toContain("Starts when you’ve filled in the fields below.");
});

test("the tunnel state is read only while its group is open", async () => {
  const reads = () => native.calls.filter((one) => one === "home()").length;
  const { native, user } = await open("full", "app");
  native.emit("home-changed", undefined as never);
  expect(reads()).toBe(0);
  await user.click(screen.getByRole("tab", { name: "Tunnel" }));
  await vi.waitFor(() => expect(text()).toContain("42 ms round trip"));
  const before = reads();
  expect(before).toBeGreaterThan(0);
  native.emit("home-changed", undefined as never);
  await vi.waitFor(() => expect(reads()).toBe(before + 1));
  await user.click(screen.getByRole("tab", { name: "Links" }));
  native.emit("home-changed", undefined as never);
  await new Promise((drawn) => setTimeout(drawn));
  expect(reads()).toBe(before + 1);
});
