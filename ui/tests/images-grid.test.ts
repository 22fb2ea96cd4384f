// The grid of all pictures: rendering, reading and keyboard.

import { fireEvent, screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { ImagePage, ImageSearch } from "../src/api/types";
import { moveFocus } from "../src/images/keys";
import { Layout } from "../src/images/layout";
import { ALL } from "../src/images/search";
import { lit } from "../src/testing/scenes/home";
import { hash, library, scenes } from "../src/testing/scenes/images";
import {
  button,
  cell,
  drawn,
  focused,
  open,
  places,
  scrollTo,
  selected,
  shown,
  text,
  widen,
} from "./images";

const ROW = 191;
const asked = (list: string[]) =>
  list.filter((one) => one.startsWith("images(")).map((one) => Number(one.split(", ")[1]));

describe("a grid of 100,000 pictures", () => {
  test("renders only the visible pictures, through the private URL scheme", async () => {
    await open("hundredThousand");
    expect(screen.getByText("100,000 in total")).toBeTruthy();
    const grid = screen.getByRole("grid", { name: "Pictures" });
    expect(grid.getAttribute("aria-rowcount")).toBe("20000");
    expect(grid.getAttribute("aria-colcount")).toBe("5");
    expect(grid.style.height).toBe(`${20_000 * ROW - 12}px`);
    expect(places().length).toBeLessThan(60);
    expect(document.querySelectorAll(".images *").length).toBeLessThan(400);
    const source = cell(0).querySelector("img")?.getAttribute("src");
    expect(source).toBe(`picture://localhost/${hash(99_999)}?w=320`);
  });

  test("renders and reads other pictures after scrolling", async () => {
    const { native } = await open("hundredThousand");
    expect(asked(native.calls)).toEqual([0, 200]);
    await scrollTo(200 + 10_020 * ROW);
    expect(places().length).toBeLessThan(70);
    expect(places()).toContain(50_100);
    expect(shown(50_100)).toBe(hash(49_899));
    // The visible page comes first, then its neighbours.
    expect(asked(native.calls).slice(2)).toEqual([50_000, 50_200, 49_800]);
    expect(cell(50_100).closest<HTMLElement>("[role=row]")?.getAttribute("aria-rowindex")).toBe(
      "10021",
    );
  });

  test("shows placeholders for pictures that are loading", async () => {
    let give = (_: ImagePage) => {};
    const slow = (search: ImageSearch, offset: number, limit: number) =>
      offset < 400
        ? library(100_000)(search, offset, limit)
        : new Promise<ImagePage>((resolve) => (give = resolve));
    await open({ ...scenes.hundredThousand, images: slow });
    await scrollTo(200 + 10_000 * ROW);
    expect(shown(50_000)).toBeNull();
    expect(cell(50_000).getAttribute("aria-label")).toBe("Loading this picture");
    give(library(100_000)(ALL, 49_800, 200));
    await drawn();
  });

  test("does not request pages that were only scrolled past", async () => {
    const gives: (() => void)[] = [];
    const slow = (search: ImageSearch, offset: number, limit: number) =>
      offset === 0
        ? library(100_000)(search, offset, limit)
        : new Promise<ImagePage>((resolve) =>
            gives.push(() => resolve(library(100_000)(search, offset, limit))),
          );
    const { native } = await open({ ...scenes.plain, images: slow });
    for (let row = 400; row <= 8_000; row += 400) await scrollTo(200 + row * ROW);
    // Two at a time, and those are still pending.
    expect(asked(native.calls).length).toBe(3);
    for (let turn = 0; turn < 10; turn++) {
      for (const give of gives.splice(0)) give();
      await drawn();
    }
    // Images load once scrolling has stopped.
    await expect.poll(() => shown(40_000)).toBe(hash(59_999));
    expect(asked(native.calls).length).toBeLessThan(8);
  });

  test("discards distant pages and reads them again when needed", async () => {
    const { native } = await open("hundredThousand");
    for (let row = 0; row <= 4_000; row += 100) await scrollTo(200 + row * ROW);
    const before = asked(native.calls).filter((offset) => offset === 0).length;
    await scrollTo(0);
    expect(shown(0)).toBe(hash(99_999));
    expect(asked(native.calls).filter((offset) => offset === 0).length).toBe(before + 1);
  });

  test("keeps the visible pictures when its width changes", async () => {
    await open("hundredThousand");
    await scrollTo(200 + 1_000 * ROW);
    expect(places()).toContain(5_000);
    await widen(500);
    expect(screen.getByRole("grid").getAttribute("aria-colcount")).toBe("2");
    expect(places()).toContain(5_000);
    expect(places().length).toBeLessThan(40);
    await widen(944);
    expect(places()).toContain(5_000);
  });

  test("keeps the focus when its width changes", async () => {
    const { user } = await open("hundredThousand");
    cell(0).focus();
    await user.keyboard("{PageDown}{ArrowRight}");
    await drawn();
    const held = focused();
    expect(held).toBeGreaterThan(5);
    await widen(500);
    expect(focused()).toBe(held);
    await user.keyboard("{ArrowRight}");
    await drawn();
    expect(focused()).toBe(held + 1);
  });
});

describe("when pictures are added or removed", () => {
  test("pages are read again and visible pictures stay in place", async () => {
    const { native } = await open("plain");
    await scrollTo(200 + 100 * ROW);
    const first = shown(500);
    const before = document.documentElement.scrollTop;
    // Ten more at the beginning: two rows.
    native.answer({ images: library(2_427) });
    native.emit("images-changed", null);
    await drawn();
    expect(screen.getByText("2,427 in total")).toBeTruthy();
    expect(shown(510)).toBe(first);
    expect(document.documentElement.scrollTop).toBe(before + 2 * ROW);
  });

  test("new pictures appear if the start of the grid is visible", async () => {
    const { native } = await open("full");
    native.answer({ images: library(2_418) });
    native.emit("images-changed", null);
    await drawn();
    expect(shown(0)).toBe(hash(2_417));
    expect(document.documentElement.scrollTop).toBe(0);
  });

  test("the focus stays at the same picture", async () => {
    const { native } = await open("full");
    cell(3).focus();
    await fireEvent.keyDown(cell(3), { key: "ArrowRight" });
    await drawn();
    const held = shown(focused());
    native.answer({ images: library(2_418) });
    native.emit("images-changed", null);
    await drawn();
    expect(document.querySelector<HTMLElement>('[data-index][tabindex="0"]')?.dataset.index).toBe(
      "5",
    );
    expect(shown(5)).toBe(held);
  });

  test("an older answer does not replace newer data", async () => {
    const gives: ((page: ImagePage) => void)[] = [];
    const page = () => new Promise<ImagePage>((resolve) => gives.push(resolve));
    const { native } = await open({ ...scenes.full, images: page });
    const all = ALL;
    native.emit("images-changed", null);
    gives.shift()?.(library(10)(all, 0, 200));
    await drawn();
    expect(screen.getByText("10 in total")).toBeTruthy();
    gives.shift()?.(library(12)(all, 0, 200));
    await drawn();
    expect(screen.getByText("12 in total")).toBeTruthy();
    expect(gives.length).toBe(0);
  });

  test("a burst of changes causes one more read, not one for each change", async () => {
    const { native } = await open("full");
    const before = asked(native.calls).length;
    for (let n = 0; n < 20; n++) native.emit("images-changed", null);
    await drawn();
    // Two reads of the visible page, and one of its neighbour.
    expect(asked(native.calls).length - before).toBeLessThanOrEqual(3);
  });

  test("a failed read can be retried", async () => {
    const { native, user } = await open("lost");
    expect(text()).toContain(
      "Couldn’t load your pictures. Porchlight’s database failed: another program is using it, so close that one and try again.",
    );
    native.answer({ images: library(3) });
    await user.click(button("Try again"));
    await drawn();
    expect(screen.getByText("3 in total")).toBeTruthy();
    expect(screen.queryByRole("alert", { name: /could not/ })).toBeNull();
  });
});

describe("keyboard navigation", () => {
  const layout = new Layout({ columns: 5, side: 100, total: 23, days: null });

  test("moves by rows and columns and stays within the grid", () => {
    const ways: [string, number, number][] = [
      ["ArrowRight", 4, 5],
      ["ArrowRight", 22, 22],
      ["ArrowLeft", 0, 0],
      ["ArrowDown", 2, 7],
      // The last row is short: its end, and from there no further.
      ["ArrowDown", 19, 22],
      ["ArrowDown", 21, 21],
      ["ArrowUp", 3, 3],
      ["ArrowUp", 8, 3],
      ["PageDown", 1, 16],
      ["PageDown", 16, 21],
      ["PageUp", 12, 2],
      ["Home", 22, 0],
      ["End", 0, 22],
    ];
    for (const [key, from, to] of ways)
      expect([key, from, moveFocus(key, from, layout, 3)]).toEqual([key, from, to]);
    expect(moveFocus("x", 3, layout, 3)).toBeNull();
  });

  test("moves the focus and scrolls to it", async () => {
    const { user } = await open("hundredThousand");
    cell(0).focus();
    await user.keyboard("{ArrowRight}{ArrowDown}");
    await drawn();
    expect(focused()).toBe(6);
    expect(document.documentElement.scrollTop).toBe(0);
    await user.keyboard("{End}");
    await drawn();
    expect(focused()).toBe(99_999);
    expect(document.documentElement.scrollTop).toBeGreaterThan(19_990 * ROW);
    await user.keyboard("{Home}");
    await drawn();
    expect(focused()).toBe(0);
  });

  test("keeps the focused picture when it is scrolled out of view", async () => {
    await open("hundredThousand");
    cell(0).focus();
    await scrollTo(200 + 5_000 * ROW);
    expect(focused()).toBe(0);
    expect(places()).toContain(25_000);
  });

  test("selects with Space, extends with Shift and clears with Escape", async () => {
    const { user } = await open("full");
    cell(0).focus();
    await user.keyboard("{ArrowRight}");
    await drawn();
    await user.keyboard(" ");
    expect(selected()).toEqual([1]);
    await user.keyboard("{Shift>}{ArrowRight}{ArrowRight}{/Shift}");
    await drawn();
    expect(selected()).toEqual([1, 2, 3]);
    await user.keyboard("{Shift>}{ArrowLeft}{/Shift}");
    await drawn();
    expect(selected()).toEqual([1, 2]);
    expect(text()).toContain("2 pictures selected");
    await user.keyboard("{Escape}");
    await drawn();
    expect(selected()).toEqual([]);
  });

  test("selects all pictures, including those that were never rendered", async () => {
    const { native, user } = await open("full");
    cell(0).focus();
    await user.keyboard("{Control>}a{/Control}");
    await expect.poll(() => text()).toContain("2,417 pictures selected");
    native.answer({ updateSettings: [] });
    await user.click(button("Link format"));
    await user.click(screen.getByRole("menuitem", { name: "Markdown" }));
    const copied = native.calls.find((one) => one.startsWith("copyLinks("));
    expect(copied?.match(/[0-9a-f]{32}/g)?.length).toBe(2_417);
    expect(copied?.endsWith(', "markdown")')).toBe(true);
    await screen.findByText("2,417 links copied");
  });
});

test("a picture opened from another page is shown large and then has the focus", async () => {
  await open("full", "en-GB", { section: hash(2_415) });
  const dialog = screen.getByRole("dialog", { name: "Picture 2 of 2,417" });
  await fireEvent.keyDown(dialog, { key: "Escape" });
  await drawn();
  expect(focused()).toBe(1);
});

describe("Ctrl+C", () => {
  test("copies the link of the active picture, or the links of the selection", async () => {
    const { native, user } = await open("full");
    cell(0).focus();
    await user.keyboard("{ArrowRight}{Control>}c{/Control}");
    expect(native.calls).toContain(`copyLinks(["${hash(2_415)}"], "own")`);
    await screen.findByText("Link copied");
    await user.keyboard(" {Shift>}{ArrowRight}{/Shift}");
    await drawn();
    await user.keyboard("{Control>}c{/Control}");
    const both = `["${hash(2_415)}","${hash(2_414)}"]`;
    expect(native.calls).toContain(`copyLinks(${both}, "own")`);
    await screen.findByText("2 links copied");
  });
});

describe("the mouse", () => {
  test("copies a link with the button on a picture without opening it", async () => {
    const address = { ...lit.address, kind: "local" } as const;
    const { native, user } = await open("full", "en-GB", { home: { ...lit, address } });
    const copy = cell(3).querySelector(".copy");
    if (copy === null) throw new Error("no button");
    await user.click(copy);
    expect(native.calls).toContain(`copyLinks(["${hash(2_413)}"], "own")`);
    await screen.findByText("Link copied. Readers can’t open this address.");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(selected()).toEqual([]);
  });

  test("opens a picture on click, and selects with Ctrl, Shift or the tick", async () => {
    const { user } = await open("full");
    await user.keyboard("{Control>}");
    await user.click(cell(1));
    await user.keyboard("{/Control}");
    expect(selected()).toEqual([1]);
    await user.keyboard("{Shift>}");
    await user.click(cell(4));
    await user.keyboard("{/Shift}");
    await drawn();
    expect(selected()).toEqual([1, 2, 3, 4]);
    // While some are selected, a click selects.
    await user.click(cell(2));
    expect(selected()).toEqual([1, 3, 4]);
    await user.click(button("Clear selection"));
    expect(selected()).toEqual([]);
    const tick = cell(7).querySelector(".tick");
    if (tick === null) throw new Error("no tick");
    await user.click(tick);
    expect(selected()).toEqual([7]);
    await user.click(tick);
    await user.click(cell(8));
    expect(screen.getByRole("dialog", { name: "Picture 9 of 2,417" })).toBeTruthy();
  });

  test("shows a label for each picture", async () => {
    await open("full");
    expect(cell(0).textContent?.trim()).toBe("灯笼与雨");
    expect(cell(1).textContent?.trim()).toBe("evening harbour");
    expect(cell(20).textContent).toContain("views");
    expect(cell(20).getAttribute("aria-label")).toMatch(
      /Picture added .*2026.*, \d+ by \d+ pixels, \d+ views/,
    );
    const image = cell(0).querySelector("img");
    if (image === null) throw new Error("no picture");
    await fireEvent.error(image);
    expect(cell(0).getAttribute("aria-label")).toContain("Couldn’t show this picture");
  });
});
