// Deleting pictures and undoing that; the large view.

import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { ALL } from "../src/images/search";
import { lit } from "../src/testing/scenes/home";
import { deleted, hash, library, scenes } from "../src/testing/scenes/images";
import { button, cell, drawn, focused, open, selected, text } from "./images";

describe("deleted pictures", () => {
  test("are gone at once, and the notice offers to undo that", async () => {
    const { native, user } = await open("full");
    cell(0).focus();
    await user.keyboard(" {Shift>}{ArrowRight}{/Shift}");
    await drawn();
    await user.keyboard("{Delete}");
    await drawn();
    const both = `["${hash(2_416)}","${hash(2_415)}"]`;
    expect(native.calls).toContain(`removeImages(${both})`);
    expect(selected()).toEqual([]);
    expect(text()).toContain("2 pictures deleted.");
    expect(text()).toContain("Browsers and CDNs can keep copies for up to a year.");
    await user.click(button("Undo"));
    expect(native.calls).toContain(`putBackImages(${both})`);
    await screen.findByText("2 pictures put back");
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  test.for([
    [true, "at the edge cache and at the store’s CDN for up to a day", true],
    [false, "at the edge cache for up to a day", false],
  ] as const)(
    "show which caches can keep copies behind a Worker (with a store: %s)",
    async ([store, places, older]) => {
      const caches = { edge: true, store };
      const { user } = await open("full", "en-GB", { home: { ...lit, caches } });
      cell(0).focus();
      await user.keyboard("{Delete}");
      await drawn();
      expect(text()).toContain(`Copies may stay ${places}, in readers’ browsers for up to a year.`);
      expect(text().includes("pictures from older versions")).toBe(older);
    },
  );

  test("cannot be put back where none are kept", async () => {
    const { native, user } = await open("full");
    native.answer({ removeImages: { pictures: 1, inTrash: false } });
    cell(0).focus();
    await user.keyboard("{Delete}");
    await drawn();
    expect(text()).toContain("1 picture deleted.");
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  test("that could not be put back are counted in the notice", async () => {
    const { native, user } = await open("full");
    native.answer({ putBackImages: 0 });
    cell(0).focus();
    await user.keyboard("{Delete}");
    await drawn();
    await user.click(button("Undo"));
    await screen.findByText("Couldn’t put 1 picture back. See the log for details.");
  });

  test("stay selected if they could not be deleted, and the reason is shown", async () => {
    const { native, user } = await open("full");
    cell(0).focus();
    await user.keyboard(" ");
    native.failure = "The database is locked.";
    await user.click(button("Delete"));
    await screen.findByText("The database is locked.");
    expect(selected()).toEqual([0]);
  });
});

describe("the list of deleted pictures", () => {
  async function list(scene: "full" | "empty" = "full", language = "en-GB") {
    const opened = await open(scene, language);
    return opened;
  }

  test("is opened from the menu by keyboard, and puts one back", async () => {
    const { native, user } = await list();
    button("Sort and filter").focus();
    await user.keyboard("{Enter}{End}{Enter}");
    const dialog = within(await screen.findByRole("dialog", { name: "Deleted pictures" }));
    await dialog.findByText("3 pictures can be put back. Readers don’t see them.");
    expect(dialog.getAllByRole("listitem").length).toBe(3);
    expect(dialog.getByText(/1600 × 1200.*Cats.*30 days left/)).toBeTruthy();
    native.answer({ trash: deleted(2) });
    await user.click(dialog.getByRole("button", { name: "Put back evening harbour" }));
    expect(native.calls).toContain(`putBackImages(["${hash(10_000)}"])`);
    await dialog.findByText("2 pictures can be put back. Readers don’t see them.");
    await dialog.findByText("1 picture put back");
  });

  test("puts all back, also those that it does not show", async () => {
    const { native, user } = await open({ ...scenes.full, trash: deleted(1_200) });
    await user.click(button("Sort and filter"));
    await user.click(screen.getByRole("menuitem", { name: "Deleted pictures…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Deleted pictures" }));
    await dialog.findByText("and 1,150 more");
    await user.click(dialog.getByRole("button", { name: "Put all back" }));
    await dialog.findByText("1,200 pictures put back");
    const call = native.calls.find((one) => one.startsWith("putBackImages("));
    expect(JSON.parse(call?.slice(14, -1) ?? "[]").length).toBe(1_200);
  });

  test("can be opened when there are no pictures left, in Chinese, too", async () => {
    const { native, user } = await list("empty", "zh-CN");
    native.answer({ trash: deleted(0) });
    await user.click(button("已删除的图片…"));
    await screen.findByText("没有可以恢复的图片。");
  });

  test("shows why it cannot be read", async () => {
    const { native, user } = await list();
    native.failure = "The database is locked.";
    await user.click(button("Sort and filter"));
    await user.click(screen.getByRole("menuitem", { name: "Deleted pictures…" }));
    await screen.findByText("Couldn’t load the deleted pictures.");
  });
});

describe("a picture in the large view", () => {
  async function large(home = lit) {
    const opened = await open("full", "en-GB", { home });
    cell(0).focus();
    await opened.user.keyboard("{ArrowRight}");
    await drawn();
    await opened.user.keyboard("{Enter}");
    await drawn();
    return opened;
  }

  test("shows its details", async () => {
    await large();
    const dialog = screen.getByRole("dialog", { name: "Picture 2 of 2,417" });
    expect(dialog.hasAttribute("open")).toBe(true);
    const details = (dialog.textContent ?? "").replace(/\s+/g, " ");
    const { width, height } = library(2_417)(ALL, 1, 1).images[0] ?? { width: 0, height: 0 };
    expect(details).toContain(`${width} × ${height}`);
    expect(details).toMatch(/[\d.]+ [kM]B → [\d.]+ [kM]B, WebP/);
    expect(details).toContain(hash(2_415));
    expect(details).toContain("0 views");
  });

  test("can be renamed in a field that handles its own keys", async () => {
    const { native, user } = await large();
    const dialog = screen.getByRole("dialog");
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: /^Name/ });
    const before = field.value;
    await user.type(field, "{Home}{ArrowRight}x{Delete}{Escape}");
    expect(field.value).toBe(before);
    expect(dialog.getAttribute("aria-label")).toBe("Picture 2 of 2,417");
    expect(native.calls.some((one) => /^(name|remove)Images?\(/.test(one))).toBe(false);
    await user.clear(field);
    await user.type(field, "the old mill{Enter}");
    expect(native.calls).toContain(`nameImage("${hash(2_415)}", "the old mill")`);
    await screen.findByText("Renamed");
    // Another picture may be shown by then.
    await user.click(button("Next picture"));
    await user.click(button("Undo"));
    expect(native.calls.at(-1)).toBe(`nameImage("${hash(2_415)}", "${before}")`);
  });

  test("shows and copies its link, and remembers another link format", async () => {
    const { native, user } = await large();
    native.answer({ updateSettings: [] });
    const copied = (form: string) => `copyLinks(["${hash(2_415)}"], "${form}")`;
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText(`https://light.example.org/i/${hash(2_415)}`)).toBeTruthy();
    await user.click(button("Copy link"));
    expect(native.calls).toContain(copied("own"));
    await dialog.findByText("Link copied");
    await user.click(button("Link format"));
    const forms = screen.getAllByRole("menuitem").map((one) => one.textContent?.trim());
    expect(forms).toEqual(["URL preferred", "Markdown", "HTML", "Responsive HTML", "BBCode"]);
    await user.click(screen.getByRole("menuitem", { name: "Markdown" }));
    expect(native.calls).toContain(copied("markdown"));
    expect(native.calls).toContain('updateSettings({"links.template":"markdown"})');
  });

  test("keeps a custom link template when another format is used once", async () => {
    const links = { form: "own", template: "{url}?w=640" } as const;
    const { native, user } = await large({ ...lit, links });
    const address = `https://light.example.org/i/${hash(2_415)}`;
    expect(screen.getByText(`${address}?w=640`)).toBeTruthy();
    await user.click(button("Link format"));
    expect(screen.getByRole("menuitem", { name: /^My format/ })).toBeTruthy();
    await user.click(screen.getByRole("menuitem", { name: "BBCode" }));
    expect(native.calls).toContain(`copyLinks(["${hash(2_415)}"], "bbcode")`);
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
  });

  test("has its link copied by Ctrl+C, with a note on the kind of address", async () => {
    const address = { ...lit.address, kind: "temporary" } as const;
    const { native } = await large({ ...lit, address });
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText("This address changes when Porchlight restarts.")).toBeTruthy();
    await fireEvent.keyDown(screen.getByRole("dialog"), { key: "c", ctrlKey: true });
    expect(native.calls).toContain(`copyLinks(["${hash(2_415)}"], "own")`);
    await dialog.findByText("Link copied. This address changes when Porchlight restarts.");
  });

  test("leads to the next and previous picture, and back to its place in the grid", async () => {
    const { user } = await large();
    const dialog = screen.getByRole("dialog");
    await fireEvent.keyDown(dialog, { key: "ArrowRight" });
    expect(dialog.getAttribute("aria-label")).toBe("Picture 3 of 2,417");
    await user.click(button("Previous picture"));
    await user.click(button("Previous picture"));
    expect(dialog.getAttribute("aria-label")).toBe("Picture 1 of 2,417");
    expect(button("Previous picture").hasAttribute("disabled")).toBe(true);
    // The last clicked button is disabled now, and the keys still work.
    await fireEvent.keyDown(document.body, { key: "ArrowRight" });
    await fireEvent.keyDown(dialog, { key: "ArrowRight" });
    await fireEvent.keyDown(dialog, { key: "Escape" });
    await drawn();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(focused()).toBe(2);
  });

  test("is shown at full resolution on click", async () => {
    const { user } = await large();
    const zoom = button("Actual size");
    expect(zoom.getAttribute("aria-pressed")).toBe("false");
    await user.click(zoom);
    expect(zoom.getAttribute("aria-pressed")).toBe("true");
    const source = [...zoom.querySelectorAll("img")].at(-1)?.getAttribute("src");
    const { width } = library(2_417)(ALL, 1, 1).images[0] ?? {};
    expect(source).toBe(`picture://localhost/${hash(2_415)}?w=${width}`);
    await user.click(zoom);
    expect(zoom.getAttribute("aria-pressed")).toBe("false");
  });

  test("scrolls with the arrow keys at full resolution, and Escape fits it again", async () => {
    const { user } = await large();
    const dialog = screen.getByRole("dialog");
    const zoom = button("Actual size");
    await user.click(zoom);
    const stage = zoom.parentElement;
    if (stage === null) throw new Error("no stage");
    stage.scrollTo(500, 500);
    await user.keyboard("{ArrowRight}{ArrowRight}{ArrowDown}");
    expect([stage.scrollLeft, stage.scrollTop]).toEqual([660, 580]);
    await user.keyboard("{ArrowLeft}{ArrowUp}");
    expect([stage.scrollLeft, stage.scrollTop]).toEqual([580, 500]);
    expect(dialog.getAttribute("aria-label")).toBe("Picture 2 of 2,417");
    await user.keyboard("{Escape}");
    expect(zoom.getAttribute("aria-pressed")).toBe("false");
    expect(screen.queryByRole("dialog")).toBe(dialog);
    await user.click(zoom);
    await user.keyboard("{Enter}");
    expect(zoom.getAttribute("aria-pressed")).toBe("false");
    await user.click(zoom);
    zoom.blur();
    await fireEvent.keyDown(document.body, { key: "Enter" });
    expect(zoom.getAttribute("aria-pressed")).toBe("false");
    await user.keyboard("{ArrowRight}");
    expect(dialog.getAttribute("aria-label")).toBe("Picture 3 of 2,417");
  });

  test("stays open when the grid behind it is scrolled elsewhere", async () => {
    const { native } = await large();
    const dialog = screen.getByRole("dialog");
    await fireEvent.keyDown(dialog, { key: "End" });
    await drawn();
    expect(dialog.textContent).toContain(hash(0));
    for (const total of [2_418, 2_450, 2_500]) {
      native.answer({ images: library(total) });
      native.emit("images-changed", null);
      await drawn();
      expect(dialog.textContent).toContain(hash(0));
    }
    expect(dialog.getAttribute("aria-label")).toBe("Picture 2,500 of 2,500");
  });

  test("can be deleted and put back, also by keyboard", async () => {
    const { native, user } = await large();
    const dialog = screen.getByRole("dialog");
    await user.click(button("Delete picture"));
    await drawn();
    expect(native.calls).toContain(`removeImages(["${hash(2_415)}"])`);
    await user.click(within(dialog).getByRole("button", { name: "Undo" }));
    await screen.findByText("1 picture put back");
    await user.keyboard("{Delete}");
    await drawn();
    await user.keyboard("{Control>}z{/Control}");
    await drawn();
    expect(native.calls.filter((one) => one.startsWith("putBackImages(")).length).toBe(2);
  });

  test("stays when others are added, and closes when no picture is left", async () => {
    const { native } = await large();
    const dialog = screen.getByRole("dialog");
    native.answer({ images: library(2_420) });
    native.emit("images-changed", null);
    await drawn();
    expect(dialog.getAttribute("aria-label")).toBe("Picture 5 of 2,420");
    native.answer({ images: library(0) });
    native.emit("images-changed", null);
    await drawn();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(text()).toContain("No pictures yet.");
  });
});
