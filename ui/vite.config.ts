import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The page runs in the webview that the system brings (WebKitGTK, WKWebView,
// WebView2): these are the oldest ones it is built for.
const webviews = ["safari17.5", "chrome123"];

const scopes = new Map<string, string>();

/** A short name of a component's styles; the scripts have a budget. */
function scopeOf({ hash, filename }: { hash: (text: string) => string; filename: string }): string {
  const scope = `s${hash(filename).slice(0, 4)}`;
  const owner = scopes.get(scope) ?? filename;
  if (owner !== filename) throw new Error(`${owner} and ${filename} both have the scope ${scope}`);
  scopes.set(scope, filename);
  return scope;
}

export default defineConfig(({ mode }) => ({
  plugins: [svelte({ compilerOptions: { cssHash: scopeOf, discloseVersion: false } })],
  // Without it, tests would get Svelte's server build.
  ...(mode === "test" ? { resolve: { conditions: ["browser"] } } : {}),
  build: {
    target: webviews,
    cssTarget: webviews,
    // The content policy of the window knows no inlined files but small pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // The custom element, which the preview for blogs runs, is beside this folder.
  server: { host: "127.0.0.1", port: 5173, strictPort: true, fs: { allow: [".", "../edge"] } },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.ts"],
    restoreMocks: true,
    // A bound for a busy machine; the tests wait for events.
    testTimeout: 20_000,
  },
}));
