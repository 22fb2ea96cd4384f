// Every state of the page, checked by axe and for words in the wrong language.

import { fireEvent, screen } from "@testing-library/svelte";
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { scenes } from "../src/testing/scenes/images";
import { cell, drawn, open, type SceneName, text } from "./images";

// Colours are not rendered here: contrast.test.ts checks them.
const options: axe.RunOptions = { rules: { "color-contrast": { enabled: false } } };
const names = Object.keys(scenes) as SceneName[];

async function violations(container: Element, language: string) {
  document.documentElement.lang = language;
  document.title = "Porchlight";
  const found = await axe.run(container, options);
  expect(found.passes.length).toBeGreaterThan(5);
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

/** Words with Latin letters that are not names, addresses, units or details of the backend. */
function english(): string[] {
  const kept =
    /Porchlight’s database failed: [\w ,]+|Porchlight|WebP|https?:\S+|[\w-]*\.(jpg|png|heic|tiff)|~[\w/]*|\b[kM]?B\b|JPEG XL|JPEG|PNG|HEIC|GIF|AVIF|SVG|BMP|TIFF|ICO|QOI|URL|CDN|\bID\b|Markdown|HTML|BBCode|[0-9a-f]{32}|[Ss]creenshot|evening harbour|IMG_\d+/g;
  const named = ["aria-label", "alt", "title", "placeholder"].flatMap((attribute) =>
    [...document.querySelectorAll(`[${attribute}]`)].map((one) => one.getAttribute(attribute)),
  );
  return (
    [text(), ...named]
      .join(" ")
      .replace(kept, "")
      .match(/[A-Za-z]{2,}/g) ?? []
  );
}

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(names)("axe reports no violations in %s", async (scene) => {
    const { container } = await open(scene, language);
    expect(await violations(container, language)).toEqual([]);
  });

  test("axe reports no violations in the large view and in a selection", async () => {
    const { container, user } = await open("full", language);
    cell(0).focus();
    await user.keyboard("{Enter}");
    await drawn();
    expect(await violations(container, language)).toEqual([]);
    await fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    await drawn();
    await user.keyboard(" ");
    await drawn();
    expect(await violations(container, language)).toEqual([]);
  });
});

test.for(names)("the Chinese window has no English words in %s", async (scene) => {
  await open(scene, "zh-CN");
  expect(english()).toEqual([]);
});

test("the Chinese window has no English words in the large view and in a selection", async () => {
  const { user } = await open("full", "zh-CN");
  cell(0).focus();
  await user.keyboard("{Enter}");
  await drawn();
  expect(english()).toEqual([]);
  await fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
  await drawn();
  await user.keyboard(" ");
  await user.type(screen.getByRole("toolbar"), "{Tab}");
  expect(english()).toEqual([]);
});

test("every control can be reached by keyboard", async () => {
  const { user, container } = await open("uploading");
  const buttons = new Set<Element>(container.querySelectorAll("button, input, [role=grid]"));
  for (let presses = 0; presses < 60 && buttons.size > 0; presses++) {
    await user.tab();
    const at = document.activeElement;
    if (at === null) break;
    buttons.delete(at);
    const grid = at.closest("[role=grid]");
    if (grid !== null) buttons.delete(grid);
  }
  expect(buttons.size).toBe(0);
});
