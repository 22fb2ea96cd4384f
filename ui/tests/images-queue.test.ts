// The upload queue, and files that could not be uploaded.

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { Upload } from "../src/api/types";
import { UploadsState } from "../src/images/uploads.svelte";
import { Speed, secondsLeft } from "../src/speed";
import { FakeNative } from "../src/testing/fake-native";
import { lit } from "../src/testing/scenes/home";
import { aside, files, library, scenes } from "../src/testing/scenes/images";
import { text as words } from "../src/testing/text";
import { button, drawn, NOW, open, text } from "./images";

const list = () => screen.getByRole("list", { name: "Uploads" });

describe("the queue", () => {
  test("is not there when nothing was added", async () => {
    await open("full");
    expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull();
  });

  test("says how far all files are, and the state of each", async () => {
    await open("uploading");
    expect(screen.getByRole("heading", { name: "Uploading: 4 of 6 done" })).toBeTruthy();
    expect(screen.getByText("107 MB of 114 MB")).toBeTruthy();
    const bar = screen.getByRole("progressbar", { name: "Upload progress" });
    expect(bar.getAttribute("aria-valuenow")).toBe("94");
    const one = screen.getByRole("progressbar", { name: "screenshot 2026-11-20.png" });
    expect(one.getAttribute("aria-valuenow")).toBe("64");
    const rows = within(list()).getAllByRole("listitem");
    const said = rows.map((row) => (row.textContent ?? "").replace(/\s+/g, " ").trim());
    expect(said).toEqual([
      "evening-harbour.jpg 12.4 MB → 1.1 MB, WebP uploaded",
      "灯笼与雨.png 4.8 MB already here",
      "notes.heic This format isn’t supported. Save it as JPEG, PNG or WebP. failed",
      expect.stringContaining("This picture is damaged. Save it again and retry. Retry"),
      "screenshot 2026-11-20.png 64%",
      "IMG_2041.jpg 6.4 MB waiting",
    ]);
  });

  test("tries one that failed again, or all of them", async () => {
    const { native, user } = await open("uploaded");
    // Another format does not become one that can be read.
    expect(screen.queryByRole("button", { name: "Retry notes.heic" })).toBeNull();
    await user.click(button(/^Retry scan-of/));
    expect(native.asked).toContain("uploads.retry(4)");
    await user.click(button("Retry all"));
    expect(native.asked).toContain("uploads.retry(null)");
  });

  test("gives the link of one that is stored", async () => {
    const { native, user } = await open("uploaded");
    await user.click(button("Copy link to evening-harbour.jpg"));
    await user.click(button("Copy link to 灯笼与雨.png"));
    expect(native.asked.filter((one) => one.startsWith("uploads.copyLink"))).toEqual([
      "uploads.copyLink(1)",
      "uploads.copyLink(2)",
    ]);
    await screen.findByText("Link copied");
  });

  test.for([
    ["permanent", "Link copied"],
    ["local", "Link copied. Readers can’t open this address."],
  ] as const)("says of a %s address of another service: %s", async ([elsewhere, said]) => {
    const url = "https://other.example/i/1";
    const one = {
      id: 1,
      name: "a.png",
      size: 10,
      state: "done",
      stored: 9,
      hash: null,
      url,
    } as const;
    const address = { ...lit.address, kind: "temporary" } as const;
    const links = { ...lit.links, elsewhere };
    const scene = { ...scenes.full, uploads: { read: [one], setAside: [] } };
    const { user } = await open(scene, "en-GB", { home: { ...lit, address, links } });
    await user.click(button("Copy link to a.png"));
    await screen.findByText(said);
  });

  test("says why one waits, and cancels it or all that wait", async () => {
    const why = words("connection refused");
    const read: Upload[] = [
      { id: 1, name: "a.png", size: 10, state: "waiting", why },
      { id: 2, name: "b.png", size: 10, state: "waiting" },
    ];
    const { native, user } = await open({ ...scenes.full, uploads: { read, setAside: [] } });
    expect(list().textContent).toContain("connection refused");
    await user.click(button("Cancel b.png"));
    expect(native.asked).toContain("uploads.cancel(2)");
    await user.click(button("Cancel the rest"));
    expect(native.asked).toContain("uploads.cancel(null)");
  });

  test("shows no picture of what another service stores", async () => {
    const url = "https://elsewhere.example/i/ab";
    const read: Upload[] = [
      { id: 1, name: "a.png", size: 10, state: "done", hash: null, url, stored: null },
    ];
    await open({ ...scenes.full, uploads: { read, setAside: [] } });
    expect(list().querySelector("img")).toBeNull();
    expect(list().textContent).toContain("10 bytes");
  });

  test("gives a reason of its own for each trouble, in both languages", async () => {
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
        { ...scenes.full, uploads: { read, setAside: [] } },
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
      screen.getByRole("heading", { name: "1 picture uploaded, 1 already here, 2 failed" }),
    ).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBeNull();
    await user.click(button("Clear finished"));
    expect(native.asked).toContain("uploads.clear()");
    native.tell("uploads-changed", []);
    await drawn();
    expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull();
  });

  test("counts a new batch from its own beginning", async () => {
    const { native } = await open("uploaded");
    native.tell("uploads-changed", [
      ...files.slice(0, 4),
      { id: 5, name: "later.png", size: 10, state: "working", permille: 0 },
      { id: 6, name: "last.png", size: 10, state: "waiting" },
    ]);
    await screen.findByRole("heading", { name: "Uploading: 0 of 2 done" });
  });

  test("that is long shows what failed and what is under way, and all of it when asked", async () => {
    const { user } = await open("many");
    expect(within(list()).getAllByRole("listitem").length).toBeLessThan(12);
    expect(within(list()).getByText("IMG_2017.jpg")).toBeTruthy();
    expect(within(list()).getByText("IMG_2081.jpg")).toBeTruthy();
    await user.click(button("Show all 240"));
    expect(within(list()).getAllByRole("listitem").length).toBe(240);
    await user.click(button("Show fewer"));
    expect(within(list()).getAllByRole("listitem").length).toBeLessThan(12);
  });

  test("of ten thousand files is drawn in part", async () => {
    const read = Array.from({ length: 10_000 }, (_, n): Upload => {
      return { id: n + 1, name: `${n}.png`, size: 9, state: "failed", trouble: "broken" };
    });
    const { user } = await open({ ...scenes.full, uploads: { read, setAside: [] } });
    expect(within(list()).getAllByRole("listitem").length).toBeLessThan(16);
    await user.click(button("Show all 10,000"));
    expect(within(list()).getAllByRole("listitem").length).toBe(500);
    expect(text()).toContain("9,500 more files not shown");
  });

  test("that was told while it was asked for is not set back by the answer", async () => {
    let answer = (_: Upload[]) => {};
    const read = () => new Promise<Upload[]>((resolve) => (answer = resolve));
    const native = new FakeNative({ uploads: { read } });
    const uploads = new UploadsState(native);
    const end = uploads.follow();
    await expect.poll(() => native.asked).toEqual(["uploads.read()"]);
    native.tell("uploads-changed", files);
    answer([]);
    await drawn();
    expect(uploads.all.length).toBe(6);
    end();
  });

  test("is counted in files where their sizes are not known", async () => {
    const read: Upload[] = [
      { id: 1, name: "a", size: 0, state: "waiting" },
      { id: 2, name: "b", size: 0, state: "waiting" },
    ];
    const { native } = await open({ ...scenes.full, uploads: { read, setAside: [] } });
    native.tell("uploads-changed", [
      { id: 1, name: "a", size: 0, state: "failed", trouble: "not_a_file" },
      { id: 2, name: "b", size: 0, state: "waiting" },
    ]);
    await drawn();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("50");
  });

  test("that cannot be read says why", async () => {
    const read = () => Promise.reject(new Error("The process is gone."));
    await open({ ...scenes.full, uploads: { read, setAside: [] } });
    expect(text()).toContain("Couldn’t load the uploads. The process is gone.");
  });
});

describe("the pace", () => {
  test("is not known before there is something to see", () => {
    const speed = new Speed();
    expect(speed.perSecond).toBeNull();
    speed.see(0, 0);
    speed.see(1_000, 900_000);
    expect(speed.perSecond).toBeNull();
    speed.see(2_000, 4_000_000);
    expect(speed.perSecond).toBe(2_000_000);
  });

  test("is that of the last seconds, and falls when nothing comes", () => {
    const speed = new Speed();
    for (let second = 0; second <= 20; second++) speed.see(second * 1_000, second * 1_000_000);
    expect(speed.perSecond).toBe(1_000_000);
    for (let second = 21; second <= 25; second++) speed.see(second * 1_000, 20_000_000);
    expect(speed.perSecond).toBe(375_000);
    for (let second = 26; second <= 40; second++) speed.see(second * 1_000, 20_000_000);
    expect(speed.perSecond).toBeNull();
  });

  test("begins anew when the count does", () => {
    const speed = new Speed();
    speed.see(0, 0);
    speed.see(4_000, 8_000_000);
    speed.see(5_000, 10);
    expect(speed.perSecond).toBeNull();
  });

  test("says what is left in steps that do not jitter", () => {
    expect(secondsLeft(1_000, null)).toBeNull();
    expect(secondsLeft(8_100, 1_000)).toBe(9);
    expect(secondsLeft(10, 1_000)).toBe(1);
    expect(secondsLeft(31_000, 1_000)).toBe(35);
    expect(secondsLeft(130_000, 1_000)).toBe(180);
  });

  test("stands beside the title while files go", async () => {
    const { native } = await open({ ...scenes.full, uploads: { read: [], setAside: [] } });
    const working = (permille: number): Upload[] => [
      { id: 1, name: "a.png", size: 36_000_000, state: "working", permille },
    ];
    native.tell("uploads-changed", working(0));
    await drawn();
    expect(text()).not.toContain("/s");
    vi.setSystemTime(NOW + 2_000);
    native.tell("uploads-changed", working(100));
    await drawn();
    expect(text()).toContain("3.6 MB of 36 MB · 1.8 MB/s · about 20 s left");
  });
});

describe("files that were set aside", () => {
  test("are shown with their reason, tried again and dismissed", async () => {
    const { native, user } = await open("aside");
    const title = "2 files couldn’t be uploaded";
    expect(screen.getByRole("heading", { name: title })).toBeTruthy();
    expect(screen.getAllByRole("status").some((one) => one.textContent === title)).toBe(true);
    expect(text()).toContain("Porchlight can’t read this file as a picture. It reads");
    await user.click(button("Retry half.png"));
    expect(native.asked).toContain("uploads.retrySetAside(9)");
    native.answer("uploads", { setAside: [] });
    await user.click(button("Remove IMG_0311.heic from the list"));
    expect(native.asked).toContain("uploads.dismissSetAside(7)");
    await drawn();
    expect(screen.queryByRole("heading", { name: title })).toBeNull();
  });

  test("are tried again or dismissed all at once", async () => {
    const { native, user } = await open("aside");
    await user.click(button("Retry all"));
    await user.click(button("Remove all from list"));
    expect(native.asked).toContain("uploads.retrySetAside(null)");
    expect(native.asked).toContain("uploads.dismissSetAside(null)");
  });

  test("come when the first page says that something has changed", async () => {
    const { native } = await open("full");
    native.answer("uploads", {
      setAside: [{ id: 1, name: "a.heic", folder: "~", reason: words("no") }],
    });
    native.tell("home-changed", null);
    await screen.findByRole("heading", { name: "1 file couldn’t be uploaded" });
  });
});

describe("the ways to add pictures", () => {
  test("are the dialogs for files and for a folder, and the clipboard", async () => {
    const { native, user } = await open("empty");
    expect(text()).toContain("No pictures yet.");
    const add = screen.getAllByRole("button", { name: "Add pictures…" })[0];
    const more = screen.getAllByRole("button", { name: "More ways to add pictures" })[0];
    if (add === undefined || more === undefined) throw new Error("no button");
    await user.click(add);
    expect(native.asked).toContain("uploads.choosePictures()");
    await user.click(more);
    await user.click(screen.getByRole("menuitem", { name: "Choose a folder…" }));
    expect(native.asked).toContain("uploads.chooseFolder()");
    more.focus();
    await user.keyboard("{ArrowDown}{ArrowUp}{Enter}");
    expect(native.asked).toContain("uploads.paste()");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(more);
  });

  test("are closed by Escape", async () => {
    const { user } = await open({ ...scenes.full, images: { page: library(2), removals: [] } });
    await user.click(button("More ways to add pictures"));
    expect(screen.getByRole("menu")).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
  });
});

describe("who is led to what waits here", () => {
  test("finds the files that were set aside, once they are there", async () => {
    let give = (_: typeof aside) => {};
    const setAside = () => new Promise<typeof aside>((resolve) => (give = resolve));
    const { navigation } = await open(
      { ...scenes.full, uploads: { read: files, setAside } },
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

  test("finds the queue where nothing was set aside, also when already here", async () => {
    const { navigation } = await open({ ...scenes.full, uploads: { read: files, setAside: [] } });
    navigation.to("images", "queue");
    await drawn();
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Uploads" }));
    expect(navigation.section).toBeNull();
  });
});
