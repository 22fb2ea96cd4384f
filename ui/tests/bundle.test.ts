// @vitest-environment node
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { expect, test, vi } from "vitest";

const BUDGET_BYTES = 200_000;

const BUILT_WITHIN_MS = 60_000;

test(
  "the built page is small, and asks its content policy for nothing special",
  async () => {
    // Else it is Svelte's development build that is weighed.
    vi.stubEnv("NODE_ENV", "production");
    const built = await build({
      root: fileURLToPath(new URL("..", import.meta.url)),
      mode: "production",
      logLevel: "silent",
      build: { write: false },
    });
    if (!("output" in built)) throw new Error("not one bundle");
    const scripts = built.output.flatMap((file) => (file.type === "chunk" ? [file.code] : []));
    const bytes = scripts.reduce((sum, code) => sum + gzipSync(code).length, 0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(BUDGET_BYTES);

    const page = built.output.find(({ fileName }) => fileName === "index.html");
    const html = page?.type === "asset" ? String(page.source) : "";
    expect(html).toMatch(/<script type="module"[^>]* src="[^"]+"><\/script>/);
    expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)/);
    expect(built.output.some(({ fileName }) => fileName.endsWith(".css"))).toBe(true);
    // Nothing of the preview comes along.
    expect(scripts.some((code) => code.includes("/home/mia"))).toBe(false);
  },
  BUILT_WITHIN_MS,
);
