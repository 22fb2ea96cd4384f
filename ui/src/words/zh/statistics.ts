// The words of the place "statistics", in Simplified Chinese.

import type { statistics as english } from "../en/statistics";

/** The words, with numbers written as `locale` writes them. */
export function statistics(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);

  return {
    lead: "读者数、图片浏览和请求数，只有你能看到。",
    trouble: "统计数据加载失败。",
    range: {
      choose: "时间范围",
      today: "今天",
      week: "7 天",
      month: "30 天",
      year: "12 个月",
      custom: "自定义",
      from: "从",
      to: "到",
      impossible: "开始日期不能晚于结束日期。",
      save: "导出 CSV",
      saved: (file) => `已保存为 ${file}`,
    },
    since: (day) => `自 ${day} 起统计`,
    classes: {
      good: { name: "成功", sentence: "已正常返回内容。" },
      redirected: { name: "重定向", sentence: "已转到其他地址。" },
      refused: { name: "已拒绝", sentence: "找不到、无权访问，或请求过多。" },
      failed: { name: "出错", sentence: "服务出错，详情见日志。" },
      hungUp: { name: "已中断", sentence: "访客在返回内容前离开了。" },
    },
    share: (percent) => `占 ${percent}`,
    calls: {
      title: { hour: "每小时请求数", day: "每日请求数", month: "每月请求数" },
      unit: () => "次请求",
      count: (n) => `${number(n)} 次请求`,
      through: "各时段的请求数，可用方向键浏览",
      tell: (when, n, parts) =>
        parts === "" ? `${when}：${number(n)} 次请求` : `${when}：${number(n)} 次请求，${parts}`,
      part: (name, n) => `${name} ${number(n)}`,
      between: (from, to) => `${from} 至 ${to}`,
      time: "时间",
      all: "总计",
      none: "这段时间没有请求。",
    },
    readers: {
      title: "每日读者数",
      lead: "同一位读者在不同日期来访，每天各计一次。",
      through: "每日读者数，可用方向键浏览",
      count: (n, more) => {
        if (more && n === 0) return "未知";
        return more ? `至少 ${number(n)} 位读者` : `${number(n)} 位读者`;
      },
      tell: (day, readers) => `${day}：${readers}`,
      day: "日期",
      column: "读者",
    },
    empty: "还没有访问。把 Porchlight 的地址填到博客里，这里就会显示访问情况。",
    emptyGo: "查看地址",
    paths: {
      title: "热门请求",
      path: "路径",
      calls: "请求数",
      bad: "失败",
      last: "最近请求",
      never: "从未",
      none: "这段时间没有热门请求。",
    },
    top: {
      title: "热门图片",
      views: (n) => `${number(n)} 次浏览`,
      copy: (n) => `复制这张图片的链接（${n}）`,
      go: "全部图片",
      none: "这段时间没有图片浏览。",
      save: "导出浏览数据",
    },
  };
}
