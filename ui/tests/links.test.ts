// Link formats, and the notice that links were copied.

import { screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import type { LinkForm } from "../src/api/types";
import { written } from "../src/images/links.svelte";
import { picture } from "../src/testing/scenes/images";
import { open } from "./window";

// The same cases as in crates/service/src/images/link.rs.
test.for([
  ["own", "https://b.example/a&b/i/1 | https://b.example/a&b/i/1?w=640"],
  ["url", "https://b.example/a&b/i/1"],
  ["markdown", "![](https://b.example/a&b/i/1)"],
  ["html", '<img src="https://b.example/a&amp;b/i/1" width="640" height="480" alt="">'],
  [
    "responsive",
    '<img src="https://b.example/a&amp;b/i/1" srcset="https://b.example/a&amp;b/i/1?w=320 320w, ' +
      'https://b.example/a&amp;b/i/1 640w" sizes="auto, 100vw" loading="lazy" width="640" height="480" alt="">',
  ],
  ["bbcode", "[img]https://b.example/a&b/i/1[/img]"],
] as [LinkForm, string][])("the shown link equals the copied one: %s", ([form, text]) => {
  const one = {
    ...picture(0, 1),
    url: "https://b.example/a&b/i/1",
    width: 640,
    height: 480,
    name: null,
  };
  expect(written(one, form, "{url} | {url}?w=640")).toBe(text);
});

// The same cases as in crates/service/src/images/link.rs.
test.for([
  [".webp", "A cat, asleep", "/A-cat-asleep.webp"],
  ["", "在海边 (2)", "/在海边-2.webp"],
  [".webp", "", ".webp"],
  [".webp", "…", ".webp"],
] as [string, string, string][])(
  "a named address ends in the name of the picture: %s %s",
  (row) => {
    const [ending, name, end] = row;
    const address = "https://b.example/i/00112233445566778899aabbccddeeff";
    const one = { ...picture(0, 1), url: `${address}${ending}`, name };
    expect(written(one, "own", "{named_url}")).toBe(`${address}${end}`);
    const foreign = { ...one, url: "https://b.example/1", name: "a cat" };
    expect(written(foreign, "own", "{named_url}")).toBe("https://b.example/1");
  },
);

test("a wide picture has every narrower copy", () => {
  const url = "https://b.example/i/1";
  const wide = { ...picture(0, 1), url, width: 2000, height: 1000, name: null };
  const widths = [320, 640, 960, 1280, 1920].map((one) => `${url}?w=${one} ${one}w, `).join("");
  expect(written(wide, "responsive", "{url}")).toBe(
    `<img src="${url}" srcset="${widths}${url} 2000w" sizes="auto, 100vw" loading="lazy" ` +
      'width="2000" height="1000" alt="">',
  );
});

// The same cases as in crates/service/src/images/link.rs.
test.for([
  ["harbour", "harbour", "harbour"],
  ["a](http://x) [b\\", "a\\](http://x) \\[b\\\\", "a](http://x) [b\\"],
  ["`c` *d* _e_", "\\`c\\` \\*d\\* \\_e\\_", "`c` *d* _e_"],
  ["\"><script>&'", "\"&gt;&lt;script&gt;&amp;'", "&quot;&gt;&lt;script&gt;&amp;&#39;"],
] as const)("a name becomes escaped alternative text: %s", ([name, markdown, html]) => {
  const one = { ...picture(0, 1), url: "http://b/1", width: 640, height: 480, name };
  expect(written(one, "markdown", "{url}")).toBe(`![${markdown}](http://b/1)`);
  expect(written(one, "html", "{url}")).toBe(
    `<img src="http://b/1" width="640" height="480" alt="${html}">`,
  );
  expect(written(one, "bbcode", "{url}")).toBe("[img]http://b/1[/img]");
});

test("every page shows a notice when links were copied", async () => {
  const { native } = await open("good");
  native.emit("links-copied", { count: 1, kind: "permanent" });
  await screen.findByText("Link copied");
  native.emit("links-copied", { count: 3, kind: "temporary" });
  await screen.findByText("3 links copied. This address changes when Porchlight restarts.");
});
