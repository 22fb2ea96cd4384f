// The log in the page "settings".

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { scenes } from "../src/testing/scenes/settings";
import { open, text } from "./settings-place";

const button = (name: string) => screen.getByRole("button", { name });

describe("the log", () => {
  const lines = () => within(screen.getByRole("listbox")).queryAllByRole("option");

  test("shows the lines that match the level and the filter text", async () => {
    const { user } = await open("full", "maintenance");
    await vi.waitFor(() => expect(lines().length).toBe(33));
    await user.selectOptions(screen.getByRole("combobox", { name: "Level" }), "ERROR");
    expect(lines().every((line) => text(line).includes("ERROR"))).toBe(true);
    await user.selectOptions(screen.getByRole("combobox", { name: "Level" }), "DEBUG");
    expect(lines().length).toBe(40);
    await user.type(screen.getByRole("textbox", { name: "Filter" }), "HEIC");
    expect(lines().length).toBe(7);
    await user.type(screen.getByRole("textbox", { name: "Filter" }), "!");
    expect(text()).toContain("No matching lines.");
  });

  test("reads at most a thousand lines, and again on new lines while following", async () => {
    const { native, user, unmount } = await open("full", "maintenance");
    const asked = () => native.calls.filter((one) => one === "logLines(1000)").length;
    expect(asked()).toBe(1);
    native.emit("log-changed", null);
    expect(asked()).toBe(2);
    const follow = screen.getByRole("switch", { name: "Auto-scroll" });
    await user.click(follow);
    expect(follow.getAttribute("aria-checked")).toBe("false");
    native.emit("log-changed", null);
    expect(asked()).toBe(2);
    await user.click(follow);
    expect(asked()).toBe(3);
    unmount();
    await vi.waitFor(() => expect(native.listeners).toBe(0));
    native.emit("log-changed", null);
    expect(asked()).toBe(3);
  });

  test("shows local times, with the day if it is not today", async () => {
    const log = [
      { at: "2026-11-18T12:00:07.123456Z", level: "INFO", text: "yesterday" },
      { at: "2026-11-20T14:05:07.5Z", level: "INFO", text: "today" },
      { at: "", level: "INFO", text: "no time" },
    ];
    await open({ ...scenes.full, logLines: log }, "maintenance");
    await vi.waitFor(() => expect(lines().length).toBe(3));
    const at = (n: number) => text(lines()[n]?.querySelector(".at") as Element);
    const clock = (moment: string) =>
      new Date(moment).toLocaleTimeString("en-GB", {
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      });
    expect(at(1)).toBe(clock("2026-11-20T14:05:07.5Z"));
    expect(at(0)).toBe(`18 Nov, ${clock("2026-11-18T12:00:07Z")}`);
    expect(at(2)).toBe("");
    expect(lines()[1]?.querySelector(".at")?.getAttribute("title")).toBe("2026-11-20T14:05:07.5Z");
  });

  test("copies a line selected by keyboard", async () => {
    const { native, user } = await open("full", "maintenance");
    await vi.waitFor(() => expect(lines().length).toBe(33));
    screen.getByRole("listbox").focus();
    await user.keyboard("{End}{ArrowUp}");
    expect(lines()[31]?.getAttribute("aria-selected")).toBe("true");
    await user.click(button("Copy line"));
    await screen.findByText("Line copied");
    expect(native.calls).toContain(
      'copyLogLine("2026-11-20T14:37:07Z INFO tunnel: up at https://light.example.org")',
    );
  });
});
