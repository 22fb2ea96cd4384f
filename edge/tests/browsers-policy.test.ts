// The custom element in pages with a strict content security policy.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { browsers, open } from "./harness/browser.ts";
import { serve } from "./harness/http.ts";
import { seconds, shown, startOwn } from "./harness/own.ts";

const file = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** The policy that docs/presence.md names, with this address. */
function policyFor(light: string) {
  const [, policy = ""] = /```\n(script-src [^`]*)\n```/.exec(file("../../docs/presence.md")) ?? [];
  const named = policy.replace(/\n/g, " ").replaceAll("https://light.example.org", light);
  return named.replaceAll("wss://light.example.org", light.replace("http", "ws"));
}

test.skipIf(process.platform !== "linux").each(browsers)(
  "%s: the documented policy allows what the element needs, and a stricter one does not",
  async (browser) => {
    const { edge, sync } = await startOwn();
    const phone = { id: "phone", name: "Phone", kind: "phone", application: "Pushed" };
    const now = { ...phone, last_heartbeat: seconds(), online: true };
    await sync({
      widget: file("../widget.js"),
      presence: shown("Pushed", { introduce: "by a socket", device: "phone" }),
      devices: [{ until: null, now, over: now }],
    });
    const policy = `default-src 'none'; ${policyFor(edge.url)}`;
    // Only from the page's own address.
    const without = (directive: string) =>
      policy.replace(new RegExp(`${directive} [^;]*`), `${directive} 'self'`);
    const policies: Record<string, string> = {
      "/whole": policy,
      "/script": without("script-src"),
      "/connect": without("connect-src"),
    };

    const reports = new Map<string, unknown>();
    let finish: (() => void) | undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const blog = await serve(({ path, body }, response) => {
      if (path === "/report") {
        const { page, ...rest } = JSON.parse(String(body));
        reports.set(page, rest);
        if (reports.size === Object.keys(policies).length) finish?.();
        response.end();
        return;
      }
      const isScript = path === "/policy.js";
      response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
      if (policies[path]) response.setHeader("Content-Security-Policy", policies[path]);
      const frames = Object.keys(policies).map((page) => `<iframe src="${page}"></iframe>`);
      const page = `<script src="/policy.js"></script>
        <script type="module" src="${edge.url}/widget.js"></script>
        <porch-light src="${edge.url}" devices></porch-light>`;
      response.end(isScript ? file("harness/policy.js") : policies[path] ? page : frames.join(""));
    });
    await open(browser, `${blog.url}/`);
    await finished;
    const refused = (what: string) => ({ refused: expect.stringContaining(what), shown: null });
    expect(Object.fromEntries(reports)).toEqual({
      "/whole": {
        refused: null,
        shown: {
          text: "Pushed by a socket",
          light: "rgb(1, 2, 3)",
          isRound: true,
          isBold: true,
          isOutline: true,
        },
      },
      "/script": refused(`script-src-elem ${edge.url}`),
      "/connect": refused(`connect-src ${edge.url.replace("http", "ws")}`),
    });
  },
);
