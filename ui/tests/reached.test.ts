// How Home shows who can read the status: through the tunnel or the Worker.

import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { Home } from "../src/api/types";
import { health } from "../src/home/health";
import { scenes } from "../src/testing/scenes/home";
import { createLocale } from "../src/words/locale";
import { open, text } from "./window";

const locale = createLocale("en-GB");

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

  const down = "This doesn’t reach your blog right now, so readers don’t see it.";
  const seen = "Readers see the status on the right.";
  test.for([
    ["worker", seen, "What readers see"],
    // The Worker needs no tunnel for what it has.
    ["workerAlone", seen, "What readers see"],
    ["workerChecking", seen, "What readers see"],
    ["workerAnother", down, "What readers would see"],
    ["workerLimit", down, "What readers would see"],
    ["workerFails", down, "What readers would see"],
    ["tunnelDown", down, "What readers would see"],
  ] as const)("in %s shows: %s", async ([scene, sentence, caption]) => {
    await open(scene);
    expect(text()).toContain(sentence);
    expect(text()).toContain(caption);
  });

  test("shows whether the address can be reached", () => {
    const healthOf = (home: Home) => health(home, locale.words);
    for (const [scene, severity, text] of [
      ["worker", "good", "Reachable from the internet"],
      ["workerChecking", "warn", "Checking whether it can be reached…"],
      ["workerAnother", "warn", "The Worker belongs to another Porchlight"],
      ["workerLimit", "bad", "Today’s limit is reached"],
      ["workerFails", "bad", "The Worker gets no updates"],
    ] as const)
      expect(healthOf(scenes[scene].home)).toEqual({ severity, text });
    // A tunnel that is up does not prove that another address works.
    const { good } = scenes;
    const address = { ...good.home.address, url: "https://own.example" };
    expect(healthOf({ ...good.home, address }).text).toBe(
      "Public address from Settings, not checked",
    );
  });
});
