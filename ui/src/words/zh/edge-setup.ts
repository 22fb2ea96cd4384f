// 在 Cloudflare 设置 Worker 的文字。

import type { edgeSetup as english } from "../en/edge-setup";

/** The texts. */
export function edgeSetup(): ReturnType<typeof english> {
  return {
    phases: {
      check: "检查令牌",
      upload: "上传 Worker",
      address: "启用地址",
      wait: "等待地址生效",
      settings: "保存设置",
    },
    running: {
      set_up: "正在设置…",
      update: "正在更新…",
      new_key: "正在更换密钥…",
      remove: "正在移除…",
    },
    failed: {
      set_up: "尚未设置完成。",
      update: "Worker 没有更新。",
      new_key: "密钥没有更换。",
      remove: "Worker 没有移除。",
    },
    done: {
      set_up: (url) => `博客的地址是 ${url} 。`,
      update: (url) => `${url} 已是最新，数据都保留了。`,
      new_key: (url) => `${url} 已更换密钥。`,
      remove: (url) => `${url} 已移除。`,
    },
    start: { set_up: "开始设置", update: "立即更新", new_key: "更换密钥", remove: "移除…" },
    title: "在 Cloudflare 设置",
    lead: "免费、永久，电脑关机时也能访问。只需一个 Cloudflare 账号和一个令牌：不需要银行卡和域名，也不用安装任何程序。",
    page: "打开 Cloudflare 页面",
    pageHint:
      "登录或注册免费账号。表单已填好：点击“继续以显示摘要”，再点击“创建令牌”，然后复制令牌。",
    token: "API 令牌",
    tokenHint: "只发送给 Cloudflare，用完即丢弃。",
    kept: "将使用密钥环中的令牌。",
    forget: "删除令牌",
    forgotten: "令牌已删除",
    domain: "自己的域名（可选）",
    domainHint: "不填则使用 workers.dev 地址，在中国大陆无法访问。域名须在同一个账号中。",
    subdomain: "workers.dev 名称",
    subdomainHint: "地址的一部分，用于整个账号，之后不能更改。",
    account: "账号",
    accountId: "账号 ID",
    accountHint: "32 位数字和字母，在 Cloudflare 控制台的网址中。",
    keep: "把令牌保存到密钥环",
    keepHint: "用于以后更新 Worker。否则届时需要重新粘贴令牌。",
    more: "图片超过 5 GB？",
    r2: "图片保存到 R2",
    r2Hint: "Cloudflare 的对象存储空间更大，但需要付款方式。",
    waiting: (url) => `正在等待 ${url} 生效，新名称需要几分钟。`,
    notYet: (why) => `尚未生效：${why}Porchlight 会在后台继续检测，可以关闭这个窗口。`,
    stop: "停止等待",
    inUse: "新图片现在会存放到那里。把已有的图片也移过去，电脑关机后它们仍能显示。",
    tunnel: "有了 Worker，只有从别处（例如手机）上传图片和发送状态时才需要隧道。",
    worker: (name, version) => `Worker“${name}”，版本 ${version}`,
    newer: (from, to) => `把 Worker 从 ${from} 更新到 ${to}？`,
    newerHint:
      "将换成这个 Porchlight 版本的代码。地址、密钥、图片和状态都会保留，新内容见 Porchlight 的更新日志。",
  };
}
