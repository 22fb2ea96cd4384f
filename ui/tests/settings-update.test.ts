// The check for updates in the settings.

import { screen } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import type { UpdateCheck, UpdateFailure } from "../src/api/types";
import { FakeNative } from "../src/testing/fake-native";
import { scenes } from "../src/testing/scenes/settings";
import { open, text } from "./settings-place";

const ready = () => screen.findByRole("button", { name: "Check for updates" });

/** What the window says about this result. */
async function resultText(found: UpdateCheck, language = "en-GB") {
  const native = new FakeNative(scenes.updates);
  native.answer({ checkForUpdates: found });
  const { user, container, unmount } = await open(native, "app", language);
  const name = language === "en-GB" ? "Check for updates" : "检查更新";
  await user.click(await screen.findByRole("button", { name }));
  const found_ = () => container.querySelector(".found") as Element;
  await vi.waitFor(() => expect(text(found_())).not.toBe(""));
  const words = text(found_());
  unmount();
  return words;
}

const failed = (why: UpdateFailure): UpdateCheck => ({
  running: "0.1.0",
  result: { state: "failed", why },
  way: { by: "download" },
});

test("the update check is hidden if no address is set", async () => {
  await open("full");
  expect(screen.queryByRole("button", { name: "Check for updates" })).toBeNull();
});

test("the check runs only on click, and shows the changes and how to update", async () => {
  const { native, user } = await open("updates");
  const button = await ready();
  expect(native.calls).not.toContain("checkForUpdates()");
  let answer: (found: UpdateCheck) => void = () => undefined;
  const answered = new Promise<UpdateCheck>((resolve) => {
    answer = resolve;
  });
  native.answer({ checkForUpdates: () => answered });
  await user.click(button);
  const busy = screen.getByRole<HTMLButtonElement>("button", { name: "Checking…" });
  expect(busy.disabled).toBe(true);
  answer(scenes.updates.checkForUpdates);
  await ready();
  expect(text()).toContain("Porchlight 0.2.0 is available. You have 0.1.0. - 1 - 2 - 3");
  expect(text()).toContain(
    "Update it in a terminal: sudo apt update && sudo apt install porchlight",
  );
  expect(text()).toContain("Download it from: https://light.example.org/releases/0.2.0");
});

test("each result has its own text", async () => {
  const now: UpdateCheck = {
    running: "0.1.0",
    result: { state: "up_to_date" },
    way: { by: "download" },
  };
  expect(await resultText(now)).toBe("Porchlight 0.1.0 is up to date.");
  expect(await resultText(now, "zh-CN")).toBe("Porchlight 0.1.0 已是最新版本。");
  const newer = scenes.updates.checkForUpdates;
  expect(await resultText({ ...newer, way: { by: "system" } })).toContain(
    "the way you installed it",
  );
  expect(await resultText({ ...newer, way: { by: "download" } })).not.toContain("installed");
  expect(await resultText(failed({ code: "altered" }))).toContain("doesn’t match its signature");
  expect(await resultText(failed({ code: "no_key" }))).toContain("signing key");
  const status: UpdateFailure = { code: "status", file: "https://a.example/l.json", status: 404 };
  expect(await resultText(failed(status))).toContain(
    "https://a.example/l.json answered with status 404",
  );
  const why = { code: "connection_refused", parameters: { text: "refused" } } as const;
  expect(await resultText(failed({ code: "unreachable", why }))).toMatch(
    /Couldn’t check for updates. ./,
  );
});

test("a failed check can be repeated", async () => {
  const { native, user } = await open("updates");
  await ready();
  native.failure = "gone";
  await user.click(await ready());
  expect((await ready()) as HTMLButtonElement).toHaveProperty("disabled", false);
});
