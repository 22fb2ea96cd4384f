import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { hash, lit, scenes } from "../src/testing/scenes/home";
import { button, open } from "./window";

const current = () =>
  within(screen.getByRole("navigation")).getByRole("button", { current: "page" }).textContent;
const options = () => screen.getAllByRole("option").map((one) => one.querySelector(".label"));
const labels = () => options().map((one) => one?.textContent);
const chosen = () =>
  screen.getByRole("option", { selected: true }).querySelector(".label")?.textContent;

/** Opens the window and the palette in it. */
async function palette(scene: Parameters<typeof open>[0] = "good", language?: string) {
  const opened = await open(scene, language);
  await opened.user.keyboard("{Control>}k{/Control}");
  await screen.findByRole("combobox");
  return opened;
}

describe("the command palette", () => {
  test("offers pages and actions, and closes on Escape", async () => {
    await palette();
    expect(document.activeElement).toBe(screen.getByRole("combobox"));
    expect(labels().slice(0, 2)).toEqual(["Home", "Pictures"]);
    expect(labels()).toContain("Pause for 30 min");
    expect(labels()).not.toContain("Resume");
    screen.getByRole("dialog").dispatchEvent(new Event("cancel", { cancelable: true }));
    await vi.waitFor(() => expect(screen.queryByRole("combobox")).toBeNull());
  });

  test("moves with the arrow keys, wraps around, and opens the entry on Enter", async () => {
    const { user } = await palette();
    const field = screen.getByRole("combobox");
    expect(chosen()).toBe("Home");
    await user.keyboard("{ArrowUp}");
    expect(chosen()).toBe(labels().at(-1));
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
    expect(chosen()).toBe("Presence");
    const option = screen.getByRole("option", { selected: true });
    expect(field.getAttribute("aria-activedescendant")).toBe(option.id);
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(current()).toContain("Presence"));
    expect(screen.queryByRole("combobox")).toBeNull();
  });

  test.for([
    ["good", "add pic", "choosePictures()"],
    ["good", "paste", "pastePictures()"],
    ["good", "copy addr", "copyAddress()"],
    ["good", "pause", 'pause("half_an_hour")'],
    ["paused", "resume", "resume()"],
    ["off", "share my", "share(true)"],
  ] as const)("in %s, the entry %s calls %s", async ([scene, typed, asked]) => {
    const { native, user } = await palette(scene);
    await user.keyboard(`${typed}{Enter}`);
    await vi.waitFor(() => expect(native.calls).toContain(asked));
  });

  test.for([
    ["set a status", "Set a status"],
    ["blog", "Add to your blog"],
  ])("opens by the entry %s the dialog %s", async ([typed = "", title = ""]) => {
    const { user } = await palette();
    await user.keyboard(`${typed}{Enter}`);
    await screen.findByRole("dialog", { name: title });
  });

  test("quits", async () => {
    const { native, user } = await palette();
    await user.keyboard("quit{Enter}");
    await vi.waitFor(() => expect(native.calls).toContain("quit()"));
  });

  test("finds items that are not settings and opens their group", async () => {
    for (const typed of ["backup", "import", "log"]) {
      const { user, unmount } = await palette();
      await user.keyboard(typed);
      await user.click(screen.getByRole("option", { name: /^Backup & repair/ }));
      const tab = await screen.findByRole("tab", { selected: true });
      expect(tab.textContent).toContain("Backup & repair");
      unmount();
    }
  });

  test("matches English text in every language", async () => {
    const { user } = await palette("good", "zh-CN");
    await user.keyboard("statis");
    expect(chosen()).toBe("统计");
    await user.keyboard("{Control>}a{/Control}theme");
    expect(labels()).toContain("主题");
  });

  test("lists pictures by name and copies their links", async () => {
    const [picture] = lit.newest;
    if (picture === undefined) throw new Error("no picture");
    const page = { total: 1, images: [{ ...picture, name: "evening harbour" }] };
    const { native, user } = await palette({ ...scenes.good, images: page });
    await user.keyboard("harb");
    await screen.findByRole("option", { name: /^evening harbour Ctrl Enter Copy link/ });
    await user.keyboard("{ArrowUp}{Control>}{Enter}{/Control}");
    await vi.waitFor(() => expect(native.calls).toContain(`copyLinks(["${picture.hash}"], "own")`));
    expect(screen.queryByRole("combobox")).toBeNull();
  });

  test("finds a setting by its name, and opens its page", async () => {
    const { user } = await palette();
    await user.keyboard("theme");
    expect(chosen()).toBe("Theme");
    await user.click(screen.getByRole("option", { selected: true }));
    await vi.waitFor(() => expect(current()).toContain("Settings"));
    const row = () => document.activeElement?.closest<HTMLElement>("[data-setting]");
    await vi.waitFor(() => expect(row()?.dataset.setting).toBe("app.theme"));
  });

  test("finds pictures by date and opens one in the large view", async () => {
    const page = { total: 1, images: lit.newest.slice(0, 1) };
    const { native, user } = await palette({ ...scenes.good, images: page });
    await user.keyboard("2026-11-20");
    const option = await screen.findByRole("option", { name: /^Picture added/ });
    expect(option.querySelector("img")?.getAttribute("src")).toContain(hash(1));
    expect(native.calls.some((one) => one.startsWith("images("))).toBe(true);
    await user.click(option);
    await vi.waitFor(() => expect(button("Pictures").getAttribute("aria-current")).toBe("page"));
  });

  test("shows that nothing matches, in both languages", async () => {
    const { user, unmount } = await palette();
    await user.keyboard("qqqq{Enter}");
    expect(screen.getByText("Nothing found")).toBeTruthy();
    unmount();
    const chinese = await palette("good", "zh-CN");
    await chinese.user.keyboard("qqqq");
    expect(screen.getByText("没有找到")).toBeTruthy();
  });
});
