// The texts of the page "presence", in Simplified Chinese.

import { counting } from "../counting";
import type { presence as english } from "../en/presence";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The texts, with numbers formatted for `locale`. */
export function presence(locale: string): ReturnType<typeof english> {
  const { number } = counting(locale);

  return {
    lead: "博客会显示什么，哪些内容始终不公开。",
    awayLine: (app) => `发给博客的数据中还有最后使用的程序“${app}”，Porchlight 组件不显示它。`,
    trouble: "在线状态加载失败。",
    somebodyLine: "不显示程序。",
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
      title: "读者接下来看到的",
      off: "分享已关闭。",
      pausedLine: "分享已暂停。",
      away: {
        idle: "你有一会儿没有使用键盘和鼠标了，读者会看到你已离开。",
        locked: "屏幕已锁定，读者会看到你已离开。",
        asleep: "电脑正在睡眠，读者会看到你已离开。",
      },
      home: "暂停或设置状态",
      resume: "去首页继续分享",
      share: "去首页开始分享",
      settings: "空闲时间与窗口标题",
      titles: "窗口标题默认不公开，只有在规则或设置中允许后才会显示。",
    },
    sensors: {
      foreground: {
        what: "Porchlight 看不到你在用哪个程序",
        todo: "读者会看到你在线，但看不到程序。仍可在首页设置自定义状态。",
      },
      input: {
        what: "Porchlight 看不到你上次操作键盘和鼠标的时间",
        todo: "不会自动显示为离开。离开时请先暂停分享。",
      },
      lock: {
        what: "Porchlight 看不到屏幕是否已锁定",
        todo: "一段时间没有操作后，就会显示为离开。",
      },
      sleep: {
        what: "Porchlight 看不到电脑何时进入睡眠",
        todo: "睡眠之后，读者在几分钟内仍会看到你在线。",
      },
      media: {
        what: "Porchlight 看不到是否正在播放音视频",
        todo: "观看视频时可能会显示为离开，可在设置中调长空闲时间。",
      },
    },
    gnome: {
      needsSwitch: {
        what: "GNOME 需要打开一个开关",
        todo: "GNOME 不会告诉任何程序你在用什么。Porchlight 的 GNOME 扩展可以：它把程序和窗口标题发给这台电脑上的 Porchlight。你的规则和私密名单照常有效。",
      },
      needsLogin: {
        what: "GNOME 需要重新登录",
        todo: "Porchlight 的 GNOME 扩展已经安装，但 GNOME 只在登录时查找新扩展。请注销并重新登录，然后在这里打开它。",
      },
      turnOn: "打开",
      turnedOn: "扩展已打开。",
    },
    past: {
      unnamed: "在线，未显示程序",
      title: "读者看到过什么",
      today: "今天",
      band: (day) => `${day}读者看到的内容`,
      bandHint: "用方向键逐段浏览这一天，按回车键可重命名或隐藏程序。",
      piece: (what, from, to, length) => `${what}，${from} 至 ${to}，${length}`,
      span: (from, to) => `${from} – ${to}`,
      empty: "暂无记录",
      emptyLine: "这里会按时间显示读者看到过的内容。",
      emptyGo: "前往首页",
      weekEmpty: "最近 7 天没有记录",
      program: "程序",
      time: "时长",
      sumToday: "今天各程序的时长",
      sumWeek: "最近 7 天各程序的时长",
      others: (n) => `另外 ${number(n)} 个程序`,
      kept: (days) => `只保存在这台电脑上，保留 ${number(days)} 天。`,
      trouble: "时间线加载失败。",
    },
    rules: {
      title: "规则",
      lead: (builtIn) =>
        `从上到下，以第一条符合的规则为准。都不符合时，使用 Porchlight 自带的 ${number(builtIn)} 个程序的信息，或程序自己的名称和颜色。`,
      list: "你的规则，按顺序排列",
      none: "还没有规则。添加规则可以给程序改名、加说明、换颜色，或者隐藏它。",
      add: "添加规则",
      addForFront: (program) => `为 ${program} 添加规则`,
      any: "任何窗口",
      titled: (title) => `标题含 ${title}`,
      hides: "已隐藏",
      becomes: (name) => `“${name}”`,
      keeps: "原名称",
      matches: "当前使用",
      up: (n) => `上移第 ${number(n)} 条规则`,
      down: (n) => `下移第 ${number(n)} 条规则`,
      duplicate: (n) => `复制第 ${number(n)} 条规则`,
      remove: (n) => `删除第 ${number(n)} 条规则`,
      moved: (n) => `已移到第 ${number(n)} 条。`,
      hidden: (app) => `读者看不到“${app}”了，规则在下面的列表中。`,
      hidesNothing: (app) =>
        `“${app}”的规则已保存，但这台电脑上现在没有叫这个名字的应用。请在打开它时检查规则。`,
      removed: (n) => `已删除第 ${number(n)} 条规则，放弃更改即可恢复。`,
      keys: "按住 Alt 再按 ↑ 或 ↓ 可移动规则。",
      fields: {
        program: "程序",
        programHint: "程序名，或 /正则表达式/。留空表示任何程序。",
        title: "窗口标题",
        titleHint: "标题的一部分，或 /正则表达式/。留空表示任何标题。",
        hide: "隐藏此程序",
        hideHint: "读者只会看到你在线。",
        name: "显示为",
        nameHint: "留空则使用程序自身的名称。",
        introduce: "说明",
        introduceHint: "{title} 会替换为窗口标题，所有人可见。",
        colour: "颜色",
        colourHint: "红、绿、蓝和不透明度。留空则使用程序自身的颜色。",
        pick: "选择颜色",
        alpha: "不透明度",
        clear: "使用程序自身的颜色",
      },
      unsaved: "规则有未保存的更改。",
      save: "保存规则",
      discard: "放弃更改",
      saved: "规则已保存，下次状态更新时生效。",
      changedSince: "规则在此之后有了改动，无法在这里撤销。",
      refused: "保存失败，请修正标红的规则。",
    },
    trial: {
      foreground: "最近使用的程序",
      noFront: "还没有检测到程序。切换到其他程序再回来看看。",
      alsoKnownAs: (names) => `系统中的名称：${names}`,
      noTitle: "没有标题",
      byRule: (n) => `按第 ${number(n)} 条规则，读者会看到`,
      byNone: "没有符合的规则，读者会看到",
      private: "此程序始终隐藏",
      privateLine: "它在下方的“始终隐藏”列表中，不受规则影响。",
      hidden: "此程序已隐藏",
      wrong: (n) => `第 ${number(n)} 条规则有错误，修正后即可预览。`,
      trouble: "无法测试规则。",
    },
    never: {
      title: "始终隐藏",
      lead: "无论规则如何设置，都不会公开。",
      kinds: {
        passwords: { name: "密码管理器", sentence: "保存密码和密钥的程序。" },
        banks: { name: "银行与支付", sentence: "标题中含有银行或支付服务的窗口。" },
        private_windows: { name: "隐私窗口", sentence: "浏览器的无痕或隐私窗口。" },
        lock_screens: { name: "锁屏与屏保", sentence: "你离开时显示的画面。" },
      },
      count: (n) => `${number(n)} 个名称`,
    },
  };
}
