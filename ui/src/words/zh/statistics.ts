// The words of the place "statistics", in Simplified Chinese.

import type { statistics as english } from "../en/statistics";

/** The words, with numbers written as `locale` writes them. */
export function statistics(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);

  return {
    lead: "读者和博客来访的次数，以及他们要的内容。只有你能看到。",
    trouble: "暂时看不到调用记录。",
    range: {
      choose: "显示的时间范围",
      today: "今天",
      week: "七天",
      month: "三十天",
      year: "十二个月",
      custom: "自选",
      from: "从",
      to: "到",
      impossible: "开始的日期不能晚于结束的日期。",
      save: "导出表格",
      saved: (file) => `已保存为 ${file}`,
    },
    since: (day) => `自 ${day} 起计数`,
    classes: {
      good: { name: "已回答", sentence: "得到了想要的内容。" },
      redirected: { name: "已转交", sentence: "被引到另一个地址去取。" },
      refused: { name: "已拒绝", sentence: "找不到、不允许，或一下子太多。" },
      failed: { name: "出错", sentence: "这边出了问题，日志里有原因。" },
      hungUp: { name: "中途离开", sentence: "没等到回答就走了。" },
    },
    share: (percent) => `占 ${percent}`,
    calls: {
      title: { hour: "每小时的调用", day: "每天的调用", month: "每月的调用" },
      unit: () => "次调用",
      count: (n) => `${number(n)} 次调用`,
      through: "逐段的调用次数，可用方向键浏览",
      tell: (when, n, parts) =>
        parts === "" ? `${when}：${number(n)} 次调用` : `${when}：${number(n)} 次调用，${parts}`,
      part: (name, n) => `${name} ${number(n)}`,
      between: (from, to) => `${from} 至 ${to}`,
      time: "时间",
      all: "全部",
      none: "这段时间没有调用。",
    },
    readers: {
      title: "每天的读者",
      lead: "两天都来的人，两天各算一次。",
      through: "逐日的读者人数，可用方向键浏览",
      count: (n, more) => {
        if (more && n === 0) return "分不清有多少位";
        return more ? `至少 ${number(n)} 位读者` : `${number(n)} 位读者`;
      },
      tell: (day, readers) => `${day}：${readers}`,
      day: "日期",
      column: "读者",
    },
    empty: "还没有人来过。把这盏灯的地址填到博客里，这里就会热闹起来。",
    emptyGo: "看看地址",
    paths: {
      title: "他们要的内容",
      path: "路径",
      calls: "次数",
      bad: "没有得到回答",
      last: "最近一次",
      never: "从未",
      none: "这段时间没有人要过什么。",
    },
    top: {
      title: "这段时间最受欢迎的图片",
      views: (n) => `${number(n)} 次浏览`,
      copy: (n) => `复制这张图片的链接（${n}）`,
      copied: "链接已复制到剪贴板",
      go: "全部图片",
      none: "这段时间没有人看图片。",
      save: "导出浏览次数",
    },
  };
}
