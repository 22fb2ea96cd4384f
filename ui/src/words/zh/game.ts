// The words of the place "game", in Simplified Chinese.

import type { game as english } from "../en/game";

/** The words, with numbers written as `locale` writes them. */
export function game(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const number = (n: number) => numbers.format(n);

  return {
    lead: "博客会怎样显示你正在玩的游戏。",
    trouble: "暂时看不到游戏状态。",
    now: {
      title: "博客现在读到的内容",
      playing: (name) => `你在玩 ${name}`,
      online: "你没有在玩游戏",
      offline: "你在 Steam 上离线",
      untold: "没有说出你的游戏",
      unset: "在下面设置一个来源，博客就会显示你在玩什么。",
      source: {
        client: "来自这台电脑上的 Steam",
        web_api: "来自 Steam 网络接口",
      },
      noSource: "没有可以询问的来源",
      hidden: {
        not_shared: "你没有分享任何内容，所以也不会说出游戏。",
        paused: "分享已暂停，所以也不会说出游戏。",
        private: "有规则把它隐藏了，或者最前面的窗口绝不提及，所以也不会说出游戏。",
      },
      trouble: "没有更多消息。",
      field: "字段",
      value: "内容",
      what: "含义",
      fields: {
        status: "在线，或在游戏中。",
        game: "游戏的名称。",
        game_id: "在 Steam 上的编号，博客可以用它链接到商店。",
        description: "商店里的介绍。",
        price: "商店里的价格。",
        playtime: "你玩了多久。",
        achievement_percentage: "你完成了多少成就。",
      },
      unknown: "回答里的其他字段。",
      empty: "空",
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
      again: "再看一次",
      none: "最近没有玩过游戏，或者 Steam 没有告诉我们。",
    },
    setUp: {
      title: "消息从哪里来",
      lead: "Porchlight 先问 Steam 客户端，问不到时再问网络接口。",
      client: "询问这台电脑上的 Steam",
      clientLine: "不需要密钥，Steam 在这里运行时有效。",
      clientAt: (folder) => `位于 ${folder}`,
      clientNone: "这台电脑上没有找到 Steam。",
      key: "网络接口密钥",
      keyLine:
        "可在 steamcommunity.com/dev/apikey 向 Steam 申请。密钥只保存在这台电脑上，不会再显示出来。",
      keySet: "已设置密钥",
      keyUnset: "未设置密钥",
      keyNew: "设置密钥",
      keyChange: "换一个",
      keySave: "保存",
      keyCancel: "取消",
      keyRemove: "移除",
      keySaved: "密钥已设置。",
      keyRemoved: "密钥已移除。",
      id: "Steam 账号编号",
      idLine: "个人资料页面网址里的那串 17 位数字。",
      idSaved: "账号编号已设置。",
      offline: "离线时告诉博客",
      offlineLine: "支持的博客会显示离线，其他博客只认得在线。",
      more: "价格与介绍的地区和语言",
    },
    test: {
      start: "现在问一次",
      asking: "正在询问…",
      client: "Steam 客户端",
      webApi: "网络接口",
      off: "已关闭或未设置。",
      playing: (name) => `有回答：你在玩 ${name}。`,
      idle: "有回答：你没有在玩游戏。",
    },
  };
}
