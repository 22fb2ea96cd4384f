import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { type SceneName, scenes } from "../src/testing/scenes";
import { open } from "./window";

// Colours are not drawn here: contrast.test.ts has them.
const options: axe.RunOptions = { rules: { "color-contrast": { enabled: false } } };

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(Object.keys(scenes) as SceneName[])("axe finds nothing in %s", async (scene) => {
    const { container } = await open(scene, language);
    document.documentElement.lang = language;
    document.title = "Porchlight";
    const { violations, passes } = await axe.run(container, options);
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(passes.length).toBeGreaterThan(5);
  });
});

test("everything that can be pressed is reached by the keyboard", async () => {
  const { user, container } = await open("uploading");
  const buttons = new Set(container.querySelectorAll("button"));
  for (let presses = 0; presses < 60 && buttons.size > 0; presses++) {
    await user.tab();
    buttons.delete(document.activeElement as HTMLButtonElement);
  }
  expect(buttons.size).toBe(0);
});
