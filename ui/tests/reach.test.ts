// "Always reachable" in the page "settings".

import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { Scene } from "../src/testing/fake-native";
import { scenes, well } from "../src/testing/scenes/reach";
import { reachable } from "../src/testing/scenes/settings";
import { englishLeft, wrongIn } from "./framed";
import { open as openSettings, row, text } from "./settings-place";

const button = (name: string | RegExp) => screen.getByRole("button", { name });

async function open(scene: Scene, language?: string) {
  const opened = await openSettings(scene, "reachable", language);
  await vi.waitFor(() => expect(opened.native.calls).toContain("reach()"));
  await new Promise((drawn) => setTimeout(drawn));
  return opened;
}

const step = (nth: number) => document.querySelectorAll(".steps > li")[nth] as HTMLElement;

describe("always reachable", () => {
  test("shows that it works, the address, and the age of the snapshot", async () => {
    const { native } = await open(scenes.reachable);
    expect(text()).toContain("The Worker answers, and it reaches this computer.");
    expect(text()).toContain("Snapshot: written 12 seconds ago");
    expect(text()).toContain("84 ms");
    expect(screen.getAllByRole("img", { name: /: Done$/ }).length).toBe(3);
    native.answer({ reach: { ...reachable, edge: { state: "checking" } } });
    native.emit("home-changed", null);
    await screen.findByText("Checking the Worker…");
  });

  test("starts with the storage", async () => {
    const { user } = await open(scenes.first);
    expect(text()).toContain("It takes three steps.");
    await user.click(button("Set up storage"));
    expect(row("storage.kind")).toBeTruthy();
  });

  test("tests the store, and shows the exact fix for a failure", async () => {
    const { native, user } = await open(scenes.store);
    await user.click(button("Test the storage"));
    await screen.findByText("Not ready yet.");
    expect(text()).toContain("pages of other sites can’t read it");
    expect(text()).toContain("under CORS policy");
    expect(text(step(0))).toContain('"AllowedMethods": ["GET", "HEAD"]');
    await user.click(button("Copy line"));
    expect(native.calls).toContain('copyForEdge("cors")');
    native.answer({ testStore: well });
    await user.click(button("Test the storage"));
    await screen.findByText("The storage works.");
  });

  test("does not require CORS if a Worker answers the blog", async () => {
    const { user } = await open({ ...scenes.reachable, testStore: scenes.store.testStore });
    await user.click(button("Test the storage"));
    await screen.findByText("The storage works.");
    expect(text()).toContain("Not needed: your blog reads the status through the Worker.");
  });

  test("writes the Worker's files, and copies its key without showing it", async () => {
    const { native, user } = await open(scenes.reachable);
    await user.click(button("Save setup files…"));
    await screen.findByText("Saved in /home/mira/light-edge");
    expect(text(step(1))).toContain("npx wrangler deploy");
    await user.click(screen.getByText("I don’t have Node.js"));
    expect(text(step(1))).toContain("https://pictures.example.org");
    await user.click(button("Copy key"));
    expect(native.calls).toContain('copyForEdge("secret")');
  });

  test("probes again on request", async () => {
    const { native, user } = await open(scenes.fails);
    expect(text()).toContain("check its variables STORAGE_URL and PREFIX");
    await user.click(button("Check again"));
    expect(native.calls).toContain("probeEdge()");
    expect(button("Check again").hasAttribute("disabled")).toBe(true);
    const edge = { state: "service", roundTrip: 9, checked: Date.now() } as const;
    native.answer({ reach: { ...reachable, edge } });
    native.emit("home-changed", null);
    await vi.waitFor(() => expect(button("Check again").hasAttribute("disabled")).toBe(false));
  });

  test("shows failures with their remedies", async () => {
    const { native, user } = await open(scenes.troubles);
    expect(text()).toContain("214 pictures are still on this disk.");
    expect(text()).toContain("isn’t https");
    expect(text()).toContain("The storage can’t be reached.");
    await user.click(button("Replace it with mine"));
    expect(native.calls).toContain("takeOverSnapshot()");
    await user.click(button("Move to storage"));
    expect(native.calls).toContain('moveImages("s3")');
  });

  test("shows the limit of the free plan with three alternatives, and the limits of workers.dev", async () => {
    await open(scenes.limit);
    expect(text()).toContain("100,000 requests a day");
    expect(document.querySelectorAll(".ways li").length).toBe(3);
    expect(text()).toContain("can’t be reached from mainland China");
  });

  test.for(Object.keys(scenes) as (keyof typeof scenes)[])(
    "is accessible and fully translated: %s",
    async (name) => {
      const { container } = await open(scenes[name], "zh-CN");
      expect(await wrongIn(container, "zh-CN")).toEqual([]);
      const kept =
        /Porchlight|Worker|Cloudflare|Garage|Node\.js|npx .*|https?(:\S*)?|\bIP\b|[A-Z_]{3,}|porchlight|CF-Connecting-IP|workers\.dev|workerd(\.capnp)?|\b(edge|publish)\.\w+|settings\.toml|\/[\w/-]+/g;
      const inReach = englishLeft(kept).filter((word) =>
        document.querySelector(".reachable")?.textContent?.includes(word),
      );
      expect(inReach).toEqual([]);
    },
  );
});
