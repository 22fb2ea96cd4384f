import { screen } from "@testing-library/svelte";
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { type SceneName, scenes } from "../src/testing/scenes/home";
import { scenes as welcome } from "../src/testing/scenes/welcome";
import { button, goOn, open } from "./window";

// Colours are not rendered here: contrast.test.ts checks them.
const options: axe.RunOptions = { rules: { "color-contrast": { enabled: false } } };

async function clean(element: Element, language: string) {
  document.documentElement.lang = language;
  document.title = "Porchlight";
  const { violations, passes } = await axe.run(element, options);
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(passes.length).toBeGreaterThan(5);
}

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(Object.keys(scenes) as SceneName[])("axe reports no violations in %s", async (scene) => {
    const { container } = await open(scene, language);
    await clean(container, language);
  });

  test.for(Object.keys(welcome) as (keyof typeof welcome)[])(
    "axe reports no violations in any step of the welcome, %s",
    async (scene) => {
      const { container, user } = await open(welcome[scene], language);
      const skip =
        language === "en" ? /^(Not now|Skip this step|Next)$/ : /^(暂不分享|跳过这一步|下一步)$/;
      for (let step = 0; step < 3; step++) {
        await clean(container, language);
        await goOn(user, skip);
      }
      await clean(container, language);
    },
  );
});

test("axe reports no violations in dialogs and menus", async () => {
  const { container, user } = await open("fixed");
  await user.click(button("More"));
  await clean(container, "en");
  await user.keyboard("{Escape}");
  for (const name of ["Change status…", "Show QR code"]) {
    await user.click(button(name));
    await clean(container, "en");
    await user.click(button("Close"));
  }
  await user.keyboard("?");
  await clean(screen.getByRole("dialog"), "en");
});

test("every control can be reached by keyboard", async () => {
  const { user, container } = await open("trouble");
  const buttons = new Set(container.querySelectorAll("button"));
  expect(buttons.size).toBeGreaterThan(15);
  for (let presses = 0; presses < 60 && buttons.size > 0; presses++) {
    await user.tab();
    buttons.delete(document.activeElement as HTMLButtonElement);
  }
  expect([...buttons].map((one) => one.textContent)).toEqual([]);
});
