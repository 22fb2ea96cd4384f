// Every word of the window, in Simplified Chinese.

import type { Words } from "./en";
import { game } from "./zh/game";
import { home } from "./zh/home";
import { images } from "./zh/images";
import { presence } from "./zh/presence";
import { settings } from "./zh/settings";
import { shell } from "./zh/shell";
import { statistics } from "./zh/statistics";
import { welcome } from "./zh/welcome";

/** The words, with numbers written as `locale` writes them. */
export function zh(locale: string): Words {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);

  return {
    images: images(locale),
    places: {
      home: "首页",
      images: "图片",
      presence: "在线状态",
      game: "游戏",
      statistics: "统计",
      settings: "设置",
    },
    home: home(locale),
    shell: shell(locale),
    welcome: welcome(locale),
    close: "关闭",
    copied: "已复制",
    copy: "复制",
    tryAgain: "重试",
    version: (version) => `Porchlight ${version}`,
    lamp: { lit: "一盏亮着的门廊灯", unlit: "一盏没有亮的门廊灯" },
    pictures: {
      title: "最新图片",
      inAll: (n) => `共 ${number(n)} 张`,
      add: "添加图片…",
      dropHere: "把图片拖到窗口的任意位置即可添加",
      dropNow: "松手即可添加",
      empty: "还没有图片。把图片拖进窗口，或者从文件里选择。",
      alt: (when) => `${when}添加的图片`,
      copyLink: "复制链接",
      copyLinkOf: (when) => `复制${when}添加的图片的链接`,
      linkCopied: "链接已复制到剪贴板",
      notShown: "这张图片无法显示",
      pixels: (width, height) => `${width} × ${height}`,
    },
    queue: {
      title: "上传",
      progress: "上传进度",
      uploading: (nth, of) => `正在上传第 ${number(nth)} 张，共 ${number(of)} 张`,
      finished: (added, known, failed) => {
        const parts: string[] = [];
        if (added > 0) parts.push(`已添加 ${number(added)} 张`);
        if (known > 0) parts.push(`${number(known)} 张早已存在`);
        if (failed > 0) parts.push(`${number(failed)} 个失败`);
        return parts.join("，");
      },
      bytes: (done, all) => `${done}，共 ${all}`,
      clear: "清除已完成的",
      showAll: (n) => `显示全部 ${number(n)} 个`,
      showFewer: "收起",
      more: (n) => `另有 ${number(n)} 个文件未显示`,
      waiting: "等待中",
      working: "添加中",
      done: "已添加",
      duplicate: "早已存在",
      failed: "失败",
      became: (from, to) => `${from} → ${to}，WebP`,
      trouble: {
        unreadable: "无法读取这个文件。",
        not_a_file: "这里没有文件，只有文件夹，或者什么都没有。",
        too_large: "文件太大，或者像素太多。",
        not_a_picture: "这不是可以识别的图片。",
        broken: "图片已损坏，无法打开。",
        storage_full: "存储空间已满。",
        storage: "没能存储下来。",
      },
    },
    game: game(locale),
    presence: presence(locale),
    statistics: statistics(locale),
    homeTrouble: "窗口暂时看不到当前的情况。",
    settings: settings(locale),
    loading: "请稍候…",
  };
}
