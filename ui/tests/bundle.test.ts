// @vitest-environment node
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { expect, test, vi } from "vitest";

/** Scripts and styles, compressed. */
const BUDGET_BYTES = 238_100;

const BUILT_WITHIN_MS = 60_000;

test(
  "the built page fits its size budget and needs no inline scripts or styles",
  async () => {
    // Otherwise it would measure Svelte's development build.
    vi.stubEnv("NODE_ENV", "production");
    const built = await build({
      root: fileURLToPath(new URL("..", import.meta.url)),
      mode: "production",
      logLevel: "silent",
      build: { write: false },
    });
    if (!("output" in built)) throw new Error("not one bundle");
    const scripts = built.output.flatMap((file) => (file.type === "chunk" ? [file.code] : []));
    const styles = built.output.flatMap((file) =>
      file.type === "asset" && file.fileName.endsWith(".css") ? [file.source] : [],
    );
    const bytes = [...scripts, ...styles].reduce((sum, code) => sum + gzipSync(code).length, 0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(BUDGET_BYTES);

    const page = built.output.find(({ fileName }) => fileName === "index.html");
    const html = page?.type === "asset" ? String(page.source) : "";
    expect(html).toMatch(/<script type="module"[^>]* src="[^"]+"><\/script>/);
    expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)/);
    expect(styles).not.toEqual([]);
    // The preview is not part of the build.
    expect(scripts.some((code) => code.includes("/home/mia"))).toBe(false);
  },
  BUILT_WITHIN_MS,
);
