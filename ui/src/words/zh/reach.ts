// 设置分组“始终可访问”的文字。

import { counting } from "../counting";
import type { Words } from "../en";

/** The texts, with numbers formatted for `locale`. */
export function reach(locale: string): Words["reach"] {
  const { number } = counting(locale);
  const keys = "请在“存储”中检查 Endpoint、区域、存储桶和两个密钥。";
  const script = "仅在博客的脚本需要读取图片时才需要。";

  return {
    edge: {
      off: ["尚未设置", () => "没有 Worker 时，这台电脑关机后读者什么也看不到。"],
      checking: ["正在连接 Worker…", () => "需要几秒钟。"],
      works: ["Worker 在线", (when) => `读者可以看到全部内容，更新于 ${when}。`],
      another: [
        "Worker 属于另一个 Porchlight",
        () =>
          "读者看到的是另一个 Porchlight 的图片和状态，或恢复备份之前的内容。接管后，读者看到的是这台电脑的内容。",
      ],
      limit: [
        "今天的额度已用完",
        (when) =>
          `Cloudflare 的免费计划要到 ${when} 才恢复，在此之前读者可能会遇到错误。如需更高的限额，请使用付费的 Workers 计划或自己的服务器。`,
      ],
      fails: ["Worker 收不到这台电脑的更新", (when, why) => `从 ${when} 起：${why}`],
    },
    test: {
      write: "用密钥写入",
      read: "从公开地址读取",
      type: "文件类型正确",
      cors: "博客的脚本可以读取（CORS）",
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
        r2: `${script}在存储桶设置的“CORS 策略”中粘贴以下内容。`,
        own: `${script}运行此命令。使用 Garage 时，密钥须为存储桶的所有者：garage bucket allow --owner。`,
        other: `${script}运行此命令，或在服务商的页面上设置相同的规则。`,
      },
      remove: {
        r2: "密钥可以写入但不能删除，请授予“对象读和写”权限。",
        own: "密钥可以写入但不能删除，请同时授予两种权限。",
        other: "密钥可以写入但不能删除，请同时授予两种权限。",
      },
    },
    ways: {
      worker: [
        "自己部署 Worker",
        "部署在自己的服务器上，或不用令牌部署到 Cloudflare。“porchlight edge init”会写出同样的文件。",
      ],
      store: [
        "图片保存在自己的 S3 存储",
        "配合 Worker，电脑关机时读者从那里获取图片。也可以使用 R2。",
      ],
    },
    clock: "这台电脑的时钟相差超过五分钟，请调准时间。",
    retries: (why) =>
      `${why}Porchlight 至少每分钟重试一次。如果一直失败，请检查地址和密钥，或重新部署 Worker。`,
    takeOver: "接管",
    plain: "隧道的地址不是 https，Worker 无法使用。请换用提供 https 的隧道。",
    onDisk: (n) => `还有 ${number(n)} 张图片在这台电脑的磁盘上，关机后读者看不到它们。`,
    move: "移到存储",
    toStorage: "设置存储",
    testStore: "测试存储",
    testing: "正在测试…",
    testGood: "存储工作正常。",
    testBad: "尚未就绪。",
    devUrl: "这个 r2.dev 地址有访问限制，仅供试用。正式使用请绑定自定义域名。",
    writeFiles: "保存部署文件…",
    filesWritten: (folder) => `已保存到 ${folder}`,
    onServer:
      "使用自己的服务器时，把 worker.js 和 workerd.capnp 复制到一个文件夹，设置变量 EDGE_SECRET，并在其中运行：",
    atCloudflare: "部署到 Cloudflare 时，在文件所在的文件夹中打开终端并运行（需要 Node.js）：",
    variable: "变量",
    value: "在 Cloudflare 的值",
    secret: "复制密钥",
    secretCopied: "密钥已复制",
    noKey: "请先保存文件，密钥会随之生成。",
    line: "复制命令",
    lineCopied: "命令已复制",
    workersDev: "workers.dev 地址在中国大陆无法访问，自己的域名可以。",
  };
}
