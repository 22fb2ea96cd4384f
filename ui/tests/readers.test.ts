import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { hours, roundTop } from "../src/home/hours";
import { hash, lit, NOW } from "../src/testing/scenes/home";
import { button, open, text } from "./window";

describe("today's readers", () => {
  const card = (name = "Readers today") => screen.getByRole("region", { name });
  const big = () =>
    within(card()).getByText(/^[\d,]+\+?$|^Unknown$/, { selector: ".big, .big *" }).textContent;

  test("are shown as a number, including zero", async () => {
    const { unmount } = await open("good");
    expect(big()).toBe("164");
    within(card()).getByText("164 readers");
    expect(within(card()).queryByText(/told apart/)).toBeNull();
    unmount();
    await open("empty");
    expect(big()).toBe("0");
  });

  test("are unknown with the reason if the tunnel hides addresses", async () => {
    const { unmount } = await open("unnamed");
    expect(big()).toBe("Unknown");
    within(card()).getByText(/^This tunnel hides visitors’ addresses/);
    expect(within(card()).queryByText(/readers?$/)).toBeNull();
    unmount();
    await open("unnamed", "zh-CN");
    within(card("今日读者")).getByText("未知");
  });

  test("are a lower bound if some visitors could not be counted", async () => {
    await open("crowded");
    expect(big()).toBe("100,000+");
    within(card()).getByText("at least 100,000 readers");
    within(card()).getByText("Some visitors had no address and can’t be counted.");
  });

  test("stay visible while an hour of the requests is hovered", async () => {
    const { user } = await open("good");
    screen.getByRole("img", { name: /requests in the last 24 hours/ }).focus();
    await user.keyboard("{ArrowLeft}");
    expect(big()).toBe("164");
    within(card()).getByText("14:00 to 15:00: 41 requests", { selector: ".calls" });
  });
});

describe("the requests of a day", () => {
  test("are summed up, and described for screen readers", async () => {
    await open("good");
    const chart = screen.getByRole("img", { name: /requests in the last 24 hours/ });
    expect(chart.getAttribute("aria-label")).toMatch(
      /^1,292 requests in the last 24 hours\. The busiest hour was .+ to .+, with 132\.$/,
    );
    expect(chart.querySelectorAll(".bar").length).toBe(24);
    const all = "Requests by hour 1,292 in the last 24 hours, with 312 pictures";
    expect(text()).toContain(all);
  });

  test("are shown for the hovered hour", async () => {
    const { container } = await open("good");
    const bar = container.querySelectorAll(".chart .bar")[20];
    if (bar === undefined) throw new Error("no bar");
    await fireEvent.pointerEnter(bar);
    expect(container.querySelector(".calls")?.textContent).toMatch(/: 132 requests$/);
  });

  test("are shown by hour with the arrow keys, and listed for screen readers", async () => {
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

  test("stay at their hours when a new hour begins, and are then read again", async () => {
    const { native, container } = await open("good");
    const last = () => container.querySelector(".by-hour li:last-child")?.textContent;
    expect(last()).toBe("14:00 to 15:00: 41 requests");
    let give = (_: typeof lit) => {};
    native.answer({ home: () => new Promise<typeof lit>((resolve) => (give = resolve)) });
    const reads = () => native.calls.filter((one) => one === "home()").length;
    const before = reads();
    vi.setSystemTime(NOW + 3_600_000);
    // A window that is shown again reads the clock.
    document.dispatchEvent(new Event("visibilitychange"));
    await vi.waitFor(() => expect(reads()).toBe(before + 1));
    expect(last()).toBe("14:00 to 15:00: 41 requests");
    give({ ...lit, callsByHour: [...lit.callsByHour.slice(1), 3] });
    await vi.waitFor(() => expect(last()).toBe("15:00 to 16:00: 3 requests"));
    expect(reads()).toBe(before + 1);
  });

  test("can be zero", async () => {
    await open("empty");
    expect(screen.getByRole("img", { name: "No requests in the last 24 hours." })).toBeTruthy();
  });

  test("end with the current hour", () => {
    const bars = hours(lit.callsByHour, NOW);
    expect(bars.at(-1)).toEqual({ start: Date.UTC(2026, 10, 20, 14), calls: 41 });
    expect(bars[0]?.start).toBe(Date.UTC(2026, 10, 19, 15));
  });

  test("use a round and even maximum for the scale", () => {
    const tops = [0, 1, 2, 3, 9, 10, 11, 41, 101, 132, 1_000, 48_211].map(roundTop);
    expect(tops).toEqual([2, 2, 2, 4, 10, 10, 20, 50, 150, 150, 1_000, 50_000]);
  });
});

describe("the newest pictures", () => {
  test("show twelve thumbnails through the private URL scheme, and the total", async () => {
    const { user } = await open("good");
    const pictures = screen.getAllByRole<HTMLImageElement>("img", { name: /^Picture added / });
    expect(pictures.length).toBe(12);
    expect(pictures[0]?.getAttribute("src")).toBe(`picture://localhost/${hash(1)}?w=320`);
    await user.click(button("2,417 in total"));
    expect(button("Pictures").getAttribute("aria-current")).toBe("page");
  });

  test("open in the large view on click", async () => {
    const { user } = await open("good");
    const first = screen.getAllByRole("button", { name: /^Open the picture/ })[0];
    if (first === undefined) throw new Error("no picture");
    await user.click(first);
    expect(button("Pictures").getAttribute("aria-current")).toBe("page");
  });

  test("have a button that copies the link", async () => {
    const { native, user } = await open("good");
    const first = screen.getAllByRole("button", { name: /^Copy link to the picture/ })[0];
    if (first === undefined) throw new Error("no picture");
    await user.click(first);
    expect(native.calls).toContain(`copyLinks(["${hash(1)}"], "own")`);
    await screen.findByText("Link copied");
  });

  test("have a button to add more", async () => {
    const { native, user } = await open("good");
    await user.click(button("Add pictures…"));
    expect(native.calls).toContain("choosePictures()");
  });

  test("mark a picture that cannot be shown", async () => {
    await open("good");
    const first = screen.getAllByRole("img", { name: /^Picture added / })[0];
    if (first === undefined) throw new Error("no picture");
    await fireEvent.error(first);
    await screen.findByRole("img", { name: "Couldn’t show this picture" });
  });

  test("offer the file dialog if there are none yet", async () => {
    const { native, user } = await open("empty");
    expect(text()).toContain("No pictures yet.");
    await user.click(button("Add pictures…"));
    expect(native.calls).toContain("choosePictures()");
  });
});
