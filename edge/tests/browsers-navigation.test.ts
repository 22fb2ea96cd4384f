// The custom element in blogs whose pages replace their content instead of loading.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { browsers, open } from "./harness/browser.ts";
import { serve } from "./harness/http.ts";
import { shown, startOwn } from "./harness/own.ts";

/** What such a blog loads, and how it starts it. */
const LIBRARIES = {
  swup: ["swup/dist/Swup.umd.js", "new Swup({ containers: ['#content'] });"],
  pjax: ["pjax/pjax.js", "new Pjax({ elements: 'a', selectors: ['title', '#content'] });"],
  Turbo: ["@hotwired/turbo/dist/turbo.es2017-umd.js", ""],
} as const;

const file = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const scenes = browsers.flatMap((browser) =>
  Object.entries(LIBRARIES).map(([name, library]) => [browser, name, ...library] as const),
);

/** A page with the two lines of docs/presence.md in what is replaced. */
const page = (number: string, start: string, light: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Page ${number}</title>
<script src="/navigate.js"></script>
<script src="/library.js"></script>
<script>addEventListener("DOMContentLoaded", () => { ${start} }, { once: true });</script>
</head>
<body>
<div id="content" class="transition-main">
<h1>Page ${number}</h1>
<script type="module" src="/widget.js"></script>
<porch-light src="${light}"></porch-light>
<a href="/${Number(number) + 1}">Next</a>
</div>
</body>
</html>`;

test.skipIf(process.platform !== "linux").each(scenes)(
  "%s: with %s each of ten navigations has one socket and the status",
  async (browser, _, library, start) => {
    const { edge, sync } = await startOwn();
    await sync({ presence: shown("Pushed", { introduce: "by a socket" }) });
    const scripts: Record<string, string> = {
      "/widget.js": "../widget.js",
      "/library.js": `../node_modules/${library}`,
      "/navigate.js": "harness/navigate.js",
    };
    const loads: string[] = [];
    let report: ((seen: unknown) => void) | undefined;
    const reported = new Promise((resolve) => {
      report = resolve;
    });
    const blog = await serve(({ path: whole, body }, response) => {
      const [path = ""] = whole.split("?");
      if (path === "/report") {
        const { loaded, seen } = JSON.parse(String(body));
        if (loaded) loads.push(loaded);
        else report?.(seen);
        response.end();
      } else if (path.endsWith(".js")) {
        response.setHeader("Content-Type", "text/javascript");
        response.end(file(scripts[path] ?? ""));
      } else {
        response.setHeader("Content-Type", "text/html");
        response.end(page(path.slice(1) || "0", start, edge.url));
      }
    });
    await open(browser, `${blog.url}/0`);
    const pages = [0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 4];
    expect(await reported).toEqual(
      pages.map((page) => ({ page, name: "Pushed", elements: 1, open: 1 })),
    );
    expect(loads).toEqual(["/0"]);
  },
);
