// The texts of the first run.

import { counting } from "../counting";
import type { welcome as english } from "../en/welcome";

/** The texts, with numbers formatted for `locale`. */
export function welcome(locale: string): ReturnType<typeof english> {
  const { number } = counting(locale);

  return {
    steps: { share: "在线状态", tunnel: "地址", folder: "图片", blog: "你的博客" },
    step: (nth, of) => `第 ${number(nth)} 步，共 ${number(of)} 步`,
    progress: "步骤",
    back: "上一步",
    next: "下一步",
    skip: "跳过这一步",
    skipAll: "跳过其余步骤",
    share: {
      title: "为读者留一盏灯",
      lead: "博客可以显示你是否在线、正在使用什么程序。你同意之前不会分享状态，之后也可以随时让所有设备一起暂停。手机或另一台电脑要经你允许才会显示。",
      preview: "博客将会显示",
      away: "你离开电脑时",
      program: "Visual Studio Code",
      kept: "不会公开",
      window: "窗口标题（除非你允许）",
      windowNow: (title) => `窗口标题（除非你允许），例如“${title}”`,
      kinds: {
        passwords: "密码管理器",
        banks: "银行与支付",
        private_windows: "浏览器无痕窗口",
        lock_screens: "锁屏画面",
      },
      keptAll: "你隐藏的所有程序",
      answered: { yes: "分享已开启。", no: "分享未开启。" },
    },
    folder: {
      title: "来自文件夹的图片",
      lead: "图片存进这个文件夹后会自动上传。",
      points: [
        "文件留在原处，不会改动。",
        "读者看到的是体积小的 WebP，不含拍摄地点和相机信息。",
        "文件夹里已有的图片也会上传并公开。",
        "其他文件会被忽略。",
      ],
      other: "换一个…",
      watched: "这个文件夹里的新图片会自动上传。",
    },
    tunnel: {
      title: "让外网能访问",
      lead: "目前只有这台电脑能访问 Porchlight。Cloudflare 的 Worker 为博客提供长期有效的地址；内网穿透（隧道）只在这台电脑开机时可用。",
      label: "获得地址的方式",
      worker: "Cloudflare Worker（推荐）",
      workerHint: "免费、永久，电脑关机时也能访问。之后只有从别处上传图片和发送状态时才需要隧道。",
      sshHint: "使用无密码的 SSH 密钥。",
      later: "以后再说",
      laterHint: "暂时只有这台电脑能访问。",
      host: "服务器",
      hostHint: "user@example.org",
      port: "服务器上的端口",
      url: "公开地址",
      urlHint: "https://light.example.org",
      line: "命令",
      lineHint: "tailscale funnel {port}",
      lineNote: "{port} 会替换为本机端口。",
      start: "启动",
      choose: "选择程序…",
      state: {
        off: "未运行。",
        starting: "正在启动…",
        checking: "正在检测地址…",
        up: (address) => `已上线：${address}`,
        waiting: "暂时无法访问，正在重试…",
        missing: (program) => `未安装 ${program}。请用下面的命令安装，Porchlight 会自动检测到。`,
        missingBare: (program) => `未安装 ${program}。安装后 Porchlight 会自动检测到。`,
        cannotStart: "隧道程序无法启动。",
        stopped: "无法启动。",
      },
    },
    done: {
      title: "已上线",
      pictures: "图片已上线",
      local: "已在本机就绪",
      lead: "灯亮了。把这个地址填到博客里：",
      leadUnshared: "未开启分享，但图片可以使用。把这个地址填到博客里：",
      start: "启动 Porchlight",
      leadLocal: "目前读者无法访问这个地址。可以随时在设置中获取永久地址。",
      open: "打开 Porchlight",
    },
  };
}
