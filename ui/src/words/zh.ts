// All texts of the window, in Simplified Chinese.

import type { Words } from "./en";
import { blog } from "./zh/blog";
import { devices } from "./zh/devices";
import { edgeSetup } from "./zh/edge-setup";
import { game } from "./zh/game";
import { home } from "./zh/home";
import { images } from "./zh/images";
import { presence } from "./zh/presence";
import { reach } from "./zh/reach";
import { settings } from "./zh/settings";
import { shell } from "./zh/shell";
import { statistics } from "./zh/statistics";
import { update } from "./zh/update";
import { welcome } from "./zh/welcome";

/** The texts, with numbers formatted for `locale`. */
export function zh(locale: string): Words {
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
    cancel: "取消",
    close: "关闭",
    name: "名称",
    done: "完成",
    copied: "已复制",
    copy: "复制",
    tryAgain: "重试",
    undo: "撤销",
    left: (seconds) => {
      if (seconds < 60) return `剩余约 ${seconds} 秒`;
      const minutes = Math.round(seconds / 60);
      return minutes < 60 ? `剩余约 ${minutes} 分钟` : `剩余约 ${Math.round(minutes / 60)} 小时`;
    },
    list: (parts) => parts.join("、"),
    version: (version) => `Porchlight ${version}`,
    shown: { online: "在线", away: "离开", offline: "离线" },
    lamp: { lit: "一盏亮着的门廊灯", unlit: "一盏没有亮的门廊灯" },
    game: game(locale),
    presence: presence(locale),
    devices: devices(locale),
    reach: reach(locale),
    edgeSetup: edgeSetup(),
    blog: blog(),
    statistics: statistics(locale),
    homeTrouble: "无法获取当前状态。",
    settings: settings(locale),
    update: update(),
    loading: "正在加载…",
  };
}
