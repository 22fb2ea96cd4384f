// Deleting pictures, and keeping them after all; one picture shown large.

import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { ALL } from "../src/images/search";
import { lit } from "../src/testing/scenes/home";
import { hash, library } from "../src/testing/scenes/images";
import { button, cell, drawn, focused, NOW, open, selected, shown, text } from "./images";

describe("pictures that are deleted", () => {
  test("stay in their places, dimmed, for a few seconds", async () => {
    const { native, user } = await open("full");
    cell(0).focus();
    await user.keyboard(" {Shift>}{ArrowRight}{/Shift}");
    await drawn();
    await user.keyboard("{Delete}");
    await drawn();
    expect(native.asked).toContain(`images.remove(["${hash(2_416)}","${hash(2_415)}"])`);
    expect(selected()).toEqual([]);
    expect(shown(0)).toBe(hash(2_416));
    expect(cell(1).getAttribute("aria-label")).toContain("about to be deleted");
    expect(cell(2).getAttribute("aria-label")).not.toContain("about to be deleted");
    expect(text()).toContain("2 pictures will be deleted in 7 seconds");
    expect(text()).toContain("Browsers and CDNs can keep copies for up to a year.");
    vi.setSystemTime(NOW + 5_500);
    await expect.poll(() => text()).toContain("2 pictures will be deleted in 2 seconds");
  });

  test.for([
    [true, "at the edge cache and at the store’s CDN for up to a day", true],
    [false, "at the edge cache for up to a day", false],
  ] as const)(
    "behind a Worker, with a store %s, name what can keep copies",
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

  test("are kept when the owner says so in time", async () => {
    const { native, user } = await open("full");
    cell(5).focus();
    await user.keyboard("{ArrowRight}{Delete}");
    await drawn();
    await user.click(button("Undo"));
    await drawn();
    expect(native.asked).toContain("images.keep(4)");
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(text()).toContain("Picture kept");
    expect(text()).not.toContain("about to be deleted");
  });

  test("are gone when the owner comes too late, and it is said", async () => {
    const { native, user } = await open("full");
    native.answer("images", { keep: false });
    cell(0).focus();
    await user.keyboard("{Delete}");
    await drawn();
    await user.click(button("Undo"));
    await screen.findByText("Too late, already deleted.");
  });

  test("go from the grid when their time comes", async () => {
    const { native, user } = await open("full");
    cell(0).focus();
    await user.keyboard("{Delete}");
    await drawn();
    native.answer("images", { page: library(2_416) });
    native.tell("removals-changed", []);
    native.tell("images-changed", null);
    await drawn();
    expect(shown(0)).toBe(hash(2_415));
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  test("are known again when the place is opened anew", async () => {
    const { native, unmount } = await open("removing");
    expect(text()).toContain("2 pictures will be deleted in 6 seconds");
    expect(cell(1).getAttribute("aria-label")).toContain("about to be deleted");
    expect(native.listeners).toBe(5);
    unmount();
    await expect.poll(() => native.listeners).toBe(0);
  });

  test("that could not be deleted stay selected, and it is said why", async () => {
    const { native, user } = await open("full");
    cell(0).focus();
    await user.keyboard(" ");
    native.failure = "The database is locked.";
    await user.click(button("Delete"));
    await screen.findByText("The database is locked.");
    expect(selected()).toEqual([0]);
  });
});

describe("a picture that is shown large", () => {
  async function large(home = lit) {
    const opened = await open("full", "en-GB", { home });
    cell(0).focus();
    await opened.user.keyboard("{ArrowRight}");
    await drawn();
    await opened.user.keyboard("{Enter}");
    await drawn();
    return opened;
  }

  test("says what is known of it", async () => {
    await large();
    const dialog = screen.getByRole("dialog", { name: "Picture 2 of 2,417" });
    expect(dialog.hasAttribute("open")).toBe(true);
    const said = (dialog.textContent ?? "").replace(/\s+/g, " ");
    const { width, height } = library(2_417)(ALL, 1, 1).images[0] ?? { width: 0, height: 0 };
    expect(said).toContain(`${width} × ${height}`);
    expect(said).toMatch(/[\d.]+ [kM]B → [\d.]+ [kM]B, WebP/);
    expect(said).toContain(hash(2_415));
    expect(said).toContain("0 views");
  });

  test("has a name that can be changed, whose field has its own keys", async () => {
    const { native, user } = await large();
    const dialog = screen.getByRole("dialog");
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: /^Name/ });
    const before = field.value;
    await user.type(field, "{Home}{ArrowRight}x{Delete}{Escape}");
    expect(field.value).toBe(before);
    expect(dialog.getAttribute("aria-label")).toBe("Picture 2 of 2,417");
    expect(native.asked.some((one) => /^images\.(name|remove)\(/.test(one))).toBe(false);
    await user.clear(field);
    await user.type(field, "the old mill{Enter}");
    expect(native.asked).toContain(`images.name("${hash(2_415)}", "the old mill")`);
    await screen.findByText("Renamed");
    // By then another picture may be shown.
    await user.click(button("Next picture"));
    await user.click(button("Undo"));
    expect(native.asked.at(-1)).toBe(`images.name("${hash(2_415)}", "${before}")`);
  });

  test("shows its link, copies it, and remembers another form", async () => {
    const { native, user } = await large();
    native.answer("settings", { update: [] });
    const copied = (form: string) => `images.copyLinks(["${hash(2_415)}"], "${form}")`;
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText(`https://light.example.org/i/${hash(2_415)}`)).toBeTruthy();
    await user.click(button("Copy link"));
    expect(native.asked).toContain(copied("own"));
    await dialog.findByText("Link copied");
    await user.click(button("Link format"));
    const forms = screen.getAllByRole("menuitem").map((one) => one.textContent?.trim());
    expect(forms).toEqual(["URL preferred", "Markdown", "HTML", "BBCode"]);
    await user.click(screen.getByRole("menuitem", { name: "Markdown" }));
    expect(native.asked).toContain(copied("markdown"));
    expect(native.asked).toContain('settings.update({"links.template":"markdown"})');
  });

  test("keeps a template of the owner's when another form is wanted once", async () => {
    const links = { form: "own", template: "{url}?w=640", elsewhere: null } as const;
    const { native, user } = await large({ ...lit, links });
    const address = `https://light.example.org/i/${hash(2_415)}`;
    expect(screen.getByText(`${address}?w=640`)).toBeTruthy();
    await user.click(button("Link format"));
    expect(screen.getByRole("menuitem", { name: /^My format/ })).toBeTruthy();
    await user.click(screen.getByRole("menuitem", { name: "BBCode" }));
    expect(native.asked).toContain(`images.copyLinks(["${hash(2_415)}"], "bbcode")`);
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
  });

  test("has its link copied by Ctrl+C, and says of what kind the address is", async () => {
    const address = { ...lit.address, kind: "temporary" } as const;
    const { native } = await large({ ...lit, address });
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText("This address changes when Porchlight restarts.")).toBeTruthy();
    await fireEvent.keyDown(screen.getByRole("dialog"), { key: "c", ctrlKey: true });
    expect(native.asked).toContain(`images.copyLinks(["${hash(2_415)}"], "own")`);
    await dialog.findByText("Link copied. This address changes when Porchlight restarts.");
  });

  test("leads to its neighbours, and back to its place in the grid", async () => {
    const { user } = await large();
    const dialog = screen.getByRole("dialog");
    await fireEvent.keyDown(dialog, { key: "ArrowRight" });
    expect(dialog.getAttribute("aria-label")).toBe("Picture 3 of 2,417");
    await user.click(button("Previous picture"));
    await user.click(button("Previous picture"));
    expect(dialog.getAttribute("aria-label")).toBe("Picture 1 of 2,417");
    expect(button("Previous picture").hasAttribute("disabled")).toBe(true);
    // The button that was pressed last is disabled now, and the keys still lead on.
    await fireEvent.keyDown(document.body, { key: "ArrowRight" });
    await fireEvent.keyDown(dialog, { key: "ArrowRight" });
    await fireEvent.keyDown(dialog, { key: "Escape" });
    await drawn();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(focused()).toBe(2);
  });

  test("is shown pixel by pixel when pressed", async () => {
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

  test("is moved by the arrow keys while every pixel is shown, and Escape fits it again", async () => {
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

  test("stays though the grid behind it is elsewhere", async () => {
    const { native } = await large();
    const dialog = screen.getByRole("dialog");
    await fireEvent.keyDown(dialog, { key: "End" });
    await drawn();
    expect(dialog.textContent).toContain(hash(0));
    for (const total of [2_418, 2_450, 2_500]) {
      native.answer("images", { page: library(total) });
      native.tell("images-changed", null);
      await drawn();
      expect(dialog.textContent).toContain(hash(0));
    }
    expect(dialog.getAttribute("aria-label")).toBe("Picture 2,500 of 2,500");
  });

  test("is deleted from there, and can be kept there", async () => {
    const { native, user } = await large();
    const dialog = screen.getByRole("dialog");
    await user.click(button("Delete picture"));
    await drawn();
    expect(native.asked).toContain(`images.remove(["${hash(2_415)}"])`);
    expect(button("about to be deleted").getAttribute("aria-disabled")).toBe("true");
    await user.click(button("about to be deleted"));
    expect(native.asked.filter((one) => one.startsWith("images.remove(")).length).toBe(1);
    await user.click(within(dialog).getByRole("button", { name: "Undo" }));
    await drawn();
    expect(button("Delete picture").getAttribute("aria-disabled")).toBe("false");
  });

  test("stays when others come, and goes when the last one is gone", async () => {
    const { native } = await large();
    const dialog = screen.getByRole("dialog");
    native.answer("images", { page: library(2_420) });
    native.tell("images-changed", null);
    await drawn();
    expect(dialog.getAttribute("aria-label")).toBe("Picture 5 of 2,420");
    native.answer("images", { page: library(0) });
    native.tell("images-changed", null);
    await drawn();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(text()).toContain("No pictures yet.");
  });
});
