import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { hash, lit, scenes } from "../src/testing/scenes";
import { button, open, text } from "./window";

describe("the newest pictures", () => {
  test("are twelve, through the private scheme, with how many there are in all", async () => {
    await open("on");
    expect(screen.getByText("2,417 in all")).toBeTruthy();
    const pictures = screen.getAllByRole<HTMLImageElement>("img", { name: /^Picture added / });
    expect(pictures.length).toBe(12);
    expect(pictures[0]?.getAttribute("src")).toBe(`picture://localhost/${hash(1)}?w=320`);
  });

  test("give their link when pressed", async () => {
    const { native, user } = await open("on");
    const first = screen.getAllByRole("button", { name: /^Copy link to the picture/ })[0];
    if (first === undefined) throw new Error("no picture");
    await user.click(first);
    expect(native.asked).toContain(`copyLink:${hash(1)}`);
    await screen.findByText("The link is on the clipboard");
  });

  test("say so where one cannot be shown", async () => {
    await open("on");
    const first = screen.getAllByRole("img", { name: /^Picture added / })[0];
    if (first === undefined) throw new Error("no picture");
    await fireEvent.error(first);
    await screen.findByRole("img", { name: "This picture cannot be shown" });
  });

  test("are chosen with the system's dialog, also when there are none yet", async () => {
    const { native, user } = await open("empty");
    expect(text()).toContain("No pictures yet.");
    await user.click(button("Add pictures…"));
    expect(native.asked).toContain("choosePictures");
  });

  test("are dropped on the whole window", async () => {
    const { native } = await open("on");
    expect(screen.queryByText("Let go to add them")).toBeNull();
    native.hover(true);
    await screen.findByText("Let go to add them");
    native.hover(false);
    await expect.poll(() => screen.queryByText("Let go to add them")).toBeNull();
  });
});

describe("the queue", () => {
  test("is not there when nothing was added", async () => {
    await open("on");
    expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull();
  });

  test("says how far all files are, and the state of each", async () => {
    await open("uploading");
    expect(screen.getByRole("heading", { name: "Uploading 5 of 6" })).toBeTruthy();
    expect(screen.getByText("105 MB of 114 MB")).toBeTruthy();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("92");
    const rows = within(screen.getByRole("list", { name: "Uploads" })).getAllByRole("listitem");
    const said = rows.map((row) => (row.textContent ?? "").replace(/\s+/g, " ").trim());
    expect(said).toEqual([
      "evening-harbour.jpg 12.4 MB → 1.1 MB, WebP added",
      "灯笼与雨.png 4.8 MB already here",
      "notes.heic It is not a picture of a kind that is known here. failed",
      expect.stringContaining("The picture is damaged and cannot be opened. failed"),
      "screenshot 2026-11-20.png adding",
      "IMG_2041.jpg 6.4 MB waiting",
    ]);
  });

  test("gives a reason of its own for each trouble, in both languages", async () => {
    const troubles = [
      "unreadable",
      "not_a_file",
      "too_large",
      "not_a_picture",
      "broken",
      "storage_full",
      "storage",
    ] as const;
    for (const language of ["en", "zh-CN"]) {
      const { container, unmount } = await open(
        {
          home: lit,
          uploads: troubles.map((trouble, id) => ({
            id,
            name: "a",
            size: 1,
            state: "failed",
            trouble,
          })),
        },
        language,
      );
      const reasons = [...container.querySelectorAll(".reason")].map((one) => one.textContent);
      expect(new Set(reasons).size).toBe(troubles.length);
      unmount();
    }
  });

  test("sums up when all is done, and is cleared", async () => {
    const { native, user } = await open("uploaded");
    expect(
      screen.getByRole("heading", { name: "1 picture added, 1 already here, 2 failed" }),
    ).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBeNull();
    await user.click(button("Clear finished"));
    expect(native.asked).toContain("clearUploads");
    await expect.poll(() => screen.queryByRole("region", { name: "Uploads" })).toBeNull();
  });

  test("counts a new batch from its own beginning", async () => {
    const { native } = await open("uploaded");
    native.changeUploads([
      ...scenes.uploaded.uploads,
      { id: 5, name: "later.png", size: 10, state: "working" },
      { id: 6, name: "last.png", size: 10, state: "waiting" },
    ]);
    await screen.findByRole("heading", { name: "Uploading 1 of 2" });
  });

  test("that is long shows what failed and what is under way, and all of it when asked", async () => {
    const { user } = await open("many");
    const list = screen.getByRole("list", { name: "Uploads" });
    expect(within(list).getAllByRole("listitem").length).toBeLessThan(12);
    expect(within(list).getByText("IMG_2017.jpg")).toBeTruthy();
    expect(within(list).getByText("IMG_2081.jpg")).toBeTruthy();
    await user.click(button("Show all 240"));
    expect(within(list).getAllByRole("listitem").length).toBe(240);
  });
});
