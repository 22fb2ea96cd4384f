// Selections while pictures are added, of very many pictures, and actions on them.

import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { ImageSearch } from "../src/api/types";
import type { FakeNative } from "../src/testing/fake-native";
import { hashes, library, scenes } from "../src/testing/scenes/images";
import { button, cell, drawn, focused, open, scrollTo, selected, text } from "./images";

const ROW = 191;

/** Sets the number of pictures. */
async function become(native: FakeNative, total: number) {
  native.answer({ images: library(total), imageHashes: hashes(total) });
  native.emit("images-changed", null);
  await drawn();
}

/** A page with so many pictures. */
const holding = (total: number) => ({
  ...scenes.full,
  images: library(total),
  imageHashes: hashes(total),
});

/** The number of hashes in each call of this command. */
const named = (native: FakeNative, command: string) =>
  native.calls
    .filter((one) => one.startsWith(`${command}(`))
    .map((one) => one.match(/[0-9a-f]{32}/g)?.length ?? 0);

describe("a range selection", () => {
  test("starts at the picture that was selected, even if others were added since", async () => {
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

  test("starts there even if that picture is far out of view", async () => {
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

  test("starts at the focused picture if nothing is selected", async () => {
    const { user } = await open("full");
    cell(2).focus();
    await user.keyboard("{Shift>}");
    await user.click(cell(4));
    await user.keyboard("{/Shift}");
    await drawn();
    expect(selected()).toEqual([2, 3, 4]);
  });
});

describe("selecting all pictures", () => {
  test("keeps the selection bar visible while loading", async () => {
    const gives: (() => void)[] = [];
    const slow = (search: ImageSearch, offset: number, limit: number) =>
      new Promise<string[]>((resolve) =>
        gives.push(() => resolve(hashes(2_417)(search, offset, limit))),
      );
    const { user } = await open({
      ...scenes.full,
      imageHashes: slow,
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

  test("deletes more than ten thousand in batches that one undo restores", async () => {
    const { native, user } = await open(holding(25_000));
    cell(0).focus();
    await user.keyboard("{Control>}a{/Control}");
    await expect.poll(() => text()).toContain("25,000 pictures selected");
    await user.click(button("Delete"));
    await expect.poll(() => named(native, "removeImages")).toEqual([10_000, 10_000, 5_000]);
    await expect.poll(() => text()).toContain("25,000 pictures deleted.");
    await user.click(button("Undo"));
    await drawn();
    expect(named(native, "putBackImages")).toEqual([25_000]);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(text()).toContain("25,000 pictures put back");
  });

  test("copies as many links of more than ten thousand as allowed, and shows the limit", async () => {
    const { native, user } = await open(holding(12_000));
    cell(0).focus();
    await user.keyboard("{Control>}a{/Control}");
    await expect.poll(() => text()).toContain("12,000 pictures selected");
    await user.click(button("Copy links"));
    expect(named(native, "copyLinks")).toEqual([10_000]);
    await screen.findByText("Copied the first 10,000 of 12,000 links");
  });
});

describe("after deleting", () => {
  test("with the selection bar, the focus goes back to the pictures", async () => {
    const { user } = await open(holding(2_417));
    cell(0).focus();
    await user.keyboard("{ArrowRight}");
    await drawn();
    await user.keyboard(" ");
    await user.click(button("Delete"));
    await drawn();
    expect(button("Undo")).toBeTruthy();
    expect(focused()).toBe(1);
  });

  test("by keyboard in the grid, the focus stays in the grid", async () => {
    const { user } = await open(holding(2_417));
    cell(0).focus();
    await user.keyboard("{ArrowRight}");
    await drawn();
    await user.keyboard("{Delete}");
    await drawn();
    expect(button("Undo")).toBeTruthy();
    expect(focused()).toBe(1);
  });
});
