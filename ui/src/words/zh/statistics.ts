// The texts of the page "statistics", in Simplified Chinese.

import { counting } from "../counting";
import type { statistics as english } from "../en/statistics";

/** The texts, with numbers formatted for `locale`. */
export function statistics(locale: string): ReturnType<typeof english> {
  const { number } = counting(locale);

  return {
    lead: "读者数、图片浏览和请求数，只有你能看到。",
    trouble: "统计数据加载失败。",
    range: {
      choose: "时间范围",
      week: "7 天",
      month: "30 天",
      year: "12 个月",
      custom: "自定义",
      from: "从",
      to: "到",
      impossible: "开始日期不能晚于结束日期。",
      save: "导出…",
      tables: { calls: "每小时请求数（CSV）", views: "每日图片浏览数（CSV）" },
      saved: (file) => `已保存为 ${file}`,
    },
    since: (day) => `只有你能看到。自 ${day} 起统计。`,
    classes: {
      good: { name: "成功", sentence: "已正常返回内容。" },
      redirected: { name: "已转到存储", sentence: "由对象存储发送。" },
      refused: { name: "被拒绝", sentence: "找不到、无权访问，或请求过多。" },
      failed: { name: "出错", sentence: "服务出错，详情见日志。" },
      hungUp: { name: "读者离开", sentence: "读者在内容返回前离开了。" },
    },
    tiles: {
      requests: {
        text: (_, answered) => (answered === null ? "次请求" : `次请求，${answered} 成功`),
        why: "这段时间里这台电脑收到的全部请求。",
      },
      sent: {
        text: "图片流量，已发送给读者",
        why: "这段时间里由这台电脑发送的数据。对象存储和 Worker 缓存发送的图片不计入。",
      },
      space: {
        text: (n) => `${number(n)} 张图片占用的空间`,
        why: "全部图片目前占用的空间，不含缩小的副本。",
      },
      saved: {
        text: (saved) => `比原图小，共节省 ${saved}`,
        why: "图片以 WebP 格式保存，这里与你添加的原文件比较。",
      },
    },
    calls: {
      title: { hour: "每小时请求数", day: "每日请求数", month: "每月请求数" },
      answers: "响应结果",
      count: (n) => `${number(n)} 次请求`,
      through: "各时段的请求数，可用方向键浏览",
      describe: (when, n, parts) =>
        parts === "" ? `${when}：${number(n)} 次请求` : `${when}：${number(n)} 次请求，${parts}`,
      part: (name, n) => `${name} ${number(n)}`,
      time: "时间",
      all: "总计",
    },
    readers: {
      title: "读者",
      lead: "同一位读者在不同日期来访，每天各计一次。",
      through: "各时段的读者数，可用方向键浏览",
      change: (percent, days, more) => `比前 ${number(days)} 天${more ? "多" : "少"} ${percent}`,
      inDays: (_, days) => `位读者，${number(days)} 天合计`,
      ofToday: (n, more) => `今天 ${number(n)}${more ? "+" : ""} 位`,
      none: "这段时间没有读者。",
      count: (n, more) => {
        if (more && n === 0) return "未知";
        return more ? `至少 ${number(n)} 位读者` : `${number(n)} 位读者`;
      },
      describe: (day, readers) => `${day}：${readers}`,
    },
    empty: "还没有访问。把 Porchlight 的地址填到博客里，这里就会显示访问情况。",
    paths: {
      title: "博客请求的内容",
      none: "这段时间没有请求。",
      bad: (n) => `${number(n)} 次失败`,
      why: (path, ago) => `${path}，最近一次请求：${ago}`,
      names: {
        "/": "首页",
        "/sysinfo": "电脑信息",
        "/heartbeat": "状态上报",
        "/check": "在线状态",
        "/devices": "设备",
        "/random_image": "随机图片",
        "/images/{hash}": "图片（长链接）",
        "/i/{hash}": "图片",
        "/images/add": "上传",
        "/images/list": "图片列表",
        "/images/count": "图片数量",
        "/game_status": "游戏",
        "/ipcheck": "地址检查",
        "/api_stats": "请求计数",
        "/api_stats/{key}": "单个地址的请求计数",
      },
    },
    top: {
      title: "热门图片",
      copy: (n) => `复制这张图片的链接（${n}）`,
      none: "这段时间没有图片浏览。",
    },
  };
}
