// The keys that upload what was copied, in the page "settings".

import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { Message } from "../src/api/types";
import { shortcut } from "../src/settings/fields/shortcut";
import { pageWith, scenes, settingsWith } from "../src/testing/scenes/settings";
import { open, row, text } from "./settings-place";

const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("the global shortcut", () => {
  test("is set by pressing the keys", async () => {
    const { native, user } = await open(scenes.full, "app");
    await user.click(button("Record shortcut"));
    await user.keyboard("{Control>}{Alt>}u{/Alt}{/Control}");
    expect(native.calls).toContain('updateSettings({"app.upload_shortcut":"Ctrl+Alt+U"})');
  });

  test("shows whether the desktop accepted the keys, and why not", async () => {
    const stands = (possible: boolean, trouble: Message | null, given: string | null) => ({
      ...scenes.full,
      settings: () => pageWith(settingsWith({}), { shortcut: { possible, trouble, given } }),
    });
    const { native } = await open(stands(true, { code: "keys_taken" }, null), "app");
    expect(text(row("app.upload_shortcut"))).toContain("Another program has these keys already");
    expect(button("Record shortcut").hasAttribute("disabled")).toBe(false);
    native.answer(stands(true, null, "Ctrl+Alt+U"));
    native.emit("settings-changed", null);
    await vi.waitFor(() =>
      expect(text(row("app.upload_shortcut"))).toContain("Your desktop assigned Ctrl+Alt+U."),
    );
    native.answer(stands(false, { code: "no_portal" }, null));
    native.emit("settings-changed", null);
    await vi.waitFor(() => expect(button("Record shortcut").hasAttribute("disabled")).toBe(true));
  });

  test("cannot be an ordinary key without a modifier", () => {
    const bare = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
    expect(shortcut({ ...bare, code: "KeyU" })).toBeNull();
    expect(shortcut({ ...bare, shiftKey: true, code: "KeyU" })).toBeNull();
    expect(shortcut({ ...bare, code: "F9" })).toBe("F9");
    expect(shortcut({ ...bare, metaKey: true, code: "Digit4" })).toBe("Super+4");
    expect(shortcut({ ...bare, ctrlKey: true, code: "ControlLeft" })).toBeNull();
  });
});
