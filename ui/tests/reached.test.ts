// How Home shows who can read the status: through the tunnel, the Worker, or the snapshot.

import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { Home, SnapshotGlance } from "../src/api/types";
import { health } from "../src/home/health";
import { reach } from "../src/home/state";
import { scenes, withWorker } from "../src/testing/scenes/home";
import { detail } from "../src/testing/text";
import { createLocale } from "../src/words/locale";
import { open, text } from "./window";

const locale = createLocale("en-GB");
const { limit, snapshot: alone } = locale.words.reach.edge;

describe("home", () => {
  test("shows the status without claiming that readers see nothing else", async () => {
    for (const [language, sentence] of [
      ["en-GB", "Readers see the status on the right."],
      ["zh-CN", "读者看到的是右边的状态。"],
    ] as const) {
      const { unmount } = await open("good", language);
      expect(screen.getByText(sentence)).toBeTruthy();
      unmount();
    }
    for (const words of [locale.words.home, createLocale("zh-CN").words.home]) {
      const sentences = Object.values(words.light).map(({ sentence }) => sentence);
      expect(sentences.join(" ")).not.toMatch(/nothing (else|about|is)|只会|任何/i);
    }
  });

  const down = "Your blog can’t reach Porchlight right now, so readers don’t see this.";
  const copied = "Your blog can’t reach Porchlight right now. If it reads the snapshot, readers";
  const seen = "Readers see the status on the right.";
  test.for([
    ["worker", seen, "What readers see"],
    // The Worker answers with the last snapshot in the store.
    ["workerAlone", seen, "What readers see"],
    ["workerStore", seen, "What readers see"],
    ["workerLimit", copied, "What readers would see"],
    ["workerFails", down, "What readers would see"],
    ["snapshotAlone", copied, "What readers would see"],
  ] as const)("in %s shows: %s", async ([scene, sentence, caption]) => {
    await open(scene);
    expect(text()).toContain(sentence);
    expect(text()).toContain(caption);
  });

  test("relies on a snapshot only while it is being written", () => {
    const worker = scenes.workerAlone.home;
    const snapshot = worker.snapshot as SnapshotGlance;
    const trouble = { why: detail("the storage can’t be reached"), since: 1 };
    for (const broken of [
      null,
      { ...snapshot, written: null },
      { ...snapshot, another: true },
      { ...snapshot, trouble },
    ]) {
      expect(reach({ ...worker, snapshot: broken })).toBe("down");
      expect(reach({ ...scenes.snapshotAlone.home, snapshot: broken })).toBe("down");
    }
  });

  test("shows the probe result of the address", () => {
    const healthOf = (home: Home) => health(home, locale.words);
    expect(healthOf(withWorker)).toEqual({
      severity: "good",
      text: "Reachable from the internet, 84 ms",
    });
    expect(healthOf({ ...withWorker, edge: { state: "checking" } }).text).toBe(
      "Checking whether it can be reached…",
    );
    expect(healthOf(scenes.workerAlone.home)).toEqual({ severity: "warn", text: alone[0] });
    expect(healthOf(scenes.workerStore.home)).toEqual({
      severity: "good",
      text: "Reachable from the internet",
    });
    expect(healthOf(scenes.workerLimit.home)).toEqual({ severity: "bad", text: limit[0] });
    expect(healthOf(scenes.workerFails.home)).toEqual({
      severity: "bad",
      text: "Not reachable from the internet right now",
    });
    // A tunnel that is up does not prove that another address works.
    const { good } = scenes;
    const address = { ...good.home.address, url: "https://own.example" };
    expect(healthOf({ ...good.home, address }).text).toBe(
      "Public address from Settings, not checked",
    );
  });

  test("explains uncounted readers by the Worker, not by the tunnel", async () => {
    await open("worker");
    expect(text()).toContain("What the Worker answers isn’t counted here.");
    expect(text()).not.toContain("Some visitors had no address");
  });
});
