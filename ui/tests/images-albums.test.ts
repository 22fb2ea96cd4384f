// Albums: the dialog for selected pictures, and the filter.

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { ALL } from "../src/images/search";
import { library } from "../src/testing/scenes/images";
import { button, cell, drawn, open, selected, shown } from "./images";

/** Opens the dialog with these pictures selected. */
async function albumOf(...indices: number[]) {
  const { native, user } = await open("full");
  await user.keyboard("{Control>}");
  for (const index of indices) await user.click(cell(index));
  await user.keyboard("{/Control}");
  const hashes = indices.map((index) => shown(index));
  await user.click(button("Album…"));
  const dialog = within(await screen.findByRole("dialog", { name: "Album" }));
  const field = dialog.getByRole<HTMLInputElement>("textbox", { name: /^Name of the album/ });
  return { native, user, hashes, dialog, field };
}

describe("the dialog", () => {
  test("puts the selected pictures in a new album", async () => {
    const { native, user, hashes, dialog, field } = await albumOf(0, 1);
    expect(document.activeElement).toBe(field);
    await user.clear(field);
    await user.type(field, " Dogs ");
    await user.click(dialog.getByRole("button", { name: "Put in album" }));
    expect(native.calls).toContain(`putInAlbum(${JSON.stringify(hashes)}, "Dogs")`);
    await screen.findByText("2 pictures put in “Dogs”");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(selected()).toEqual([]);
    expect(native.calls.filter((one) => one === "albums()")).toHaveLength(2);
  });

  test("offers the existing albums", async () => {
    const { native, user, hashes, dialog } = await albumOf(0, 1);
    await user.click(dialog.getByRole("button", { name: "旅行" }));
    await user.keyboard("{Enter}");
    await user.click(dialog.getByRole("button", { name: "Put in album" }));
    expect(native.calls).toContain(`putInAlbum(${JSON.stringify(hashes)}, "旅行")`);
  });

  test("takes pictures out of their album, or renames it on all of its pictures", async () => {
    // Of four pictures, one is in "Cats".
    const { images } = library(2_417)(ALL, 0, 8);
    const inCats = images.flatMap(({ album }, index) => (album === "Cats" ? [index] : []));
    const { native, user, hashes, dialog, field } = await albumOf(...inCats);
    expect(field.value).toBe("Cats");
    await user.clear(field);
    expect(dialog.getByRole("button", { name: "Take out" })).toBeTruthy();
    await user.type(field, "Kittens");
    await user.click(dialog.getByRole("checkbox", { name: "Rename “Cats” on all its pictures" }));
    await user.click(dialog.getByRole("button", { name: "Rename" }));
    expect(native.calls).toContain('renameAlbum("Cats", "Kittens")');
    expect(native.calls.some((one) => one.startsWith("putInAlbum("))).toBe(false);
    await screen.findByText("Album renamed to “Kittens”");
    expect(hashes.length).toBeGreaterThan(1);
  });

  test("has no name and nothing to rename where the pictures are in several", async () => {
    const { native, user, hashes, dialog, field } = await albumOf(0, 1, 2, 3);
    expect(field.value).toBe("");
    expect(dialog.queryByRole("checkbox")).toBeNull();
    await user.click(dialog.getByRole("button", { name: "Take out" }));
    expect(native.calls).toContain(`putInAlbum(${JSON.stringify(hashes)}, null)`);
  });
});

test("the pictures of an album are chosen from the menu", async () => {
  const { native, user } = await open("full");
  const choose = async (name: string) => {
    await user.click(button("Sort and filter"));
    await user.click(screen.getByRole("menuitemradio", { name }));
    await drawn();
  };
  await choose("旅行");
  const wanted = { ...ALL, album: "旅行" };
  expect(native.calls).toContain(`images(${JSON.stringify(wanted)}, 0, 200)`);
  await screen.findByText("604 found");
  await choose("旅行");
  await screen.findByText("2,417 in total");
});
