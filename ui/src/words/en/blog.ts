// The texts of "Add to your blog".

import type { AddressKind } from "../../api/types";
import type { Platform } from "../../home/platforms";

/** The texts. */
export function blog() {
  const kinds: Record<AddressKind, [name: string, sentence: string]> = {
    permanent: ["Permanent address", "It stays the same, so you paste this only once."],
    temporary: [
      "Temporary address",
      "It changes when Porchlight restarts, and then you have to paste this again.",
    ],
    local: [
      "Local address",
      "Your readers can’t reach this address. Get a permanent one before you publish it.",
    ],
  };
  const where: Record<Platform, string> = {
    html: "Paste it where the status should appear, on each page or in the shared footer.",
    hexo: "Save it in your blog’s folder as scripts/porchlight.js.",
    hugo: "Paste it into layouts/partials/footer.html. Copy that file from your theme first.",
    vitepress:
      "The first part goes into .vitepress/config, or .vuepress/config. The second goes into a page or your layout.",
    astro: "Paste it into a layout, for example src/layouts/Layout.astro.",
    wordpress:
      "Add a “Custom HTML” block to the footer: Appearance → Editor (press “Edit original” first), or Widgets.",
    typecho: "Paste it into usr/themes/<theme>/footer.php, above </body>.",
    halo: "In the console: Settings → Code injection → Footer.",
  };
  return {
    open: "Add to your blog…",
    title: "Add to your blog",
    looks: "How it looks on your blog",
    light: "On a light page",
    dark: "On a dark page",
    platform: "Your blog runs on",
    platforms: {
      html: "HTML",
      hexo: "Hexo",
      hugo: "Hugo",
      vitepress: "VitePress / VuePress",
      astro: "Astro",
      wordpress: "WordPress",
      typecho: "Typecho",
      halo: "Halo",
    } satisfies Record<Platform, string>,
    where,
    code: "The code",
    copy: "Copy code",
    copied: "Code copied",
    whole: "Include the script",
    wholeWhy: "The code is longer, but asks this address for nothing but your status.",
    kinds,
    waiting: "Waiting for your blog…",
    waitingWhy: "Open a page with this code. This turns green when it asks for your status.",
    asked: (ago: string) => `Your blog asked ${ago}`,
  };
}
