// A settings file that was edited by hand.

import { screen, within } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { inTheFile } from "../src/settings/file";
import { pageWith, scenes, settingsWith, wrongFile } from "../src/testing/scenes/settings";
import { text as words } from "../src/testing/text";
import { speak } from "../src/words/locale";
import { field, open, text } from "./settings-place";

test("what is edited well is in the fields as soon as it counts", async () => {
  const { native } = await open("full", "images");
  native.answer("settings", { read: pageWith(settingsWith({ "images.quality": 33 })) });
  native.tell("settings-changed", null);
  await vi.waitFor(() => expect(field("images.quality").value).toBe("33"));
});

test("what is wrong in it stands above all settings, with its line, until it is mended", async () => {
  const { native, user } = await open("wrongFile");
  const said = () => screen.queryByText(/There’s a mistake in settings.toml/)?.closest("section");
  const alert = said() as HTMLElement;
  expect(alert.getAttribute("role")).toBe("alert");
  const [first, second] = within(alert).getAllByRole("listitem").map(text);
  expect(first).toBe("line 12, images.quality: 500 is out of bounds: from 1 to 100.");
  expect(second).toBe("line 14: There is no setting images.qualty; did you mean images.quality?");
  expect(text(alert)).toContain("/porchlight/settings.toml");
  await user.click(within(alert).getByRole("button", { name: "Open folder" }));
  expect(native.asked).toContain('settings.openFolder("data")');
  native.answer("settings", { read: scenes.full.settings.read });
  native.tell("settings-changed", null);
  await vi.waitFor(() => expect(said() ?? null).toBeNull());
});

test("the first page says it in one line, in the owner's language", () => {
  expect(inTheFile(wrongFile, speak("zh-CN"))).toBe(
    "第 12 行，images.quality：500 超出范围：应在 1 到 100 之间。",
  );
  expect(inTheFile([{ line: null, key: null, why: words("it is gone") }], speak("en-GB"))).toBe(
    "it is gone",
  );
});
