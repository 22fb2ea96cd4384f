// The platforms that blogs run on, and the form of the lines for each.

import type { BlogForm } from "../api/types";

/** The form of the lines for each platform; where they go is in the words. */
export const platforms = {
  html: "html",
  hexo: "hexo",
  hugo: "html",
  vitepress: "vue",
  astro: "astro",
  wordpress: "html",
  typecho: "html",
  halo: "html",
} as const satisfies Record<string, BlogForm>;

/** One of them. */
export type Platform = keyof typeof platforms;
