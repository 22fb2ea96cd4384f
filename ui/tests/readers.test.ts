import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { hours, roundTop } from "../src/home/hours";
import { hash, lit, NOW } from "../src/testing/scenes/home";
import { button, open, text } from "./window";

describe("the readers of today", () => {
  const card = (name = "Readers today") => screen.getByRole("region", { name });
  const big = () =>
    within(card()).getByText(/^[\d,]+\+?$|^Unknown$/, { selector: ".big, .big *" }).textContent;

  test("are a number, and none is a number too", async () => {
    const { unmount } = await open("good");
    expect(big()).toBe("164");
    within(card()).getByText("164 readers");
    expect(within(card()).queryByText(/told apart/)).toBeNull();
    unmount();
    await open("empty");
    expect(big()).toBe("0");
  });

  test("are unknown where the tunnel names nobody, and it is said why", async () => {
    const { unmount } = await open("unnamed");
    expect(big()).toBe("Unknown");
    within(card()).getByText(/^This tunnel hides visitors’ addresses/);
    expect(within(card()).queryByText(/readers?$/)).toBeNull();
    unmount();
    await open("unnamed", "zh-CN");
    within(card("今日读者")).getByText("未知");
  });

  test("are at least as many as could be told apart", async () => {
    await open("crowded");
    expect(big()).toBe("100,000+");
    within(card()).getByText("at least 100,000 readers");
    within(card()).getByText("Some visitors had no address and can’t be counted.");
  });

  test("stay while an hour of the calls is pointed at, which is then named", async () => {
    const { user } = await open("good");
    screen.getByRole("img", { name: /requests in the last 24 hours/ }).focus();
    await user.keyboard("{ArrowLeft}");
    expect(big()).toBe("164");
    within(card()).getByText("14:00 to 15:00: 41 requests", { selector: ".calls" });
  });
});

describe("the calls of a day", () => {
  test("are counted with the pictures, and described for those who do not see the chart", async () => {
    await open("good");
    const chart = screen.getByRole("img", { name: /requests in the last 24 hours/ });
    expect(chart.getAttribute("aria-label")).toMatch(
      /^1,292 requests in the last 24 hours\. The busiest hour was .+ to .+, with 132\.$/,
    );
    expect(chart.querySelectorAll(".bar").length).toBe(24);
    const all = "Requests by hour 1,292 in the last 24 hours, with 312 pictures";
    expect(text()).toContain(all);
  });

  test("are read off one hour by pointing at it", async () => {
    const { container } = await open("good");
    const bar = container.querySelectorAll(".chart .bar")[20];
    if (bar === undefined) throw new Error("no bar");
    await fireEvent.pointerEnter(bar);
    expect(container.querySelector(".calls")?.textContent).toMatch(/: 132 requests$/);
  });

  test("are read off by the arrow keys, and listed hour by hour for screen readers", async () => {
    const { container, user } = await open("good");
    const chart = screen.getByRole("img", { name: /requests in the last 24 hours/ });
    const total = () => container.querySelector(".calls")?.textContent;
    chart.focus();
    await user.keyboard("{ArrowLeft}");
    expect(total()).toMatch(/: 41 /);
    await user.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}");
    expect(total()).toMatch(/: 132 /);
    await user.keyboard("{ArrowRight}{End}{ArrowRight}");
    expect(total()).toMatch(/: 41 /);
    await user.keyboard("{Escape}");
    expect(total()).toMatch(/hour 1,292 /);
    const list = within(screen.getByRole("list", { name: "Requests in the last 24 hours" }));
    const hours = list.getAllByRole("listitem").map((item) => item.textContent);
    expect(hours.length).toBe(24);
    expect(hours.at(-1)).toBe("14:00 to 15:00: 41 requests");
  });

  test("stay at their hours when the hour turns, and are then read again", async () => {
    const { native, container } = await open("good");
    const last = () => container.querySelector(".by-hour li:last-child")?.textContent;
    expect(last()).toBe("14:00 to 15:00: 41 requests");
    let give = (_: typeof lit) => {};
    native.answer("home", { read: () => new Promise<typeof lit>((resolve) => (give = resolve)) });
    const reads = () => native.asked.filter((one) => one === "home.read()").length;
    const before = reads();
    vi.setSystemTime(NOW + 3_600_000);
    // A window that comes back looks at its clock.
    document.dispatchEvent(new Event("visibilitychange"));
    await vi.waitFor(() => expect(reads()).toBe(before + 1));
    expect(last()).toBe("14:00 to 15:00: 41 requests");
    give({ ...lit, callsByHour: [...lit.callsByHour.slice(1), 3] });
    await vi.waitFor(() => expect(last()).toBe("15:00 to 16:00: 3 requests"));
    expect(reads()).toBe(before + 1);
  });

  test("may be none", async () => {
    await open("empty");
    expect(screen.getByRole("img", { name: "No requests in the last 24 hours." })).toBeTruthy();
  });

  test("end with the running hour", () => {
    const bars = hours(lit.callsByHour, NOW);
    expect(bars.at(-1)).toEqual({ start: Date.UTC(2026, 10, 20, 14), calls: 41 });
    expect(bars[0]?.start).toBe(Date.UTC(2026, 10, 19, 15));
  });

  test("are drawn to a round and even top", () => {
    const tops = [0, 1, 2, 3, 9, 10, 11, 41, 101, 132, 1_000, 48_211].map(roundTop);
    expect(tops).toEqual([2, 2, 2, 4, 10, 10, 20, 50, 150, 150, 1_000, 50_000]);
  });
});

describe("the newest pictures", () => {
  test("are twelve, through the private scheme, with how many there are in all", async () => {
    const { user } = await open("good");
    const pictures = screen.getAllByRole<HTMLImageElement>("img", { name: /^Picture added / });
    expect(pictures.length).toBe(12);
    expect(pictures[0]?.getAttribute("src")).toBe(`picture://localhost/${hash(1)}?w=320`);
    await user.click(button("2,417 in total"));
    expect(button("Pictures").getAttribute("aria-current")).toBe("page");
  });

  test("are shown large when pressed", async () => {
    const { user } = await open("good");
    const first = screen.getAllByRole("button", { name: /^Open the picture/ })[0];
    if (first === undefined) throw new Error("no picture");
    await user.click(first);
    expect(button("Pictures").getAttribute("aria-current")).toBe("page");
  });

  test("give their link by the button on them", async () => {
    const { native, user } = await open("good");
    const first = screen.getAllByRole("button", { name: /^Copy link to the picture/ })[0];
    if (first === undefined) throw new Error("no picture");
    await user.click(first);
    expect(native.asked).toContain(`images.copyLinks(["${hash(1)}"], "own")`);
    await screen.findByText("Link copied");
  });

  test("can be joined by more from here", async () => {
    const { native, user } = await open("good");
    await user.click(button("Add pictures…"));
    expect(native.asked).toContain("uploads.choosePictures()");
  });

  test("say so where one cannot be shown", async () => {
    await open("good");
    const first = screen.getAllByRole("img", { name: /^Picture added / })[0];
    if (first === undefined) throw new Error("no picture");
    await fireEvent.error(first);
    await screen.findByRole("img", { name: "Couldn’t show this picture" });
  });

  test("are chosen with the system's dialog when there are none yet", async () => {
    const { native, user } = await open("empty");
    expect(text()).toContain("No pictures yet.");
    await user.click(button("Add pictures…"));
    expect(native.asked).toContain("uploads.choosePictures()");
  });
});
