// Uncaught errors are shown and never leave an empty window.

import { cleanup, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Native } from "../src/api/interface";
import { open as draw, type Whole } from "../src/opening";
import { FakeNative } from "../src/testing/fake-native";
import { scenes } from "../src/testing/scenes/home";
import { open, text } from "./window";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const notice = () =>
  screen
    .getAllByRole("alert")
    .map((one) => one.textContent?.trim())
    .join();

describe("failed subscriptions", () => {
  test.for(["Home", "Pictures", "Presence", "Game", "Statistics", "Settings"])(
    "are reported on the page %s, which still shows its data",
    async (place) => {
      vi.spyOn(FakeNative.prototype, "on").mockRejectedValue(new Error("event.listen not allowed"));
      const { user } = await open("good");
      await vi.waitFor(() => expect(notice()).toContain("event.listen not allowed"));
      await user.click(screen.getByRole("button", { name: "Close" }));
      expect(notice()).not.toContain("not allowed");
      if (place !== "Home") {
        await user.click(screen.getByRole("button", { name: place }));
        await vi.waitFor(() => expect(notice()).toContain("Live updates stopped"));
      }
      await screen.findByRole("heading", { name: place, level: 1 });
    },
  );
});

describe("an uncaught rejection or error", () => {
  test("is shown as a notice", async () => {
    await open("good");
    const reason = new Error("The page is confused.");
    dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason }));
    await vi.waitFor(() =>
      expect(notice()).toContain("Something went wrong in this window: The page is confused."),
    );
  });

  test("is shown for errors, but not for warnings of the webview", async () => {
    await open("good");
    dispatchEvent(new ErrorEvent("error", { message: "ResizeObserver loop" }));
    await new Promise((drawn) => setTimeout(drawn));
    expect(text()).not.toContain("Something went wrong");
    dispatchEvent(new ErrorEvent("error", { error: new Error("It broke.") }));
    await vi.waitFor(() => expect(notice()).toContain("It broke."));
  });
});

describe("a window that cannot be rendered", () => {
  const broken: Whole = () => {
    document.body.append("half of it");
    throw new Error("No such word.");
  };
  const native: Native = new FakeNative(scenes.good);

  test.for([
    ["en", "Something went wrong in this window.", "Try again"],
    ["zh-CN", "这个窗口出了问题", "重试"],
  ] as const)(
    "shows an error page in %s with a retry button",
    async ([language, sentence, again]) => {
      const appearance = { theme: "system", language, systemLanguage: "en" };
      draw(broken, native, appearance, document.body);
      expect(text()).toContain(sentence);
      expect(text()).toContain("No such word.");
      expect(text()).not.toContain("half of it");
      expect(screen.getByRole("button", { name: again })).toBeTruthy();
      document.body.replaceChildren();
    },
  );
});
