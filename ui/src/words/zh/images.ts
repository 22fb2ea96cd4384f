// The words of the place "images", in Simplified Chinese.

import type { images as english } from "../en/images";

/** The words, with numbers written as `locale` writes them. */
export function images(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: "percent" });
  const number = (n: number) => numbers.format(n);

  return {
    title: "图片",
    inAll: (n) => `共 ${number(n)} 张`,
    found: (n) => `找到 ${number(n)} 张`,
    loading: "请稍候，图片马上就来…",
    trouble: "没能读取图片。",
    empty: "还没有图片。把图片拖进窗口、粘贴进来，或者从文件里选择。",
    nothingFound: "没有符合条件的图片。",
    showAll: "显示全部图片",
    search: {
      label: "按日期或哈希搜索",
      clear: "清除搜索",
      unknown:
        "可以输入日期，如 2026-11-20、2026-11 或“今天”；范围，如 2026-11-01..2026-11-20；或者哈希的开头几位。",
    },
    add: {
      pictures: "添加图片…",
      more: "其他添加方式",
      files: "选择文件…",
      folder: "选择文件夹…",
      paste: "从剪贴板粘贴",
    },
    grid: {
      label: "图片",
      picture: (when, width, height, seen) =>
        `${when}添加的图片，${width} × ${height} 像素，浏览 ${number(seen)} 次`,
      coming: "这张图片还在加载",
      going: "即将删除",
      notShown: "这张图片无法显示",
      views: (n) => `${number(n)} 次浏览`,
      fresh: "新",
      today: "今天",
      animated: "动图",
    },
    selection: {
      label: "选中的图片",
      count: (n) => `已选 ${number(n)} 张`,
      heard: (n) => `已选中 ${number(n)} 张图片`,
      none: "没有选中图片",
      all: "全选",
      clear: "取消选择",
      copy: "复制链接",
      remove: "删除",
    },
    links: {
      forms: {
        own: "自定义模板",
        url: "网址",
        markdown: "Markdown",
        html: "HTML",
        bbcode: "BBCode",
      },
      copied: (n) => (n === 1 ? "链接已复制到剪贴板" : `${number(n)} 个链接已复制到剪贴板`),
      copiedSome: (n, of) =>
        `${number(of)} 个链接中的 ${number(n)} 个已复制到剪贴板，一次最多只能复制这么多`,
    },
    removal: {
      label: "即将删除",
      soon: (n, seconds) => `${number(seconds)} 秒后删除 ${number(n)} 张图片`,
      heard: (n) => `${number(n)} 张图片将在几秒后删除，可以撤销。`,
      copies: "浏览器和缓存服务器中的副本最长可保留一年。",
      undo: "撤销",
      kept: (n) => `已保留 ${number(n)} 张图片`,
      tooLate: "撤销得太晚，图片已经删除了。",
    },
    large: {
      label: (nth, of) => `第 ${number(nth)} 张图片，共 ${number(of)} 张`,
      close: "关闭",
      previous: "上一张",
      next: "下一张",
      zoomIn: "按原始像素显示",
      zoomOut: "适应窗口",
      added: "添加时间",
      pixels: "像素",
      size: "大小",
      moving: (format) => `${format} 动图`,
      source: "原格式",
      views: "浏览",
      hash: "哈希",
      copy: "复制链接为",
      remove: "删除这张图片",
      across: (width, height) => `${width} × ${height}`,
      became: (from, to) => `${from} → ${to}，WebP`,
    },
    queue: {
      title: "上传",
      progress: "上传进度",
      uploading: (nth, of) => `正在上传第 ${number(nth)} 个，共 ${number(of)} 个`,
      finished: (added, known, failed) => {
        const parts: string[] = [];
        if (added > 0) parts.push(`已添加 ${number(added)} 张`);
        if (known > 0) parts.push(`${number(known)} 张早已存在`);
        if (failed > 0) parts.push(`${number(failed)} 个失败`);
        return parts.join("，");
      },
      bytes: (done, all) => `${done}，共 ${all}`,
      pace: (perSecond) => `每秒 ${perSecond}`,
      left: (seconds) => {
        if (seconds < 60) return `大约还要 ${seconds} 秒`;
        const minutes = Math.round(seconds / 60);
        return minutes < 60
          ? `大约还要 ${minutes} 分钟`
          : `大约还要 ${number(Math.round(minutes / 60))} 小时`;
      },
      clear: "清除已完成的",
      retry: "重试",
      retryOf: (name) => `重试 ${name}`,
      retryAll: "全部重试",
      showAll: (n) => `显示全部 ${number(n)} 个`,
      showFewer: "收起",
      more: (n) => `另有 ${number(n)} 个文件未显示`,
      percent: (share) => percents.format(share),
      waiting: "等待中",
      done: "已添加",
      duplicate: "早已存在",
      failed: "失败",
      became: (from, to) => `${from} → ${to}，WebP`,
      lost: "没能读取上传队列。",
      trouble: {
        unreadable: "无法读取这个文件。请确认它还在，并且可以打开。",
        not_a_file: "这里没有文件，只有空文件夹，或者什么都没有。",
        too_large: "图片的文件或像素超过了“设置”的“图片”中的上限。",
        not_a_picture: "这个文件不是 Porchlight 能读取的图片。",
        too_many: "一次放入的文件太多。请等这些上传完，再添加其余的。",
        broken: "图片已损坏，无法打开。请从原处重新保存。",
        storage_full: "存放图片的地方没有空间了。请腾出空间，然后重试。",
        storage: "没能存储下来，原因见日志。请稍后重试。",
      },
    },
    aside: {
      title: (n) => `监视的文件夹里有 ${number(n)} 个文件被搁置`,
      sentence: () => "它们目前无法成为图片。",
      list: "被搁置的文件",
      retry: "重试",
      retryOf: (name) => `重试 ${name}`,
      dismiss: "忽略",
      dismissOf: (name) => `忽略 ${name}`,
      retryAll: "全部重试",
      dismissAll: "全部忽略",
      more: (n) => `另有 ${number(n)} 个文件未显示`,
      lost: "没能读取被搁置的文件。",
    },
  };
}
