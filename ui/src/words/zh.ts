// Every word of the window, in Simplified Chinese.

import type { Words } from "./en";
import { settings } from "./zh/settings";

/** The words, with numbers written as `locale` writes them. */
export function zh(locale: string): Words {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);

  return {
    places: {
      home: "首页",
      images: "图片",
      presence: "在线状态",
      game: "游戏",
      statistics: "统计",
      settings: "设置",
    },
    close: "关闭",
    copied: "已复制",
    copy: "复制",
    tryAgain: "重试",
    version: (version) => `Porchlight ${version}`,
    service: {
      on: (port) => `服务运行在端口 ${port}`,
      off: "服务未在监听",
      unknown: "服务没有回应",
      trouble: "服务没有在监听，博客暂时连不上它。",
    },
    light: {
      unasked: {
        chip: "灯没有亮",
        title: "要为读者留一盏灯吗？",
        sentence:
          "博客上可以显示你在不在。这个版本的心跳每半分钟发送一次，只表示你在，名称固定为“Porchlight”，不含正在使用的程序，也不含窗口标题。你回答之前什么都不会上报，之后也随时可以改主意。",
      },
      off: {
        chip: "未分享",
        title: "灯关着",
        sentence: "这台电脑不会上报任何关于你的信息。",
      },
      paused: {
        chip: "已暂停",
        title: "灯暂时关着",
        sentence: "继续之前，这台电脑不会上报任何信息。",
      },
      waiting: {
        chip: "正在点亮",
        title: "灯就要亮了",
        sentence: "第一次心跳马上就到。",
      },
      on: {
        chip: "灯亮着",
        title: "你在线",
        sentence: "读者在博客上看到的就是这些和这个颜色，仅此而已。",
      },
      away: {
        chip: "灯亮着",
        title: "你暂时离开了",
        sentence: "读者会看到你此刻不在电脑前。",
      },
      out: {
        chip: "没有心跳",
        title: "灯熄了",
        sentence: "已经有一阵子没有收到心跳，读者看到的是没有人在。",
      },
    },
    lastHeartbeat: (ago) => `上次心跳：${ago}`,
    lingering: "在上次心跳过期之前，读者仍然看得到它。",
    heartbeatTrouble: "上一次心跳没有发出去。",
    share: "分享",
    notNow: "暂不",
    pause: "暂停",
    resume: "继续",
    stopSharing: "停止分享",
    lamp: { lit: "一盏亮着的门廊灯", unlit: "一盏没有亮的门廊灯" },
    readers: {
      see: "读者看到的",
      wouldSee: "读者将会看到的",
      somebody: "有人在",
      nobody: "没有人在",
      away: "暂时离开",
    },
    address: {
      label: "填到博客里的地址",
      copy: "复制地址",
      copied: "地址已复制到剪贴板",
      local: "目前只有这台电脑能访问它。",
    },
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
    calls: {
      title: "今日访问",
      hours: "最近 24 小时",
      unit: () => "次调用",
      count: (n) => `${number(n)} 次调用`,
      describe: (total, most, between) =>
        `最近 24 小时共 ${number(total)} 次调用，最忙的时段是${between}，有 ${number(most)} 次。`,
      none: "最近 24 小时没有调用。",
      between: (from, to) => `${from} 至 ${to}`,
      now: "现在",
    },
    paths: {
      title: "读者请求的内容",
      since: "自始至今",
      path: "路径",
      calls: "次数",
      last: "最近一次",
      never: "从未",
      empty: "还没有人请求过什么。把上面的地址填到博客里吧。",
    },
    homeTrouble: "窗口暂时看不到当前的情况。",
    settings: settings(locale),
    loading: "请稍候…",
  };
}
