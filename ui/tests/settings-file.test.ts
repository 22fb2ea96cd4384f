// A settings file that was edited by hand.

import { screen, within } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { firstFileProblem } from "../src/settings/file";
import { pageWith, scenes, settingsWith, wrongFile } from "../src/testing/scenes/settings";
import { text as words } from "../src/testing/text";
import { createLocale } from "../src/words/locale";
import { field, open, text } from "./settings-place";

test("a valid edit of the file appears in the fields", async () => {
  const { native } = await open("full", "images");
  native.answer({ settings: pageWith(settingsWith({ "images.quality": 33 })) });
  native.emit("settings-changed", null);
  await vi.waitFor(() => expect(field("images.quality").value).toBe("33"));
});

test("problems in the file are shown above all settings with their lines until they are fixed", async () => {
  const { native, user } = await open("wrongFile");
  const problemCard = () =>
    screen.queryByText(/There’s a mistake in settings.toml/)?.closest("section");
  const alert = problemCard() as HTMLElement;
  expect(alert.getAttribute("role")).toBe("alert");
  const [first, second] = within(alert).getAllByRole("listitem").map(text);
  expect(first).toBe("line 12, images.quality: 500 is out of bounds: from 1 to 100.");
  expect(second).toBe("line 14: Unknown key images.qualty, did you mean images.quality?");
  expect(text(alert)).toContain("/porchlight/settings.toml");
  await user.click(within(alert).getByRole("button", { name: "Open folder" }));
  expect(native.calls).toContain('openFolder("data")');
  native.answer({ settings: scenes.full.settings });
  native.emit("settings-changed", null);
  await vi.waitFor(() => expect(problemCard() ?? null).toBeNull());
});

test("the home page shows the first problem in one line, in the user's language", () => {
  expect(firstFileProblem(wrongFile, createLocale("zh-CN"))).toBe(
    "第 12 行，images.quality：500 超出范围：应在 1 到 100 之间。",
  );
  expect(
    firstFileProblem([{ line: null, key: null, why: words("it is gone") }], createLocale("en-GB")),
  ).toBe("it is gone");
});
