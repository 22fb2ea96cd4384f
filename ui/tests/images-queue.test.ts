// The upload queue, and files that could not be uploaded.

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { Upload } from "../src/api/types";
import { UploadsState } from "../src/images/uploads.svelte";
import { Speed, secondsLeft } from "../src/speed";
import { FakeNative } from "../src/testing/fake-native";
import { aside, files, library, scenes } from "../src/testing/scenes/images";
import { text as words } from "../src/testing/text";
import { button, drawn, NOW, open, text } from "./images";

const list = () => screen.getByRole("list", { name: "Uploads" });

describe("the upload queue", () => {
  test("is hidden when nothing was added", async () => {
    await open("full");
    expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull();
  });

  test("shows the total progress and the state of each file", async () => {
    await open("uploading");
    expect(screen.getByRole("heading", { name: "Uploading: 4 of 6 done" })).toBeTruthy();
    expect(screen.getByText("107 MB of 114 MB")).toBeTruthy();
    const bar = screen.getByRole("progressbar", { name: "Upload progress" });
    expect(bar.getAttribute("aria-valuenow")).toBe("94");
    const one = screen.getByRole("progressbar", { name: "screenshot 2026-11-20.png" });
    expect(one.getAttribute("aria-valuenow")).toBe("64");
    const rows = within(list()).getAllByRole("listitem");
    const texts = rows.map((row) => (row.textContent ?? "").replace(/\s+/g, " ").trim());
    expect(texts).toEqual([
      "evening-harbour.jpg 12.4 MB → 1.1 MB, WebP uploaded",
      "灯笼与雨.png 4.8 MB already here",
      "notes.heic This format isn’t supported. Save it as JPEG, PNG or WebP. failed",
      expect.stringContaining("This picture is damaged. Save it again and retry. Retry"),
      "screenshot 2026-11-20.png 64%",
      "IMG_2041.jpg 6.4 MB waiting",
    ]);
  });

  test("retries one failed upload or all of them", async () => {
    const { native, user } = await open("uploaded");
    // An unsupported format cannot be retried.
    expect(screen.queryByRole("button", { name: "Retry notes.heic" })).toBeNull();
    await user.click(button(/^Retry scan-of/));
    expect(native.calls).toContain("retryUpload(4)");
    await user.click(button("Retry all"));
    expect(native.calls).toContain("retryUpload(null)");
  });

  test("copies the link of a stored picture", async () => {
    const { native, user } = await open("uploaded");
    await user.click(button("Copy link to evening-harbour.jpg"));
    await user.click(button("Copy link to 灯笼与雨.png"));
    expect(native.calls.filter((one) => one.startsWith("copyUploadLink("))).toEqual([
      "copyUploadLink(1)",
      "copyUploadLink(2)",
    ]);
    await screen.findByText("Link copied");
  });

  test("shows why an upload waits, and cancels one or all that wait", async () => {
    const why = words("connection refused");
    const read: Upload[] = [
      { id: 1, name: "a.png", size: 10, state: "waiting", why },
      { id: 2, name: "b.png", size: 10, state: "waiting" },
    ];
    const { native, user } = await open({ ...scenes.full, uploads: read, setAsideFiles: [] });
    expect(list().textContent).toContain("connection refused");
    await user.click(button("Cancel b.png"));
    expect(native.calls).toContain("cancelUpload(2)");
    await user.click(button("Cancel the rest"));
    expect(native.calls).toContain("cancelUpload(null)");
  });

  test("has a specific message for each failure, in both languages", async () => {
    const troubles = [
      "unreadable",
      "not_a_file",
      "too_large",
      "not_a_picture",
      "broken",
      "storage",
    ] as const;
    const read = troubles.map(
      (trouble, id): Upload => ({ id, name: "a", size: 1, state: "failed", trouble }),
    );
    for (const language of ["en", "zh-CN"]) {
      const { container, unmount } = await open(
        { ...scenes.full, uploads: read, setAsideFiles: [] },
        language,
      );
      const reasons = [...container.querySelectorAll(".reason")].map((one) => one.textContent);
      expect(new Set(reasons).size).toBe(troubles.length);
      unmount();
    }
  });

  test("shows a summary when all uploads are done, and can be cleared", async () => {
    const { native, user } = await open("uploaded");
    expect(
      screen.getByRole("heading", { name: "1 picture uploaded, 1 already here, 2 failed" }),
    ).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBeNull();
    await user.click(button("Clear finished"));
    expect(native.calls).toContain("clearUploads()");
    native.emit("uploads-changed", []);
    await drawn();
    expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull();
  });

  test("counts the progress of a new batch from zero", async () => {
    const { native } = await open("uploaded");
    native.emit("uploads-changed", [
      ...files.slice(0, 4),
      { id: 5, name: "later.png", size: 10, state: "working", permille: 0 },
      { id: 6, name: "last.png", size: 10, state: "waiting" },
    ]);
    await screen.findByRole("heading", { name: "Uploading: 0 of 2 done" });
  });

  test("shows only failed and active uploads if it is long, and all on request", async () => {
    const { user } = await open("many");
    expect(within(list()).getAllByRole("listitem").length).toBeLessThan(12);
    expect(within(list()).getByText("IMG_2017.jpg")).toBeTruthy();
    expect(within(list()).getByText("IMG_2081.jpg")).toBeTruthy();
    await user.click(button("Show all 240"));
    expect(within(list()).getAllByRole("listitem").length).toBe(240);
    await user.click(button("Show fewer"));
    expect(within(list()).getAllByRole("listitem").length).toBeLessThan(12);
  });

  test("renders only a part of ten thousand files", async () => {
    const read = Array.from({ length: 10_000 }, (_, n): Upload => {
      return { id: n + 1, name: `${n}.png`, size: 9, state: "failed", trouble: "broken" };
    });
    const { user } = await open({ ...scenes.full, uploads: read, setAsideFiles: [] });
    expect(within(list()).getAllByRole("listitem").length).toBeLessThan(16);
    await user.click(button("Show all 10,000"));
    expect(within(list()).getAllByRole("listitem").length).toBe(500);
    expect(text()).toContain("9,500 more files not shown");
  });

  test("is not overwritten by an answer that is older than an event", async () => {
    let answer = (_: Upload[]) => {};
    const read = () => new Promise<Upload[]>((resolve) => (answer = resolve));
    const native = new FakeNative({ uploads: read });
    const uploads = new UploadsState(native);
    const end = uploads.follow();
    await expect.poll(() => native.calls).toEqual(["uploads()"]);
    native.emit("uploads-changed", files);
    answer([]);
    await drawn();
    expect(uploads.all.length).toBe(6);
    end();
  });

  test("measures progress in files if their sizes are unknown", async () => {
    const read: Upload[] = [
      { id: 1, name: "a", size: 0, state: "waiting" },
      { id: 2, name: "b", size: 0, state: "waiting" },
    ];
    const { native } = await open({ ...scenes.full, uploads: read, setAsideFiles: [] });
    native.emit("uploads-changed", [
      { id: 1, name: "a", size: 0, state: "failed", trouble: "not_a_file" },
      { id: 2, name: "b", size: 0, state: "waiting" },
    ]);
    await drawn();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("50");
  });

  test("shows the reason if it cannot be read", async () => {
    const read = () => Promise.reject(new Error("The process is gone."));
    await open({ ...scenes.full, uploads: read, setAsideFiles: [] });
    expect(text()).toContain("Couldn’t load the uploads. The process is gone.");
  });
});

describe("the upload speed", () => {
  test("is unknown before there are enough samples", () => {
    const speed = new Speed();
    expect(speed.perSecond).toBeNull();
    speed.see(0, 0);
    speed.see(1_000, 900_000);
    expect(speed.perSecond).toBeNull();
    speed.see(2_000, 4_000_000);
    expect(speed.perSecond).toBe(2_000_000);
  });

  test("covers the last seconds and drops without progress", () => {
    const speed = new Speed();
    for (let second = 0; second <= 20; second++) speed.see(second * 1_000, second * 1_000_000);
    expect(speed.perSecond).toBe(1_000_000);
    for (let second = 21; second <= 25; second++) speed.see(second * 1_000, 20_000_000);
    expect(speed.perSecond).toBe(375_000);
    for (let second = 26; second <= 40; second++) speed.see(second * 1_000, 20_000_000);
    expect(speed.perSecond).toBeNull();
  });

  test("restarts when the count restarts", () => {
    const speed = new Speed();
    speed.see(0, 0);
    speed.see(4_000, 8_000_000);
    speed.see(5_000, 10);
    expect(speed.perSecond).toBeNull();
  });

  test("rounds the remaining time so that it does not jitter", () => {
    expect(secondsLeft(1_000, null)).toBeNull();
    expect(secondsLeft(8_100, 1_000)).toBe(9);
    expect(secondsLeft(10, 1_000)).toBe(1);
    expect(secondsLeft(31_000, 1_000)).toBe(35);
    expect(secondsLeft(130_000, 1_000)).toBe(180);
  });

  test("is shown beside the title during uploads", async () => {
    const { native } = await open({ ...scenes.full, uploads: [], setAsideFiles: [] });
    const working = (permille: number): Upload[] => [
      { id: 1, name: "a.png", size: 36_000_000, state: "working", permille },
    ];
    native.emit("uploads-changed", working(0));
    await drawn();
    expect(text()).not.toContain("/s");
    vi.setSystemTime(NOW + 2_000);
    native.emit("uploads-changed", working(100));
    await drawn();
    expect(text()).toContain("3.6 MB of 36 MB · 1.8 MB/s · about 20 s left");
  });
});

describe("files that were set aside", () => {
  test("are shown with their reason, and can be retried and dismissed", async () => {
    const { native, user } = await open("aside");
    const title = "2 files couldn’t be uploaded";
    expect(screen.getByRole("heading", { name: title })).toBeTruthy();
    expect(screen.getAllByRole("status").some((one) => one.textContent === title)).toBe(true);
    expect(text()).toContain("Porchlight can’t read this file as a picture. It reads");
    await user.click(button("Retry half.png"));
    expect(native.calls).toContain("retrySetAside(9)");
    native.answer({ setAsideFiles: [] });
    await user.click(button("Remove IMG_0311.heic from the list"));
    expect(native.calls).toContain("dismissSetAside(7)");
    await drawn();
    expect(screen.queryByRole("heading", { name: title })).toBeNull();
  });

  test("can be retried or dismissed all at once", async () => {
    const { native, user } = await open("aside");
    await user.click(button("Retry all"));
    await user.click(button("Remove all from list"));
    expect(native.calls).toContain("retrySetAside(null)");
    expect(native.calls).toContain("dismissSetAside(null)");
  });

  test("are read again when the home status changes", async () => {
    const { native } = await open("full");
    native.answer({
      setAsideFiles: [{ id: 1, name: "a.heic", folder: "~", reason: words("no") }],
    });
    native.emit("home-changed", null);
    await screen.findByRole("heading", { name: "1 file couldn’t be uploaded" });
  });
});

describe("the ways to add pictures", () => {
  test("are a file dialog, a folder dialog and the clipboard", async () => {
    const { native, user } = await open("empty");
    expect(text()).toContain("No pictures yet.");
    const add = screen.getAllByRole("button", { name: "Add pictures…" })[0];
    const more = screen.getAllByRole("button", { name: "More ways to add pictures" })[0];
    if (add === undefined || more === undefined) throw new Error("no button");
    await user.click(add);
    expect(native.calls).toContain("choosePictures()");
    await user.click(more);
    await user.click(screen.getByRole("menuitem", { name: "Choose a folder…" }));
    expect(native.calls).toContain("chooseFolderOfPictures()");
    more.focus();
    await user.keyboard("{ArrowDown}{End}{ArrowUp}{Enter}");
    expect(native.calls).toContain("pastePictures()");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(more);
  });

  test("close on Escape", async () => {
    const { user } = await open({ ...scenes.full, images: library(2) });
    await user.click(button("More ways to add pictures"));
    expect(screen.getByRole("menu")).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
  });
});

describe("navigating to the queue", () => {
  test("focuses the files that were set aside once they are loaded", async () => {
    let give = (_: typeof aside) => {};
    const setAside = () => new Promise<typeof aside>((resolve) => (give = resolve));
    const { navigation } = await open(
      { ...scenes.full, uploads: files, setAsideFiles: setAside },
      "en",
      {
        section: "queue",
      },
    );
    expect(document.activeElement).toBe(document.body);
    give(aside);
    await drawn();
    expect(document.activeElement).toBe(
      screen.getByRole("region", { name: /couldn’t be uploaded/ }),
    );
    expect(navigation.section).toBeNull();
  });

  test("focuses the queue if nothing was set aside, even if the page is already open", async () => {
    const { navigation } = await open({ ...scenes.full, uploads: files, setAsideFiles: [] });
    navigation.to("images", "queue");
    await drawn();
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Uploads" }));
    expect(navigation.section).toBeNull();
  });
});
