// “添加到博客”的文字。

import type { Words } from "../en";

/** The texts. */
export function blog(): Words["blog"] {
  return {
    open: "添加到博客…",
    title: "添加到博客",
    looks: "在博客上的样子",
    light: "浅色页面",
    dark: "深色页面",
    platform: "博客程序",
    platforms: {
      html: "HTML",
      hexo: "Hexo",
      hugo: "Hugo",
      vitepress: "VitePress / VuePress",
      astro: "Astro",
      wordpress: "WordPress",
      typecho: "Typecho",
      halo: "Halo",
    },
    where: {
      html: "粘贴到要显示状态的位置：每个页面，或公用的页脚。",
      hexo: "在博客文件夹中另存为 scripts/porchlight.js。",
      hugo: "粘贴到 layouts/partials/footer.html；请先从主题中复制该文件。",
      vitepress: "第一部分放入 .vitepress/config 或 .vuepress/config，第二部分放入页面或布局。",
      astro: "粘贴到布局文件，例如 src/layouts/Layout.astro。",
      wordpress: "在页脚中添加“自定义 HTML”区块：外观 → 编辑器（先进入页脚本身的编辑），或小工具。",
      typecho: "粘贴到 usr/themes/<主题>/footer.php 中 </body> 之前。",
      halo: "在控制台中：设置 → 代码注入 → 页脚。",
    },
    code: "代码",
    copy: "复制代码",
    copied: "代码已复制",
    whole: "包含脚本",
    wholeWhy: "代码更长，但只向这个地址请求状态。",
    kinds: {
      permanent: ["永久地址", "地址不会变，只需粘贴一次。"],
      temporary: ["临时地址", "Porchlight 重启后地址会变，需要重新粘贴。"],
      local: ["本地地址", "读者无法访问这个地址，发布前请先获取永久地址。"],
    },
    waiting: "正在等待博客…",
    waitingWhy: "打开包含这段代码的页面，博客请求状态后这里会变绿。",
    asked: (ago) => `博客已请求（${ago}）`,
  };
}
