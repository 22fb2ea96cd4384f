// The texts of the page "game", in Simplified Chinese.

import type { game as english } from "../en/game";

/** The texts, with numbers formatted for `locale`. */
export function game(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const number = (n: number) => numbers.format(n);

  return {
    lead: "博客会显示你正在玩的游戏。",
    trouble: "游戏状态加载失败。",
    now: {
      playing: "正在玩",
      since: (time) => `从 ${time} 开始玩`,
      played: "总时长",
      price: "价格",
      free: "免费",
      achievements: "成就",
      reached: (n, of) => `${number(n)} / ${number(of)}`,
      online: "没有在玩游戏",
      next: "开始玩游戏后，这里和博客上都会显示。",
      offline: "Steam 离线",
      failing: "暂时无法获取游戏状态",
      hiddenTitle: "未公开游戏状态",
      unset: "让博客显示你正在玩的 Steam 游戏。",
      notFound: "本机没有找到 Steam，可以改为填写 Steam Web API 密钥。",
      useClient: "使用本机 Steam",
      connect: "填写 Steam 密钥",
      source: {
        client: "来自本机 Steam",
        web_api: "来自 Steam Web API",
      },
      noSource: "未连接",
      failed: "出现问题",
      hidden: {
        not_shared: "未开启分享，不显示游戏。",
        paused: "分享已暂停，不显示游戏。",
        private: "有规则隐藏了这个游戏，或你正在使用私密程序。",
      },
      trouble: "游戏状态更新失败。",
    },
    readers: {
      title: "读者看到的内容",
      where: "在你的博客上",
      nothing: "没有游戏",
      hidden: "不显示游戏",
      status: { 在线: "在线", 离线: "离线", 在游戏中: "在游戏中" },
      played: (time) => `已玩 ${time}`,
      reached: (percent) => `成就 ${percent}`,
      raw: "原始数据（供开发者）",
      field: "字段",
      value: "内容",
      fields: {
        status: "在线，或在游戏中。",
        game: "游戏的名称。",
        game_id: "Steam 应用 ID，可用于链接到商店。",
        description: "商店中的介绍。",
        price: "商店中的价格。",
        playtime: "游戏时长。",
        achievement_percentage: "已解锁成就的比例。",
      },
      unknown: "其他字段。",
    },
    recent: {
      title: "最近玩过",
      name: "游戏",
      lately: "最近两周",
      ever: "总时长",
      last: "上次游玩",
      hours: (minutes) =>
        minutes < 60 ? `${number(minutes)} 分钟` : `${number(minutes / 60)} 小时`,
      unknown: "未知",
      again: "刷新",
      none: "最近没有玩过游戏，或 Steam 未提供记录。",
    },
    setUp: {
      title: "数据来源",
      lead: "优先读取本机 Steam，读不到时查询 Steam Web API。",
      client: "读取本机 Steam",
      clientLine: "无需密钥，Steam 在本机运行时有效。",
      clientAt: (folder) => `位于 ${folder}`,
      clientNone: "本机没有找到 Steam。",
      key: "Steam Web API 密钥",
      keyLine: "可在 steamcommunity.com/dev/apikey 申请。密钥只保存在这台电脑上，不会再显示。",
      keySet: "已设置密钥",
      keyUnset: "未设置密钥",
      keyNew: "设置密钥",
      keySaved: "密钥已保存。",
      keyRemoved: "密钥已移除。",
      id: "SteamID",
      idLine: "个人资料页网址中的 17 位数字。",
      idSaved: "SteamID 已保存。",
      offline: "Steam 离线时也告诉博客",
      offlineLine: "有些博客无法显示这个状态。",
      more: "商店地区与语言",
    },
  };
}
