// Every group of the page "settings" for axe, and for words of the other language.

import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { groups } from "../src/settings/groups";
import { scenes } from "../src/testing/scenes/settings";
import { open, type SceneName, text } from "./settings-place";

// Colours are not rendered here: contrast.test.ts checks them.
const options: axe.RunOptions = { rules: { "color-contrast": { enabled: false } } };

const shown: [SceneName, string][] = [
  ...groups.map((group): [SceneName, string] => ["full", group]),
  ["store", "storage"],
  ["store", "tunnel"],
  ...(Object.keys(scenes) as SceneName[])
    .filter((scene) => scene !== "full")
    .map((scene): [SceneName, string] => [scene, scene === "first" ? "tokens" : "app"]),
  ["first", "tunnel"],
  ["first", "folders"],
];

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(shown)("axe reports no violations in %s, %s", async ([scene, section]) => {
    const { container } = await open(scene, section, language);
    document.documentElement.lang = language;
    document.title = "Porchlight";
    const { violations, passes } = await axe.run(container, options);
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(passes.length).toBeGreaterThan(5);
  });
});

// Names, addresses, keys, units and messages of the backend stay as they are.
const kept = [
  /CF-Connecting-IP/g,
  /porchlight edge init|worker\.js|workerd( serve|\.capnp)?|\bGB\b|npx wrangler deploy && npx wrangler secret bulk secrets\.json|Node\.js|[A-Z]+_[A-Z_]+|ADDRESS/g,
  /X-Forwarded-For|PORCHLIGHT_[A-Z_]+|--set|--to|settings\.toml|randomimg\/<hash>\.webp/g,
  /https?:\S+|\/home\/[\w/.]*|127\.0\.0\.1:\d+|\b[a-z]+(\.[a-z_]+)+\b|user@host/g,
  /Porchlight|WebP|Markdown|HTML|BBCode|English|Cloudflare|cloudflared|Tailscale|ngrok|bore|frp|Funnel|Firefox|Chrome|Edge|CN|schinese|MIT|Apache/g,
  /SSH|ssh|IP|ID|URL|API|Web|CDN|S3|MiB|GiB|SteamID|Steam|GeoIP|DB-IP|ipinfo(\.io)?|PicGo|Typora|Obsidian|ShareX|curl|sleepy|live-dashboard|mx-space|Lanyard|Twikoo|Lsky Pro|Chevereto|Flameshot|ksnip|Linux|macOS/g,
  /porchlight\/|Worker|`porchlight token revoke`|Endpoint|Access Key|Secret Key|behaviour|schinese|heartbeat|admin|url|port|webp/g,
  /sudo apt update && sudo apt install|minisign|RW[\w+/]{0,54}/g,
];
const reasons =
  /The porch light is on\. This is Porchlight\.|porchlight --upload-clipboard|bore: could not connect to bore\.pub:7835|Unknown key [a-z.]+, did you mean [a-z.]+\?/g;

test.for(shown)("the Chinese window has no English words in %s, %s", async ([scene, section]) => {
  const { container } = await open(scene, section, "zh-CN");
  container.querySelector("[role=listbox]")?.remove();
  const named = ["aria-label", "alt", "title", "placeholder"].flatMap((attribute) =>
    [...document.querySelectorAll(`[${attribute}]`)].map((one) => one.getAttribute(attribute)),
  );
  const rest = kept.reduce(
    (all, known) => all.replace(known, ""),
    [text(), ...named].join(" ").replace(reasons, ""),
  );
  expect(rest.match(/[A-Za-z]{2,}/g) ?? []).toEqual([]);
});
