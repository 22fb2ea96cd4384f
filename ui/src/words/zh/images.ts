// The texts of the page "images", in Simplified Chinese.

import type { AddressKind } from "../../api/types";
import { counting } from "../counting";
import type { images as english } from "../en/images";

/** The texts, with numbers formatted for `locale`. */
export function images(locale: string): ReturnType<typeof english> {
  const { number } = counting(locale);

  const kinds: Record<AddressKind, string | undefined> = {
    permanent: undefined,
    temporary: "Porchlight 重启后，这个地址会改变。",
    local: "读者无法打开这个地址。",
  };

  return {
    inAll: (n) => `共 ${number(n)} 张`,
    found: (n) => `找到 ${number(n)} 张`,
    loading: "正在加载…",
    trouble: "图片加载失败。",
    empty: "还没有图片。把图片拖进窗口、粘贴进来，或选择文件。",
    nothingFound: "没有找到图片。",
    showAll: "显示全部图片",
    search: {
      label: "按名称、日期或链接搜索",
      clear: "清除搜索",
    },
    order: {
      label: "排序与筛选",
      by: "排序",
      only: "筛选",
      orders: {
        newest: "最新的在前",
        oldest: "最早的在前",
        name: "按名称",
        largest: "最大的在前",
        views: "浏览最多的在前",
      },
      all: "全部图片",
      filters: {
        animated: "只看动图",
        unnamed: "只看没有名称的",
        unseen: "只看还没有人浏览的",
        in_no_post: "只看没有文章使用的",
      },
    },
    menu: {
      label: "图片",
      open: "查看大图",
      copyAs: (form) => `复制为 ${form}`,
      select: "选择",
      deselect: "取消选择",
      remove: "删除",
    },
    add: {
      pictures: "添加图片…",
      more: "其他添加方式",
      files: "选择文件…",
      folder: "选择文件夹…",
      paste: "从剪贴板粘贴",
      adopt: "接管博客…",
    },
    grid: {
      picture: (when, width, height, seen) =>
        `${when}添加的图片，${width} × ${height} 像素，浏览 ${number(seen)} 次`,
      coming: "图片正在加载",
      notShown: "图片无法显示",
      views: (n) => `${number(n)} 次浏览`,
      yesterday: "昨天",
      ofDay: (n) => `${number(n)} 张`,
      animated: "动图",
    },
    selection: {
      label: "选中的图片",
      count: (n) => `已选 ${number(n)} 张`,
      announcement: (n) => `已选中 ${number(n)} 张图片`,
      all: "全选",
      clear: "取消选择",
      copy: "复制链接",
      album: "相册…",
    },
    album: {
      title: "相册",
      name: "相册名称",
      hint: "留空则把图片移出相册。知道名称的读者可以列出其中的图片。",
      existing: "已有的相册",
      everywhere: (album) => `在全部图片上重命名“${album}”`,
      putIn: "放入相册",
      takeOut: "移出相册",
      rename: "重命名",
      put: (n, album) =>
        album === null
          ? `已将 ${number(n)} 张图片移出相册`
          : `已将 ${number(n)} 张图片放入“${album}”`,
      renamed: (album) => `相册已重命名为“${album}”`,
    },
    links: {
      forms: {
        own: "自定义格式",
        url: "URL",
        markdown: "Markdown",
        html: "HTML",
        responsive: "响应式 HTML",
        bbcode: "BBCode",
      },
      copy: "复制链接",
      form: "链接格式",
      preferred: "默认",
      kinds,
      copied: (n, kind) => {
        const text = n === 1 ? "链接已复制" : `已复制 ${number(n)} 个链接`;
        return kinds[kind] === undefined ? text : `${text}。${kinds[kind]}`;
      },
      copiedSome: (n, of) => `已复制前 ${number(n)} 个链接，共 ${number(of)} 个`,
    },
    posts: {
      title: "文章",
      used: (n) => (n === 0 ? "没有文章使用" : `用于 ${number(n)} 篇文章`),
      open: "打开",
      openOf: (file) => `打开 ${file}`,
      wrong: "文章中的问题",
      broken: (n) => `文章中有 ${number(n)} 处链接失效`,
      unread: (n) => `${number(n)} 篇文章无法读取`,
    },
    adopt: {
      title: "接管博客",
      lead: "Porchlight 会上传文章中的图片，并修改文件中的图片地址。写入之前，你可以查看每一处改动，之后也可以撤销。",
      offer: "文章里已经有图片？Porchlight 可以把它们移到这里。",
      choose: "选择博客文件夹…",
      found: {
        posts: () => "篇文章已读取",
        local: () => "处链接指向这个文件夹中的图片",
        ours: () => "处链接指向已在这里的图片",
        missing: () => "处链接的图片缺失，保持不变",
        outside: () => "处链接在文件夹之外，保持不变",
        unused: () => "张图片在文件夹中，但没有文章使用",
      },
      foreign: "在其他网站上",
      foreignWhy: "选中网站的图片也会下载并保存到这里。",
      drafts: "包括草稿",
      draftsWhy: (n) => `草稿中有 ${number(n)} 处链接`,
      needs: "链接需要先有永久地址。",
      needsWhy: "在此之前可以查看，但不会写入任何内容。",
      plan: "查看改动",
      planned: (uploads, addresses, changed) =>
        addresses === 0
          ? "没有需要修改的内容。"
          : `${number(uploads)} 张图片，${number(changed)} 篇文章中的 ${number(addresses)} 处地址`,
      diff: "改动",
      cut: "只显示前 400 行。",
      start: "接管",
      done: (uploaded, here, addresses, changed) =>
        `已上传 ${number(uploaded)} 张图片，${number(here)} 张原本就在这里。已修改 ${number(changed)} 篇文章中的 ${number(addresses)} 处地址。`,
      failed: (n) => `${number(n)} 处链接的图片未能获取，保持不变`,
      left: (n) => `${number(n)} 篇文章未修改`,
      undone: (restored, uploaded) =>
        `已还原 ${number(restored)} 篇文章。${number(uploaded)} 张已上传的图片仍保留。`,
    },
    removal: {
      title: (n) => `删除 ${number(n)} 张图片？`,
      used: (used, of, names, more) =>
        `${of === 1 ? "这张图片" : `这 ${number(of)} 张图片中有 ${number(used)} 张`}用于文章：${names}${more > 0 ? `，另有 ${number(more)} 篇` : ""}。删除后读者会看到空缺。`,
      done: (n) => `已删除 ${number(n)} 张图片。`,
      copies: ({ caches: { edge, store }, address }) => {
        if (!edge)
          return address.kind === "local"
            ? "浏览器中的缓存最长可能保留一年。"
            : "浏览器和 CDN 中的缓存最长可能保留一年。";
        const places = store ? "边缘缓存和对象存储的 CDN 缓存" : "边缘缓存";
        const text = `副本最长可能在${places}中保留一天，在读者的浏览器中保留一年。`;
        return store ? `${text}旧版本存入的图片在 CDN 中也可能保留一年。` : text;
      },
      back: (n) => `已恢复 ${number(n)} 张图片`,
      notBack: (n) => `${number(n)} 张图片未能恢复，详情见日志。`,
    },
    trash: {
      open: "已删除的图片…",
      title: "已删除的图片",
      empty: "没有可以恢复的图片。",
      count: (n) => `${number(n)} 张图片可以恢复，读者看不到。`,
      left: (days) => `剩余 ${number(days)} 天`,
      more: (n) => `还有 ${number(n)} 张`,
      putBack: "恢复",
      putBackOf: (name) => `恢复 ${name}`,
      putAllBack: "全部恢复",
      trouble: "无法加载已删除的图片。",
    },
    large: {
      label: (nth, of) => `第 ${number(nth)} 张图片，共 ${number(of)} 张`,
      previous: "上一张",
      next: "下一张",
      renamed: "已重命名",
      zoomIn: "实际大小",
      zoomOut: "适应窗口",
      nameHint: "用作 Markdown 和 HTML 链接的替代文本，此外只有你能看到。",
      added: "添加时间",
      pixels: "尺寸",
      size: "大小",
      moving: (format) => `${format} 动图`,
      source: "原图",
      views: "浏览",
      hash: "ID",
      link: "链接",
      remove: "删除这张图片",
      across: (width, height) => `${width} × ${height}`,
    },
    queue: {
      title: "上传",
      progress: "上传进度",
      uploading: (done, of) => `正在上传：已完成 ${number(done)} / ${number(of)}`,
      finished: (added, known, failed) => {
        const parts: string[] = [];
        if (added > 0) parts.push(`已上传 ${number(added)} 张`);
        if (known > 0) parts.push(`${number(known)} 张已存在`);
        if (failed > 0) parts.push(`${number(failed)} 个失败`);
        return parts.join("，");
      },
      bytes: (done, all) => `${done} / ${all}`,
      pace: (perSecond) => `${perSecond}/秒`,
      clear: "从列表移除已完成的",
      copyOf: (name) => `复制 ${name} 的链接`,
      retry: "重试",
      retryOf: (name) => `重试 ${name}`,
      retryAll: "全部重试",
      cancelOf: (name) => `取消 ${name}`,
      cancelAll: "取消剩余上传",
      showAll: (n) => `显示全部 ${number(n)} 个`,
      showFewer: "收起",
      more: (n) => `另有 ${number(n)} 个文件未显示`,
      waiting: "等待中",
      done: "已上传",
      duplicate: "已存在",
      failed: "失败",
      became: (from, to) => `${from} → ${to}，WebP`,
      lost: "上传列表加载失败。",
      trouble: {
        unreadable: "无法读取这个文件。请确认文件还在，并且你有权限打开。",
        not_a_file: "这里没有文件：文件夹是空的，或者什么都没有。",
        too_large: "图片太大，可在“设置”的“画质”中提高上限。",
        not_a_picture: "不支持这种格式，请先转成 JPEG、PNG 或 WebP。",
        too_many: "一次添加的文件太多。请等这些上传完，再添加其余的。",
        broken: "图片已损坏，请重新保存后再试。",
        storage: "保存失败，请稍后重试。详情见日志。",
      },
    },
    aside: {
      title: (n) => `${number(n)} 个文件未能上传`,
      sentence: () => "文件仍留在监视的文件夹中。",
      dismiss: "移出列表",
      dismissOf: (name) => `把 ${name} 移出列表`,
      dismissAll: "全部移出列表",
      lost: "未能上传的文件列表加载失败。",
    },
  };
}
