// 设置分组“始终可访问”的文字。

import { counting } from "../counting";
import type { Words } from "../en";

/** The texts, with numbers formatted for `locale`. */
export function reach(locale: string): Words["reach"] {
  const { number } = counting(locale);
  const keys = "请在“存储”中检查 Endpoint、区域、存储桶和两个密钥。";

  return {
    steps: {
      store: ["对象存储", "保存图片和状态快照，电脑关机时也能访问。"],
      worker: ["Worker", "运行在 Cloudflare 或你自己的服务器上的小程序，以固定地址响应博客。"],
      address: ["地址", "Worker 的访问地址，用于链接和博客代码。"],
    },
    edge: {
      off: ["尚未设置", "现在电脑关机后，读者什么也看不到。"],
      checking: ["正在检测 Worker…", "需要几秒钟。"],
      service: ["一切正常", "Worker 正常响应，并能连接这台电脑。"],
      snapshot: [
        "正在使用快照响应",
        "Worker 目前连接不到这台电脑，每 30 秒重试一次。需要隧道在线，并使用相同的密钥。",
      ],
      store: ["一切正常", "Worker 保存图片和状态，无论这台电脑是否开机都会响应。"],
      limit: [
        "今天的免费请求已用完",
        `Cloudflare 免费计划每天允许 ${number(100_000)} 次请求，UTC 零点后恢复。`,
      ],
      fails: ["Worker 无法正常工作", ""],
    },
    test: {
      write: "用密钥写入",
      read: "从公开地址读取",
      type: "文件类型正确",
      cors: "博客可以读取（CORS）",
      remove: "删除",
    },
    advice: {
      write: { r2: keys, own: keys, other: keys },
      read: {
        r2: "在 Cloudflare 的存储桶设置中绑定自定义域名，或开启公共开发 URL 试用，然后把该地址填入“存储”。",
        own: "请允许所有人读取存储桶。使用 Garage 时运行此命令；公开地址是其 Web 端口的地址。",
        other: "请允许所有人读取存储桶中的对象，并检查“存储”中的公开地址。",
      },
      type: {
        r2: "存储桶前面有规则改变了文件类型，请检查转换规则。",
        own: "存储前面有程序改变了文件类型，请检查反向代理。",
        other: "存储前面有服务改变了文件类型，请检查 CDN。",
      },
      cors: {
        r2: "在存储桶设置的“CORS 策略”中粘贴以下内容。",
        own: "运行此命令。使用 Garage 时，密钥须为存储桶的所有者：garage bucket allow --owner。",
        other: "运行此命令，或在服务商的页面上设置相同的规则。",
      },
      remove: {
        r2: "密钥可以写入但不能删除，请授予“对象读和写”权限。",
        own: "密钥可以写入但不能删除，请同时授予两种权限。",
        other: "密钥可以写入但不能删除，请同时授予两种权限。",
      },
    },
    ways: [
      ["付费的 Workers 计划", "提高限额，其他都不用改。"],
      ["图片链接直接指向存储", "图片占请求的大部分。在文章中改用存储自己的公开地址。"],
      ["自己的服务器", "第 2 步的文件夹中还有供 workerd 使用的 workerd.capnp。"],
    ],
    stepDone: "已完成",
    stepOpen: "待完成",
    stepFails: "出现问题",
    roundTrip: (ms) => `${number(ms)} 毫秒`,
    checked: (ago) => `检测于${ago}`,
    again: "重新检测",
    againSoon: "即将重新检测，每分钟最多一次",
    snapshot: (age) => `快照：${age}`,
    written: (ago) => `${ago}写入`,
    unwritten: "尚未写入",
    noSnapshot: "未发布",
    troubleSince: (when) => `从 ${when} 起无法保存快照：`,
    another: "存储中已有另一台电脑的快照。为避免覆盖它，这台电脑的快照没有发布。",
    plain: "隧道的地址不是 https，Worker 无法使用。请换用提供 https 的隧道。",
    onDisk: (n) => `还有 ${number(n)} 张图片在这台电脑的磁盘上，关机后读者看不到它们。`,
    move: "移到存储",
    takeOver: "用这台电脑的替换",
    onDiskOnly: "图片保存在这台电脑的磁盘上，关机后读者无法访问。",
    toStorage: "设置存储",
    noUrl: "存储还没有公开地址。",
    testStore: "测试存储",
    testing: "正在测试…",
    testGood: "存储工作正常。",
    testBad: "尚未就绪。",
    corsSpared: "不需要：博客通过 Worker 读取状态。",
    devUrl: "这个 r2.dev 地址有访问限制，仅供试用。正式使用请绑定自定义域名。",
    writeFiles: "保存部署文件…",
    filesWritten: (folder) => `已保存到 ${folder}`,
    deploy: "然后在该文件夹中打开终端（命令行），运行：",
    byHand: "没有安装 Node.js？",
    byHandSteps: [
      "在 Cloudflare 创建一个 Worker，选择“编辑代码”，粘贴脚本。",
      "在其设置中添加这些变量，并把密钥添加为机密。",
    ],
    script: "复制脚本",
    scriptCopied: "脚本已复制",
    variable: "变量",
    value: "值",
    secretHidden: "不显示",
    secret: "复制密钥",
    secretCopied: "密钥已复制",
    noKey: "请先保存文件，密钥会随之生成。",
    line: "复制命令",
    lineCopied: "命令已复制",
    workersDev: "workers.dev 地址在中国大陆无法访问，自己的域名可以。",
  };
}
