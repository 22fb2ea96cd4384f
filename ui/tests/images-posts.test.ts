// Posts that use pictures: the marks, the filter, what is broken, and a deletion that names them.

import { fireEvent, screen, within } from "@testing-library/svelte";
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { ALL } from "../src/images/search";
import { lit } from "../src/testing/scenes/home";
import { hash } from "../src/testing/scenes/images";
import { posts, scenes } from "../src/testing/scenes/posts";
import { button, cell, drawn, open, text } from "./images";

const removed = (calls: string[]) => calls.filter((one) => one.startsWith("removeImages("));
const dialog = (name: string) => screen.findByRole("dialog", { name });

describe("a used picture", () => {
  test("says in how many posts it is, and an unused one says nothing", async () => {
    await open(scenes.blog);
    expect(cell(1).textContent).toContain("in 3 posts");
    expect(cell(1).getAttribute("aria-label")).toContain("in 3 posts");
    expect(cell(0).textContent).not.toContain("post");
    expect(cell(4).textContent).toContain("in 1 post");
  });

  test("lists its posts in the large view, and each can be opened", async () => {
    const { native, user } = await open(scenes.blog, "en-GB", { section: hash(2_415) });
    const large = within(await dialog("Picture 2 of 2,417"));
    expect(large.getByText("in 3 posts")).toBeTruthy();
    const list = within(large.getByRole("list", { name: "Posts" }));
    expect(list.getAllByRole("listitem").length).toBe(3);
    await user.click(list.getByRole("button", { name: "Open posts/harbour.md" }));
    expect(native.calls).toContain('openPost({"folder":0,"file":"posts/harbour.md","line":3})');
    native.failure = "No program opens this file.";
    await user.click(list.getByRole("button", { name: "Open posts/灯笼与雨.md" }));
    await large.findByText("No program opens this file.");
    native.failure = null;
    await user.click(button("Next picture"));
    await drawn();
    expect(large.getByText("in no post")).toBeTruthy();
    expect(large.queryByRole("list", { name: "Posts" })).toBeNull();
  });

  test("is counted again when the posts change", async () => {
    const { native } = await open(scenes.blog);
    native.answer({
      posts: posts({ brokenTotal: 1 }),
      images: (search, offset, limit) => {
        const page = scenes.blog.images(search, offset, limit);
        return { ...page, images: page.images.map((one) => ({ ...one, posts: 7 })) };
      },
    });
    native.emit("posts-changed", null);
    await drawn();
    expect(cell(0).textContent).toContain("in 7 posts");
    expect(text()).toContain("1 link in posts is broken");
  });
});

describe("the filter", () => {
  const filters = async (scene: Parameters<typeof open>[0]) => {
    const opened = await open(scene);
    await opened.user.click(button("Sort and filter"));
    return opened;
  };

  test("finds pictures in no post", async () => {
    const { native, user } = await filters(scenes.blog);
    await user.click(screen.getByRole("menuitemradio", { name: "In no post" }));
    await drawn();
    const wanted = JSON.stringify({ ...ALL, only: "in_no_post" });
    expect(native.calls).toContain(`images(${wanted}, 0, 200)`);
  });

  test("is not offered where no folder of posts is set", async () => {
    await filters({ ...scenes.blog, posts: posts({ folders: [] }) });
    expect(screen.getByRole("menuitemradio", { name: "Unnamed only" })).toBeTruthy();
    expect(screen.queryByRole("menuitemradio", { name: "In no post" })).toBeNull();
  });
});

describe("what is broken in posts", () => {
  test("is one line that opens the list", async () => {
    const { native, user } = await open(scenes.blogBroken);
    expect(text()).toContain("704 links in posts are broken, 6 posts couldn’t be read");
    await user.click(button("View"));
    const shown = within(await dialog("Problems in posts"));
    const list = within(shown.getByRole("list", { name: "704 links in posts are broken" }));
    expect(list.getAllByRole("listitem").length).toBe(200);
    expect(list.getByText("../images/2024/old 0.png")).toBeTruthy();
    expect(shown.getByText("and 504 more")).toBeTruthy();
    const unread = shown.getByRole("list", { name: "6 posts couldn’t be read" });
    expect(unread.textContent).toContain("It was edited since.");
    const [first] = list.getAllByRole("button", { name: "Open posts/harbour.md" });
    if (first) await user.click(first);
    expect(native.calls).toContain('openPost({"folder":0,"file":"posts/harbour.md","line":3})');
    await fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
    await drawn();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(document.activeElement).toBe(button("View"));
  });

  test("is not mentioned where nothing is", async () => {
    await open(scenes.blog);
    expect(screen.queryByRole("button", { name: "View" })).toBeNull();
  });
});

describe("a deletion", () => {
  const select = async (...indices: number[]) => {
    const opened = await open(scenes.blog);
    await opened.user.keyboard("{Control>}");
    for (const index of indices) await opened.user.click(cell(index));
    await opened.user.keyboard("{/Control}");
    return opened;
  };

  test("of used pictures names their posts first, and can be cancelled", async () => {
    const { native, user } = await select(0, 1, 2, 3);
    await user.click(button("Delete"));
    const asks = within(await dialog("Delete 4 pictures?"));
    const said = text().replace(/[\u2068\u2069]/g, "");
    expect(said).toContain(
      "2 of these 4 pictures are in posts: posts/harbour.md, posts/灯笼与雨.md,",
    );
    expect(said).toContain(" and 2 more. Readers would see a gap there.");
    await user.click(asks.getByRole("button", { name: "Cancel" }));
    await drawn();
    expect(removed(native.calls)).toEqual([]);
    expect(text()).toContain("4 selected");
    await user.click(button("Delete"));
    const again = within(await dialog("Delete 4 pictures?"));
    await user.click(again.getByRole("button", { name: "Delete" }));
    await drawn();
    expect(removed(native.calls).length).toBe(1);
    await screen.findByText(/^4 pictures deleted\./);
    expect(button("Undo")).toBeTruthy();
  });

  test("of unused pictures does not ask", async () => {
    const { native, user } = await select(0, 2);
    await user.click(button("Delete"));
    await drawn();
    expect(removed(native.calls).length).toBe(1);
  });

  test("does not happen where the posts cannot be read", async () => {
    const { native, user } = await select(0);
    native.answer({ postsOf: new Error("The index is locked.") as never });
    await user.click(button("Delete"));
    await screen.findByText("The index is locked.");
    expect(removed(native.calls)).toEqual([]);
  });

  test("asks in the large view, too, whose keys rest meanwhile", async () => {
    const { native, user } = await open(scenes.blog, "en-GB", { section: hash(2_412) });
    await user.keyboard("{Delete}");
    const asks = within(await dialog("Delete 1 picture?"));
    expect(text().replace(/[\u2068\u2069]/g, "")).toContain(
      "This picture is in posts: posts/harbour.md. Readers would see a gap there.",
    );
    await user.keyboard("{ArrowRight}{Delete}");
    expect(screen.getByRole("dialog", { name: "Picture 5 of 2,417" })).toBeTruthy();
    await user.click(asks.getByRole("button", { name: "Delete" }));
    await drawn();
    expect(removed(native.calls)).toEqual([`removeImages(["${hash(2_412)}"])`]);
  });
});

test.for(["en", "zh-CN"])("axe reports no violations in %s", async (language) => {
  const { container } = await open(scenes.blogBroken, language, {
    section: hash(2_415),
    home: lit,
  });
  document.documentElement.lang = language;
  document.title = "Porchlight";
  const options = { rules: { "color-contrast": { enabled: false } } };
  expect((await axe.run(container, options)).violations.map(({ id }) => id)).toEqual([]);
  await fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
  await drawn();
  const view = language === "en" ? "View" : "查看";
  await fireEvent.click(button(view));
  await drawn();
  expect((await axe.run(container, options)).violations.map(({ id }) => id)).toEqual([]);
});
