// "Add to your blog".

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { bare, blogLines, lit, NOW, scenes } from "../src/testing/scenes/home";
import { button, change, open, text } from "./window";

const code = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "The code" });

async function dialog(scene: Parameters<typeof open>[0]) {
  const opened = await open(scene);
  await opened.user.click(button("Add to your blog…"));
  await screen.findByRole("textbox", { name: "The code" });
  return opened;
}

describe("add to your blog", () => {
  test("previews what readers see on a light and a dark page", async () => {
    const { native } = await dialog("good");
    const elements = [...document.querySelectorAll("porch-light")] as HTMLElement[];
    expect(elements.length).toBe(2);
    const names = () =>
      elements.map((one) => one.shadowRoot?.querySelector("[part=name]")?.textContent);
    expect(names()).toEqual(["Zed", "Zed"]);
    expect(elements.every((one) => !one.hidden)).toBe(true);
    change(native, { ...lit, light: { ...lit.light, online: false } });
    await vi.waitFor(() => expect(names()).toEqual(["Away", "Away"]));
  });

  test("shows a short snippet in the form of the platform for a permanent address", async () => {
    const { native, user } = await dialog("good");
    expect(code().value).toContain('src="https://light.example.org/widget.js"');
    expect(text()).toContain("Permanent address");
    await user.selectOptions(screen.getByRole("combobox", { name: "Your blog runs on" }), "Astro");
    await vi.waitFor(() => expect(code().value).toContain("is:inline"));
    expect(text()).toContain("src/layouts/Layout.astro");
    await user.click(button("Copy code"));
    expect(native.calls).toContain('copyBlogLines("astro", false)');
  });

  test("includes the whole script for a temporary address, and on request", async () => {
    const { unmount } = await dialog({
      home: bare,
      blogLines: blogLines(bare),
      uploads: [],
    });
    expect(code().value).toContain("The whole script.");
    expect(text()).toContain("Local address");
    unmount();
    const { native, user } = await dialog("good");
    await user.click(screen.getByRole("switch", { name: "Include the script" }));
    await vi.waitFor(() => expect(code().value).toContain("The whole script."));
    await user.click(button("Copy code"));
    expect(native.calls).toContain('copyBlogLines("html", true)');
  });

  test("shows when the blog requested the status, and waits until then", async () => {
    const { native } = await dialog("good");
    const shown = within(screen.getByRole("dialog"));
    expect(shown.getByText("Waiting for your blog…")).toBeTruthy();
    native.answer({ home: lit, blogLines: blogLines(lit, NOW - 3_000) });
    native.emit("home-changed", null);
    await shown.findByText("Your blog asked 3 seconds ago");
  });

  test("links to the settings for a permanent address", async () => {
    const { user } = await dialog({
      home: bare,
      blogLines: blogLines(bare),
      uploads: [],
    });
    await user.click(button("Get a permanent address"));
    await screen.findByRole("heading", { name: "Always reachable" });
  });
});

test("the page shows that the Worker does not have a pause yet", async () => {
  const { native } = await open("settling");
  expect(text()).toContain("Pausing… readers may see the last status for a moment.");
  change(native, scenes.paused.home);
  await vi.waitFor(() => expect(text()).not.toContain("Pausing…"));
});

test.for([
  [{ of: "images_on_disk", count: 4 }, "Pictures only on this computer: 4"],
  [{ of: "edge" }, "The Worker gets no updates from this computer"],
  [{ of: "edge_of_another" }, "The Worker belongs to another Porchlight"],
  [{ of: "clock" }, "This computer’s clock is wrong, so the Worker refuses updates"],
  [{ of: "plain_tunnel" }, "The Worker can’t use a tunnel without HTTPS"],
] as const)("the alert %o opens the settings that fix it", async ([what, name]) => {
  const { user } = await open({
    home: { ...lit, alerts: [{ what, place: "settings" }] },
    uploads: [],
  });
  await user.click(button(name));
  await screen.findByRole("heading", { name: "Always reachable" });
});
