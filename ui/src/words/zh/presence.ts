// The words of the place "presence", in Simplified Chinese.

import type { presence as english } from "../en/presence";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The words, with numbers written as `locale` writes them. */
export function presence(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);

  return {
    lead: "你在用电脑时，博客会显示什么，又绝不会显示什么。",
    trouble: "暂时看不到正在分享的内容。",
    see: "读者看到的",
    somebody: "有人在",
    somebodyLine: "没有显示任何程序。",
    away: "离开",
    duration: (length) => {
      if (length < MINUTE_MS) return "不到一分钟";
      const minutes = Math.round(length / MINUTE_MS);
      const hours = Math.floor(minutes / (HOUR_MS / MINUTE_MS));
      const rest = minutes % (HOUR_MS / MINUTE_MS);
      if (hours === 0) return `${number(rest)} 分钟`;
      return rest === 0 ? `${number(hours)} 小时` : `${number(hours)} 小时 ${number(rest)} 分钟`;
    },
    details: "详情",
    now: {
      title: "下一次心跳会说什么",
      nothing: "什么都不说",
      nothingLine: "分享已关闭或暂停，博客不会从这台电脑得到任何消息。",
      pausedUntil: (when) => `暂停到 ${when}`,
      paused: "暂停中，直到你恢复",
      online: "你正在用",
      away: {
        idle: "你有一会儿没碰键盘和鼠标了，读者会看到你不在。",
        locked: "屏幕已锁定，读者会看到你不在。",
        asleep: "电脑在睡眠，读者会看到你不在。",
      },
      fixed: "现在显示的是你自己写的状态，而不是正在用的程序。",
      hidden: "最前面的窗口绝不会被说出去，读者只会看到有人在。",
      trouble: "上一次心跳没有送达。",
      nextTry: (when) => `${when} 会再试一次。`,
      home: "暂停或设置状态",
      settings: "空闲时间与标题",
      titles: "除非规则或设置允许，窗口标题不会离开这台电脑。",
    },
    senses: {
      foreground: {
        what: "看不到哪个程序在最前面",
        todo: "读者会看到你在，但看不到程序。自己写的状态在哪里都有效：可以在首页设置。",
      },
      input: {
        what: "看不到你上次操作的时间",
        todo: "不会自动显示为离开。离开时请先暂停分享。",
      },
      lock: {
        what: "看不到屏幕是否锁定",
        todo: "一段时间没有操作后，就会显示为离开。",
      },
      sleep: {
        what: "看不到电脑是否进入睡眠",
        todo: "睡眠之后，读者还会有几分钟看到你在。",
      },
      media: {
        what: "看不到是否正在播放影片或音乐",
        todo: "看片时如果没有操作，会显示为离开。可以在设置里把时间调长。",
      },
    },
    past: {
      title: "读者看到过什么",
      today: "今天",
      week: "七天",
      choose: "显示的时间范围",
      band: (day) => `${day}读者看到的内容`,
      bandHint: "用方向键逐段浏览这一天。",
      piece: (what, from, to, length) => `${what}，${from} 至 ${to}，${length}`,
      span: (from, to) => `${from} – ${to}`,
      empty: "什么都没有说",
      emptyLine: "灯亮之后，这一天会慢慢填上你在做的事。",
      emptyGo: "去看看灯",
      weekEmpty: "这七天什么都没有说",
      now: "现在",
      program: "程序",
      time: "时长",
      sumToday: "今天各程序的时长",
      sumWeek: "七天内各程序的时长",
      others: (n) => `另外 ${number(n)} 个程序`,
      kept: (days) => `只保存在这台电脑上，保留 ${number(days)} 天，不给任何人看。`,
      trouble: "暂时看不到过去的记录。",
    },
    rules: {
      title: "规则",
      lead: (builtIn) =>
        `由第一条符合的规则决定。没有符合的规则时，Porchlight 自己认识 ${number(builtIn)} 个程序，其他程序则用它本来的名称和颜色。`,
      list: "你的规则，按顺序排列",
      none: "还没有规则。添加一条，可以给程序改名、配上一句话和颜色，或者不让别人知道。",
      add: "添加规则",
      addForFront: (program) => `为 ${program} 添加规则`,
      any: "任何窗口",
      titled: (title) => `标题 ${title}`,
      hides: "什么都不说",
      becomes: (name) => `“${name}”`,
      keeps: "本来的名称",
      matches: "现在符合",
      up: (n) => `把第 ${number(n)} 条规则上移`,
      down: (n) => `把第 ${number(n)} 条规则下移`,
      duplicate: (n) => `复制第 ${number(n)} 条规则`,
      remove: (n) => `删除第 ${number(n)} 条规则`,
      moved: (n) => `现在是第 ${number(n)} 条规则。`,
      removed: (n) => `第 ${number(n)} 条规则已删除，放弃更改即可恢复。`,
      keys: "按住 Alt 再按 ↑ 或 ↓ 可移动规则。",
      fields: {
        program: "程序",
        programHint: "程序名，或 /正则表达式/。留空表示任何程序。",
        title: "窗口标题",
        titleHint: "标题的一部分，或 /正则表达式/。留空表示任何标题。",
        hide: "不要说出去",
        hideHint: "读者只会看到有人在。",
        name: "名称",
        nameHint: "留空则用程序本来的名称。",
        introduce: "配上一句话",
        introduceHint: "{title} 会换成窗口标题，所有人都能看到。",
        colour: "颜色",
        colourHint: "红、绿、蓝和浓度。留空则用程序本来的颜色。",
        pick: "选择颜色",
        alpha: "浓度",
        clear: "用程序本来的颜色",
      },
      unsaved: "规则已更改，但还没有保存。",
      save: "保存规则",
      discard: "放弃更改",
      saved: "规则已保存，下一次心跳就会照做。",
      refused: "规则没有保存，请看旁边的说明。",
    },
    trial: {
      front: "上一个在最前面的程序",
      noFront: "还不知道任何窗口。切换到别的程序再回来看看。",
      alsoKnownAs: (names) => `又名 ${names}`,
      noTitle: "没有标题",
      byRule: (n) => `按第 ${number(n)} 条规则，读者会看到`,
      byNone: "没有符合的规则，读者会看到",
      private: "私密：绝不会说出去",
      privateLine: "它在下面的名单里，任何规则都改变不了。",
      hidden: "什么都不会说",
      hiddenLine: "读者只会看到有人在。",
      wrong: "先改正规则，才能看到效果。",
      trouble: "暂时无法试用规则。",
    },
    never: {
      title: "绝不提及",
      lead: "无论规则怎么写，下面这些都绝不会被说出去。",
      kinds: {
        passwords: { name: "密码管理器", sentence: "保管密码和密钥的程序。" },
        banks: { name: "银行与支付", sentence: "标题里提到银行的窗口。" },
        private_windows: { name: "隐私窗口", sentence: "表明自己是隐私模式的浏览器窗口。" },
        lock_screens: { name: "锁屏与屏保", sentence: "你离开时盖住屏幕的东西。" },
      },
      count: (n) => `${number(n)} 个名称`,
    },
  };
}
