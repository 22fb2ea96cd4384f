// Selections while pictures come, of very many pictures, and what is done with them.

import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { ImageSearch, Removal } from "../src/api/types";
import type { FakeNative } from "../src/testing/fake-native";
import { hashes, library, scenes } from "../src/testing/scenes/images";
import { button, cell, drawn, focused, NOW, open, scrollTo, selected, text } from "./images";

const ROW = 191;

/** Sets the number of pictures. */
async function become(native: FakeNative, total: number) {
  native.answer("images", { page: library(total), hashes: hashes(total) });
  native.tell("images-changed", null);
  await drawn();
}

/** A place whose process numbers its removals. */
function numbering(total: number) {
  let last = 0;
  const remove = (gone: string[]): Removal => ({ id: ++last, hashes: gone, at: NOW + 5_000 });
  const known = { page: library(total), hashes: hashes(total) };
  return { ...scenes.full, images: { ...scenes.full.images, ...known, remove } };
}

/** How many hashes were named in each call of this command. */
const named = (native: FakeNative, command: string) =>
  native.asked
    .filter((one) => one.startsWith(`images.${command}(`))
    .map((one) => one.match(/[0-9a-f]{32}/g)?.length ?? 0);

describe("a range", () => {
  test("begins at the picture that was taken, though others came meanwhile", async () => {
    const { native, user } = await open("full");
    await user.keyboard("{Control>}");
    await user.click(cell(3));
    await user.keyboard("{/Control}");
    await become(native, 2_418);
    expect(selected()).toEqual([4]);
    await user.keyboard("{Shift>}");
    await user.click(cell(6));
    await user.keyboard("{/Shift}");
    await drawn();
    expect(selected()).toEqual([4, 5, 6]);
  });

  test("begins there also when that picture is far out of sight", async () => {
    const { native, user } = await open("plain");
    await user.keyboard("{Control>}");
    await user.click(cell(3));
    await user.keyboard("{/Control}");
    await scrollTo(200 + 200 * ROW);
    await become(native, 2_418);
    await user.keyboard("{Shift>}");
    await user.click(cell(1_004));
    await user.keyboard("{/Shift}");
    await expect.poll(() => text()).toContain("1,001 pictures selected");
  });

  test("begins at the picture with the keys when nothing is selected", async () => {
    const { user } = await open("full");
    cell(2).focus();
    await user.keyboard("{Shift>}");
    await user.click(cell(4));
    await user.keyboard("{/Shift}");
    await drawn();
    expect(selected()).toEqual([2, 3, 4]);
  });
});

describe("all pictures", () => {
  test("are selected without taking the bar away meanwhile", async () => {
    const gives: (() => void)[] = [];
    const slow = (search: ImageSearch, offset: number, limit: number) =>
      new Promise<string[]>((resolve) =>
        gives.push(() => resolve(hashes(2_417)(search, offset, limit))),
      );
    const { user } = await open({
      ...scenes.full,
      images: { ...scenes.full.images, hashes: slow },
    });
    cell(0).focus();
    await user.keyboard(" ");
    await user.click(button("Select all"));
    await drawn();
    expect(gives.length).toBe(1);
    expect(document.activeElement).toBe(button("Select all"));
    gives[0]?.();
    await drawn();
    expect(text()).toContain("2,417 pictures selected");
    expect(document.activeElement).toBe(button("Select all"));
  });

  test("of more than ten thousand are deleted in parts, and kept with one press", async () => {
    const { native, user } = await open(numbering(25_000));
    cell(0).focus();
    await user.keyboard("{Control>}a{/Control}");
    await expect.poll(() => text()).toContain("25,000 pictures selected");
    await user.click(button("Delete"));
    await expect.poll(() => named(native, "remove")).toEqual([10_000, 10_000, 5_000]);
    await expect.poll(() => text()).toContain("25,000 pictures will be deleted in 5 seconds");
    await user.click(button("Undo"));
    await drawn();
    expect(native.asked.filter((one) => one.startsWith("images.keep"))).toEqual([
      "images.keep(1)",
      "images.keep(2)",
      "images.keep(3)",
    ]);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(text()).toContain("25,000 pictures kept");
  });

  test("of more than ten thousand have as many links copied as fit, and it is said", async () => {
    const { native, user } = await open(numbering(12_000));
    cell(0).focus();
    await user.keyboard("{Control>}a{/Control}");
    await expect.poll(() => text()).toContain("12,000 pictures selected");
    await user.click(button("Copy links"));
    expect(named(native, "copyLinks")).toEqual([10_000]);
    await screen.findByText("Copied the first 10,000 of 12,000 links");
  });
});

describe("after deleting", () => {
  test("from the bar, the focus is at Undo, and from there back at the pictures", async () => {
    const { user } = await open(numbering(2_417));
    cell(0).focus();
    await user.keyboard("{ArrowRight}");
    await drawn();
    await user.keyboard(" ");
    await user.click(button("Delete"));
    await drawn();
    expect(document.activeElement).toBe(button("Undo"));
    await user.keyboard("{Enter}");
    await drawn();
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(focused()).toBe(1);
  });

  test("with the keys in the grid, they stay there", async () => {
    const { user } = await open(numbering(2_417));
    cell(0).focus();
    await user.keyboard("{ArrowRight}");
    await drawn();
    await user.keyboard("{Delete}");
    await drawn();
    expect(button("Undo")).toBeTruthy();
    expect(focused()).toBe(1);
  });

  test("the focus is at the pictures when the time to undo is over", async () => {
    const { native, user } = await open(numbering(2_417));
    cell(0).focus();
    await user.keyboard(" ");
    await user.click(button("Delete"));
    await drawn();
    native.tell("removals-changed", []);
    await drawn();
    expect(focused()).toBe(0);
  });

  test("Ctrl+Z keeps the pictures while it can, but not where text is typed", async () => {
    const { native, user } = await open(numbering(2_417));
    cell(0).focus();
    await user.keyboard("{Delete}");
    await drawn();
    await user.click(screen.getByRole("searchbox"));
    await user.keyboard("{Control>}z{/Control}");
    await drawn();
    expect(native.asked).not.toContain("images.keep(1)");
    cell(0).focus();
    await user.keyboard("{Control>}z{/Control}");
    await drawn();
    expect(native.asked).toContain("images.keep(1)");
    expect(text()).toContain("Picture kept");
    await user.keyboard("{Control>}z{/Control}");
    await drawn();
    expect(native.asked.filter((one) => one.startsWith("images.keep")).length).toBe(1);
  });
});
