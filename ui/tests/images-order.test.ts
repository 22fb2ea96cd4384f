// The grid by day, its order and its filter, and the menu about a picture.

import { fireEvent, screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { ImageSearch } from "../src/api/types";
import { moveFocus } from "../src/images/keys";
import { GAP, HEADING, Layout } from "../src/images/layout";
import { ALL } from "../src/images/search";
import { hash, library } from "../src/testing/scenes/images";
import { button, cell, drawn, open, shown, text } from "./images";

const textOf = (element: Element | null) =>
  (element?.textContent ?? "").replace(/\s+/g, " ").trim();

describe("day headings", () => {
  const day = (at: number, count: number) => ({ at, count });

  test("start a new row for each day, whatever its number of pictures", () => {
    const days = [day(30, 7), day(20, 1), day(10, 5)];
    const layout = new Layout({ columns: 5, side: 100, total: 13, days });
    const starts = Array.from({ length: layout.rows + 1 }, (_, row) => layout.start(row));
    expect(starts).toEqual([0, 5, 7, 8, 13]);
    expect([...layout.headings]).toEqual([
      [0, days[0]],
      [2, days[1]],
      [3, days[2]],
    ]);
    const row = 100 + GAP;
    expect(layout.top(0)).toBe(HEADING);
    expect(layout.top(2)).toBe(2 * HEADING + 2 * row);
    expect(layout.height).toBe(3 * HEADING + 4 * row - GAP);
    expect([0, 4, 5, 7, 8, 12].map((index) => layout.rowOf(index))).toEqual([0, 0, 1, 2, 3, 3]);
    expect(layout.rowAt(layout.top(2) - 1)).toBe(1);
    expect(layout.rowAt(layout.top(2))).toBe(2);
    // Up and down go to the next row, though it is of another day and short.
    expect(moveFocus("ArrowDown", 3, layout, 3)).toBe(6);
    expect(moveFocus("ArrowDown", 6, layout, 3)).toBe(7);
    expect(moveFocus("ArrowUp", 12, layout, 3)).toBe(7);
  });

  test("tolerate day counts that do not match the total", () => {
    for (const total of [2, 4, 9]) {
      const days = [day(20, 3), day(10, 2)];
      const layout = new Layout({ columns: 5, side: 100, total, days });
      expect(layout.start(layout.rows)).toBe(total);
    }
  });

  test("name each day, newest first", async () => {
    await open("full");
    const headings = [...document.querySelectorAll(".day")].map((one) => textOf(one));
    expect(headings).toEqual(["Today 10 pictures", "Yesterday 16 pictures"]);
  });
});

describe("the order and the filter", () => {
  test("are chosen from a menu, and only an order by time has headings", async () => {
    const { native, user, unmount } = await open("full");
    const choose = async (name: string) => {
      await user.click(button("Sort and filter"));
      await user.click(screen.getByRole("menuitemradio", { name }));
      await drawn();
    };
    await choose("Largest first");
    expect(document.querySelector(".day")).toBeNull();
    const largest = library(2_417)({ ...ALL, order: "largest" }, 0, 1).images[0];
    expect(shown(0)).toBe(largest?.hash);
    await choose("Oldest first");
    expect(shown(0)).toBe(hash(0));
    expect(textOf(document.querySelector(".day"))).toContain("2026");
    await choose("Animated only");
    const wanted = { ...ALL, order: "oldest", only: "animated" };
    expect(native.calls).toContain(`images(${JSON.stringify(wanted)}, 0, 200)`);
    expect(text()).toContain("found");
    // Also after a visit to another page.
    unmount();
    await open(native);
    await user.click(button("Sort and filter"));
    const checked = screen
      .getAllByRole("menuitemradio", { checked: true })
      .map((one) => textOf(one));
    expect(checked).toEqual(["Oldest first", "Animated only"]);
  });

  test("are reset to show a picture opened from another page", async () => {
    const { native, user, unmount } = await open("full");
    await user.click(button("Sort and filter"));
    await user.click(screen.getByRole("menuitemradio", { name: "Largest first" }));
    await drawn();
    unmount();
    const smallest = library(2_417)({ ...ALL, order: "largest" }, 2_416, 1).images[0]?.hash ?? "";
    await open(native, "en-GB", { section: smallest });
    const dialog = await screen.findByRole("dialog");
    expect(textOf(dialog)).toContain(smallest);
    const wanted = { ...ALL, hash: smallest };
    expect(native.calls).toContain(`images(${JSON.stringify(wanted)}, 0, 200)`);
  });

  test("can be reset with one click if nothing matches", async () => {
    const { native, user } = await open("few");
    native.answer({
      images: (search: ImageSearch) => library(search.only ? 0 : 5)(ALL, 0, 9),
    });
    await user.click(button("Sort and filter"));
    await user.click(screen.getByRole("menuitemradio", { name: "Not viewed yet" }));
    await user.click(await screen.findByRole("button", { name: "Show all pictures" }));
    await screen.findByText("5 in total");
  });
});

describe("the context menu", () => {
  test("applies to the picture under the pointer, or to the selection", async () => {
    const { native, user } = await open("full");
    await fireEvent.contextMenu(cell(3), { clientX: 40, clientY: 50 });
    const items = () => screen.getAllByRole("menuitem").map((one) => textOf(one));
    expect(items()).toEqual([
      "View large Enter",
      "Copy link Ctrl C",
      "Copy as Markdown",
      "Copy as HTML",
      "Copy as Responsive HTML",
      "Copy as BBCode",
      "Select",
      "Delete",
    ]);
    await user.click(screen.getByRole("menuitem", { name: "Copy as HTML" }));
    expect(native.calls).toContain(`copyLinks(["${shown(3)}"], "html")`);
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(cell(3));
    await user.keyboard(" ");
    cell(4).focus();
    await user.keyboard(" ");
    await fireEvent.contextMenu(cell(4), { clientX: 40, clientY: 50 });
    expect(items()[0]).toBe("Copy link Ctrl C");
    await user.click(screen.getByRole("menuitem", { name: "Delete" }));
    expect(native.calls).toContain(`removeImages(["${shown(3)}","${shown(4)}"])`);
  });

  test("opens by keyboard, and Escape restores the focus", async () => {
    const { user } = await open("full");
    cell(2).focus();
    await user.keyboard("{Shift>}{F10}{/Shift}");
    expect(textOf(document.activeElement)).toBe("View large Enter");
    await user.keyboard("{ArrowUp}");
    expect(textOf(document.activeElement)).toBe("Delete");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(cell(2));
  });
});
