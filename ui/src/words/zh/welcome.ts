// The words of the first run.

import type { welcome as english } from "../en/welcome";

/** The words, with numbers written as `locale` writes them. */
export function welcome(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);

  return {
    steps: { share: "在线状态", folder: "图片", tunnel: "隧道", done: "就绪" },
    step: (nth, of) => `第 ${number(nth)} 步，共 ${number(of)} 步`,
    progress: "步骤",
    back: "上一步",
    next: "下一步",
    skip: "跳过这一步",
    skipAll: "跳过引导",
    share: {
      title: "为读者留一盏灯",
      lead: "博客上可以显示你在不在，以及正在使用的程序。在你点头之前什么都不会透露，之后也随时可以暂停。",
      told: "博客上将会显示",
      away: "你离开电脑时",
      somebody: "有人在",
      program: "最前面的程序",
      kept: "不会离开这台电脑",
      window: "窗口标题",
      windowNow: (title) => `窗口标题，例如“${title}”`,
      kinds: {
        passwords: "密码管理器",
        banks: "银行与支付",
        private_windows: "浏览器的隐私窗口",
        lock_screens: "锁屏界面",
      },
      keptAll: "以及你隐藏的所有程序",
      yes: "分享",
      no: "暂不",
      answered: { yes: "你选择了分享。", no: "什么都没有分享。" },
    },
    folder: {
      title: "来自文件夹的图片",
      lead: "把图片存进这个文件夹，博客很快就能用上它。",
      points: [
        "文件留在原处，不会改动。",
        "读者拿到的是小巧的 WebP，不含照片里的地点和相机信息。",
        "不是图片的文件不会被动到。",
      ],
      choose: "选择文件夹…",
      other: "换一个…",
      watched: "正在监视这个文件夹",
      existing: "里面已有的图片也会添加。",
    },
    tunnel: {
      title: "让博客连进来",
      lead: "Porchlight 只在这台电脑上监听。有了隧道，它就有了一个外界可以访问的地址。",
      label: "隧道的种类",
      cloudflared: "Cloudflare 快速隧道",
      cloudflaredHint: "不需要账号，每次启动后地址都会变。",
      ssh: "我自己的服务器",
      sshHint: "通过 ssh 连接，密钥不能带密码。",
      command: "我自己的命令",
      commandHint: "任何能转发端口的程序都可以。",
      later: "以后再说",
      laterHint: "暂时只有这台电脑能访问。",
      host: "服务器",
      hostHint: "user@example.org",
      port: "服务器上的端口",
      url: "公开地址",
      urlHint: "https://light.example.org",
      line: "命令",
      lineHint: "tailscale funnel {port}",
      lineNote: "{port} 会换成要转发的端口。",
      start: "启动",
      copyInstall: "复制安装命令",
      installCopied: "安装命令已复制到剪贴板",
      lookAgain: "再找一次",
      state: {
        off: "下次启动 Porchlight 时开始。",
        starting: "正在启动…",
        checking: "正在确认地址是否通到这里…",
        up: (address) => `已连通：${address}`,
        waiting: "还没有通到这里，会自动再试。",
        missing: (program) => `没有安装 ${program}。用下面这条命令安装，装好后会自动找到。`,
        missingBare: (program) => `没有安装 ${program}。装好后会自动找到。`,
        stopped: "无法启动。",
      },
    },
    done: {
      title: "博客现在可以读到这些了",
      local: "这台电脑现在可以读到这些了",
      lead: "灯亮了。把这个地址填到博客里：",
      leadUnshared: "不会透露关于你的任何信息，但图片可以使用。把这个地址填到博客里：",
      leadLocal: "这个地址目前只有这台电脑能访问。以后随时可以在设置里添加隧道。",
      snippet: "放进网页的代码",
      copySnippet: "复制代码",
      snippetCopied: "代码已复制到剪贴板",
      open: "打开 Porchlight",
    },
  };
}
