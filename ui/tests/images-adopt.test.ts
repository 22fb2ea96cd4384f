// "Adopt a blog": its steps, what goes wrong in them, and the places that offer it.

import { fireEvent, screen, within } from "@testing-library/svelte";
import axe from "axe-core";
import { describe, expect, test, vi } from "vitest";
import type { WorkReport } from "../src/api/types";
import type { Scene } from "../src/testing/fake-native";
import { blogLines, lit } from "../src/testing/scenes/home";
import { found, left, plan, posts, report, scenes, work } from "../src/testing/scenes/posts";
import { scenes as welcome } from "../src/testing/scenes/welcome";
import { button, drawn, open as openPictures, text } from "./images";
import { goOn, open as openWindow } from "./window";

const dialog = () => screen.findByRole("dialog", { name: "Adopt a blog" });
const menu = async (user: { click: (element: Element) => Promise<void> }) => {
  await user.click(button("More ways to add pictures"));
  await user.click(screen.getByRole("menuitem", { name: "Adopt a blog…" }));
  return within(await dialog());
};

/** Opens the dialog from the menu, and presses these buttons in it. */
async function open(scene: Scene, ...presses: string[]) {
  const opened = await openPictures(scene, "en-GB", {
    home: typeof scene.home === "object" ? scene.home : lit,
  });
  const shown = await menu(opened.user);
  const press = async (name: string) => {
    await opened.user.click(shown.getByRole("button", { name }));
    await drawn();
  };
  for (const name of presses) await press(name);
  return { ...opened, shown, press };
}
const CHOOSE = "Choose the blog’s folder…";

describe("adopting a blog", () => {
  test("goes from the folder to the plan, the work, and back", async () => {
    const { native, user, shown, press } = await open(scenes.blog, CHOOSE);
    expect(native.calls).toContain("chooseBlog()");
    const facts = shown.getAllByRole("listitem").map((one) => one.textContent?.trim());
    expect(facts).toContain("78 posts read");
    expect(facts).toContain("123 links to pictures in this folder");
    expect(facts).toContain("1 link outside this folder; not changed");
    const hosts = shown.getAllByRole<HTMLInputElement>("checkbox");
    expect(hosts.map(({ checked }) => checked)).toEqual([false, false, false]);
    await user.click(shown.getByRole("checkbox", { name: /^i\.imgur\.com/ }));
    await user.click(shown.getByRole("switch", { name: "Include drafts" }));
    await press("Show changes");
    const choice = '{"foreign":["i.imgur.com"],"drafts":true,"responsive":false}';
    expect(native.calls).toContain(`planBlog(${choice})`);
    expect(shown.getByText("123 pictures, 456 addresses in 78 posts")).toBeTruthy();
    const diff = shown.getByRole<HTMLTextAreaElement>("textbox", { name: "Changes" });
    expect(diff.value).toBe(plan.diff);
    expect(shown.getByText("Only the first 400 lines are shown.")).toBeTruthy();
    // What was chosen is still there.
    await press("Back");
    const again = shown.getByRole<HTMLInputElement>("checkbox", { name: /^i\.imgur\.com/ });
    expect(again.checked).toBe(true);
    await press("Show changes");
    await press("Adopt");
    expect(native.calls).toContain(`adoptBlog(${choice})`);
    expect(
      shown.getByText("120 pictures uploaded, 3 already here. 451 addresses changed in 77 posts."),
    ).toBeTruthy();
    await press("Undo");
    expect(native.calls).toContain('undoBlog("20261120-142000")');
    expect(
      shown.getByText("77 posts restored. 120 uploaded pictures stay in Porchlight."),
    ).toBeTruthy();
    expect(shown.queryByRole("button", { name: "Undo" })).toBeNull();
    await press("Done");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect((await menu(user)).getByRole("button", { name: CHOOSE })).toBeTruthy();
  });

  test("shows its progress, also in a dialog that was closed meanwhile", async () => {
    let finish = (_: WorkReport) => {};
    const adoptBlog = () => new Promise<WorkReport>((resolve) => (finish = resolve));
    const scene = { ...scenes.blog, adoptBlog };
    const { native, user, shown } = await open(scene, CHOOSE, "Show changes", "Adopt");
    native.emit("work-changed", work);
    await shown.findByText("61 of 123");
    await user.click(shown.getByRole("button", { name: "Cancel" }));
    expect(native.calls).toContain("cancelWork()");
    const close = shown.getAllByRole("button", { name: "Close" }).at(-1);
    if (close) await user.click(close);
    expect(screen.queryByRole("dialog")).toBeNull();
    const later = await menu(user);
    expect(later.getByText("61 of 123")).toBeTruthy();
    native.emit("work-changed", null);
    finish(report(null));
    await later.findByText("Cancelled after 123 pictures. Adopt again to continue.");
    expect(later.getByText("123 pictures, 456 addresses in 78 posts")).toBeTruthy();
  });

  test("that another window started is shown with its result", async () => {
    const { native, shown } = await open(scenes.blogWorking);
    await shown.findByText("61 of 123");
    native.answer({ maintenance: { work: null, reports: [report({})] } });
    native.emit("work-changed", null);
    await shown.findByText(/^120 pictures uploaded/);
    expect(shown.getByRole("button", { name: "Undo" })).toBeTruthy();
  });

  test("lists what failed and what was left, with the reasons", async () => {
    const { shown, press } = await open(scenes.blogBroken, CHOOSE, "Show changes", "Adopt");
    const failed = shown.getByRole("list", {
      name: "9 links whose picture couldn’t be fetched; not changed",
    });
    expect(failed.textContent).toContain("posts/harbour.md:3");
    expect(failed.textContent).toContain("https://i.imgur.com/0.png: It answers 404.");
    const left = () => shown.getByRole("list", { name: /posts? left unchanged$/ });
    expect(within(left()).getAllByRole("listitem").length).toBe(3);
    await press("Undo");
    expect(within(left()).getAllByRole("listitem").length).toBe(7);
    expect(left().textContent).toContain("It was edited since.");
  });

  test("counts all that was left, and lists the first of them", async () => {
    const adoptBlog = report({ left: left(702) });
    const scene = { ...scenes.blog, adoptBlog };
    const { shown } = await open(scene, CHOOSE, "Show changes", "Adopt");
    const list = shown.getByRole("list", { name: "702 posts left unchanged" });
    expect(within(list).getAllByRole("listitem").length).toBe(500);
    expect(shown.getByText("and 202 more")).toBeTruthy();
  });

  test("writes nothing before the address is permanent, and leads there", async () => {
    const { navigation, shown, press } = await open(scenes.blogHosts, CHOOSE);
    expect(shown.getAllByRole("checkbox").length).toBe(40);
    expect(shown.getByText("Links need a permanent address first.")).toBeTruthy();
    await press("Show changes");
    const adopt = shown.getByRole<HTMLButtonElement>("button", { name: "Adopt" });
    expect(adopt.disabled).toBe(true);
    await press("Get a permanent address");
    expect(navigation.place).toBe("settings");
  });

  test("shows errors in the dialog, and loses nothing", async () => {
    const { native, shown, press } = await open(scenes.blog, CHOOSE);
    native.failure = "The folder is gone.";
    await press("Show changes");
    expect(shown.getByText("The folder is gone.")).toBeTruthy();
    expect(shown.getByText("/home/mira/blog")).toBeTruthy();
    native.failure = null;
    await press("Show changes");
    expect(shown.queryByText("The folder is gone.")).toBeNull();
    native.failure = { code: "busy" };
    await press("Adopt");
    expect(shown.getByText("123 pictures, 456 addresses in 78 posts")).toBeTruthy();
    expect(shown.getByRole("button", { name: "Adopt" })).toBeTruthy();
  });

  test("stays where it is when no folder is chosen, or nothing would change", async () => {
    const { native, shown, press } = await open({ ...scenes.blog, chooseBlog: null }, CHOOSE);
    native.answer({
      chooseBlog: found,
      planBlog: { pictures: 0, posts: 0, references: 0, diff: "", cut: false },
    });
    await press(CHOOSE);
    await press("Show changes");
    expect(shown.getByText("There is nothing to change.")).toBeTruthy();
    expect(shown.getByRole<HTMLButtonElement>("button", { name: "Adopt" }).disabled).toBe(true);
  });

  test("closes by Escape, and goes on where it was", async () => {
    const { user, shown } = await open(scenes.blog, CHOOSE);
    expect(shown.getByText(found.folder)).toBeTruthy();
    await fireEvent(await dialog(), new Event("cancel", { cancelable: true }));
    await drawn();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect((await menu(user)).getByText(found.folder)).toBeTruthy();
  });

  test("names posts that could not be read", async () => {
    const chooseBlog = { ...found, foreign: [], drafts: 0 };
    const unread = scenes.blogHosts.chooseBlog.unread;
    const { shown } = await open({ ...scenes.blog, chooseBlog: { ...chooseBlog, unread } }, CHOOSE);
    const list = shown.getByRole("list", { name: "5 posts couldn’t be read" });
    expect(within(list).getAllByRole("listitem").length).toBe(5);
    expect(shown.queryByRole("checkbox")).toBeNull();
    expect(shown.queryByRole("switch")).toBeNull();
  });
});

describe("is offered", () => {
  const scene = { ...scenes.blog, posts: posts({ folders: [] }), uploads: [] };

  test("in “Add to your blog”", async () => {
    const { user } = await openWindow({ ...scene, home: lit, blogLines: blogLines(lit) });
    await user.click(button("Add to your blog…"));
    await user.click(await screen.findByRole("button", { name: "Adopt a blog…" }));
    const shown = within(await dialog());
    expect(shown.getByRole("button", { name: CHOOSE })).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Pictures" })).toBeTruthy();
  });

  test("by the last step of the welcome, which ends with it", async () => {
    const { native, user } = await openWindow({ ...scene, ...welcome.first });
    native.answer({ settings: undefined as never });
    for (let step = 0; step < 3; step++) await goOn(user, /^(Not now|Skip this step|Next)$/);
    await user.click(button("Adopt a blog…"));
    await vi.waitFor(() => expect(native.calls).toContain('updateSettings({"app.welcomed":true})'));
    expect(within(await dialog()).getByRole("button", { name: CHOOSE })).toBeTruthy();
  });
});

test.for(["en", "zh-CN"])("axe reports no violations in any step, in %s", async (language) => {
  document.documentElement.lang = language;
  document.title = "Porchlight";
  const words = {
    en: [CHOOSE, "Show changes", "Adopt", "Undo"],
    "zh-CN": ["选择博客文件夹…", "查看改动", "接管", "撤销"],
  };
  const { container, user, navigation } = await openPictures(scenes.blogBroken, language);
  navigation.to("images", "adopt");
  await drawn();
  for (const name of words[language as "en"]) {
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name }));
    await drawn();
    const { violations } = await axe.run(container, {
      rules: { "color-contrast": { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }
  // Names and addresses stay as they are.
  const kept = /Porchlight|(posts|content|_drafts)\/\S+|https?:\S+|It was edited since|It answers/g;
  const shown = text().slice(text().indexOf(language === "en" ? "Adopt a blog" : "接管博客"));
  if (language !== "en") expect(shown.replace(kept, "").match(/[A-Za-z]{3,}/g) ?? []).toEqual([]);
});
