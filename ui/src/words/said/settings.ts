// Messages about settings, rules, links and shortcuts.

import type { Sentence } from "./sentence";

export const settings: readonly Sentence[] = [
  ["{} is out of bounds: from {} to {}", "{} 超出范围：应在 {} 到 {} 之间"],
  [
    "{} is no web address: it should look like https://light.example.blog",
    "{} 不是网址：应类似 https://light.example.blog",
  ],
  [
    "{} is not an address or network: it should look like 192.168.1.2 or 172.16.0.0/12",
    "{} 不是地址也不是网段：应类似 192.168.1.2 或 172.16.0.0/12",
  ],
  [
    "a user name, a query or a fragment ('@', '?' or '#') cannot be in it: it should look like https://light.example.blog",
    "其中不能有用户名、查询或片段（“@”“?”“#”）：应类似 https://light.example.blog",
  ],
  ["{} is no full path: write it from the root on", "{} 不是完整路径：请从根目录写起"],
  ["a pattern cannot be empty", "表达式不能为空"],
  ["{} is no regular expression: {}", "{} 不是正则表达式：{}"],
  ["{} needs a group, in parentheses, around the address", "{} 需要用一对括号把地址部分括起来"],
  ["a command is a list of words, the program first", "命令是一组词，程序在最前"],
  ["a SteamID is a number of 17 digits", "SteamID 是 17 位数字"],
  ["a country is two letters, such as CN", "国家代码是两个字母，例如 CN"],
  ["a language is one of the store's names, such as schinese", "语言须用商店的名称，例如 schinese"],
  ["at most {} characters", "最多 {} 个字符"],
  ["no control characters", "不能含有控制字符", "control characters cannot be in it"],
  [
    "a rule needs a `program` or a `title`",
    "规则需要有程序或标题",
    "a rule needs a program or a title",
  ],
  [
    "a colour is written as r,g,b,a: three whole numbers from 0 to 255 and an alpha from 0 to 1",
    "颜色写作 r,g,b,a：三个 0 到 255 的整数，以及 0 到 1 的透明度",
  ],
  [
    "a template is `url`, `markdown`, `html` or `bbcode`, or a text of your own with {url} where the address goes",
    "模板是 `url`、`markdown`、`html`、`bbcode` 之一，或者自己写的文字，在放网址的地方写 {url}",
  ],
  [
    "a shortcut is Ctrl, Alt, Shift or Super, and a letter, a digit, F1 to F24, Print, Insert, Pause, Home, End, PageUp or PageDown, such as Ctrl+Alt+U",
    "快捷键由 Ctrl、Alt、Shift 或 Super，加上一个字母、数字、F1 到 F24、Print、Insert、Pause、Home、End、PageUp 或 PageDown 组成，例如 Ctrl+Alt+U",
  ],
  [
    "a letter, a digit or a key of the text needs Ctrl, Alt or Super beside it: alone it could not be typed any more",
    "字母、数字和打字用的键需要同时按下 Ctrl、Alt 或 Super：否则就再也打不出它了",
  ],
  [
    "unknown key `{}`, did you mean `{}`?",
    "没有 `{}` 这个设置，是不是想写 `{}`？",
    "there is no setting `{}`; did you mean `{}`?",
  ],
  ["unknown key `{}`", "没有 `{}` 这个设置", "there is no setting `{}`"],
  [
    "unknown section `[{}]`, did you mean `{}`?",
    "没有 `[{}]` 这一组设置，是不是想写 `{}`？",
    "there is no group of settings `[{}]`; did you mean `{}`?",
  ],
  ["unknown section `[{}]`", "没有 `[{}]` 这一组设置", "there is no group of settings `[{}]`"],
  ["{} is a section: write `[{}]`", "{} 是一组设置：请写成 `[{}]`"],
  ["it must be a text in quotes", "必须是文本", "it must be a text"],
  ["it must be a text", "必须是文本"],
  ["it must be a list of texts in quotes", "必须是一组带引号的文本"],
  ["`{}` in the settings file is no section", "设置文件里的 `{}` 不是一组设置"],
  ["the settings file {} cannot be read: {}", "无法读取设置文件 {}：{}"],
  ["the settings file {} cannot be written: {}", "无法写入设置文件 {}：{}"],
  ["the settings file is not valid TOML: {}", "设置文件不是有效的 TOML：{}"],
  ["{}, line {}", "{} 第 {} 行"],
  ["the settings are saved, but {}", "设置已保存，但{}"],
  [
    "nothing was changed, since you said no",
    "你已取消，未做任何更改",
    "nothing was changed, because you cancelled",
  ],
  [
    "the rules are in the settings file, but others count: `presence.rules` was given by the environment or on the command line",
    "规则已写入设置文件，但生效的是另一些：`presence.rules` 由环境变量或命令行指定",
  ],
  ["a status needs some words", "状态需要写点什么"],
  [
    "a status has at most 200 characters, its line at most 2,000, and no line breaks",
    "状态最多 200 个字符，说明最多 2,000 个，并且不能换行",
  ],
  [
    '`images.delivery` is "{}", which contradicts `behaviour` = "{}": remove one of the two',
    "`images.delivery` 是“{}”，与 `behaviour` 的“{}”矛盾：请去掉其中一个",
  ],
  [
    '`heartbeat.fields` is {}, which contradicts `behaviour` = "{}": remove one of the two',
    "`heartbeat.fields` 是 {}，与 `behaviour` 的“{}”矛盾：请去掉其中一个",
  ],
  [
    '`{}` = "{}" needs an object store, but `storage.kind` is "disk": set `storage.kind` to "s3" and say where it is',
    "`{}` 设为“{}”时需要对象存储，但图片存放在磁盘上：请先在“存储”中改用对象存储，并填好它的地址",
    "`{}` = “{}” needs an object store, but pictures go to the disk: choose the object store under Storage first, and say where it is",
  ],
  ['`storage.kind` = "s3" needs {}', "对象存储还需要 {}", "an object store needs {}"],
  [
    '`{}` = "{}" needs `storage.storage_url`, the public address of the store',
    "`{}` 设为“{}”时还需要 `storage.storage_url`，即存储的公开地址",
  ],
  [
    '`publish.enabled` needs an object store, but `storage.kind` is "disk": set `storage.kind` to "s3" and say where it is',
    "发布快照需要对象存储，但图片存放在磁盘上：请先在“存储”中改用对象存储，并填好它的地址",
    "a snapshot needs an object store, but pictures go to the disk: choose the object store under Storage first, and say where it is",
  ],
  [
    "`publish.enabled` needs `storage.storage_url`, the public address of the store",
    "发布快照还需要 `storage.storage_url`，即存储的公开地址",
    "a snapshot needs `storage.storage_url`, the public address of the store",
  ],
  [
    "`edge.secret` has fewer than {} characters: remove it, and `porchlight edge init` makes one",
    "Worker 的密钥少于 {} 个字符：请清空它，再用 `porchlight edge init` 生成",
    "the key of the Worker has fewer than {} characters: remove it, and `porchlight edge init` makes one",
  ],
  [
    '`server.listen` = "{}" is reachable from other machines, which is refused unless `server.client_ip` names the header of your own proxy: "x-forwarded-for" or "cf-connecting-ip"',
    "其他电脑可以访问 {}。只有在 `server.client_ip` 选择了你自己的代理所用的标头（X-Forwarded-For 或 CF-Connecting-IP）时才允许这样",
    "other computers can reach {}. That is refused unless `server.client_ip` names the header of your own proxy: X-Forwarded-For or CF-Connecting-IP",
  ],
  [
    '`presence.target_url` = "{}" would send `presence.token` in the clear: use the https:// address of that service',
    "发往 {} 的令牌会被别人看到：请使用那个服务的 https:// 地址",
    "others could read the token on its way to {}: use the https:// address of that service",
  ],
  [
    "`presence.target_url` needs `presence.token`, a token of that service",
    "`presence.target_url` 还需要 `presence.token`，即那个服务的令牌",
  ],
  // The tunnel.
  [
    "`tunnel.hostname` is a name alone, such as light.example.org",
    "`tunnel.hostname` 只是一个域名，例如 light.example.org",
  ],
  [
    "a named tunnel needs `tunnel.port`, the port that it leads to by your settings at Cloudflare",
    "命名隧道需要 `tunnel.port`，即你在 Cloudflare 中设置的目标端口",
  ],
  [
    "`tunnel.cloudflared_token` needs `tunnel.hostname`, the name that you gave the tunnel",
    "`tunnel.cloudflared_token` 需要 `tunnel.hostname`，即你为隧道设置的域名",
  ],
  [
    "`tunnel.hostname` needs `tunnel.cloudflared_token`; without both you get a quick tunnel",
    "`tunnel.hostname` 需要 `tunnel.cloudflared_token`；两者都不填则为快速隧道",
  ],
  [
    "`tunnel.kind` needs `tunnel.ssh_host`",
    "还需要 `tunnel.ssh_host`",
    "it needs `tunnel.ssh_host`, too",
  ],
  ["`tunnel.ssh_host` is a host, or user@host", "`tunnel.ssh_host` 是主机名，或 user@host"],
  [
    '`tunnel.kind` = "ssh" needs `tunnel.public_url`, the address that readers of that host use',
    "SSH 隧道还需要 `tunnel.public_url`，即读者访问那台主机的地址",
    "a tunnel by SSH needs `tunnel.public_url`, the address that readers of that host use",
  ],
  [
    '`tunnel.kind` = "ssh" needs `tunnel.ssh_port`, the port on that host which `tunnel.public_url` leads to',
    "SSH 隧道还需要 `tunnel.ssh_port`，即 `tunnel.public_url` 指向的那台主机上的端口",
    "a tunnel by SSH needs `tunnel.ssh_port`, the port on that host which `tunnel.public_url` leads to",
  ],
  [
    "`tunnel.kind` needs `tunnel.command`",
    "还需要 `tunnel.command`",
    "it needs `tunnel.command`, too",
  ],
  [
    "`tunnel.command` needs `tunnel.pattern`, which finds the public address in what it prints, or `tunnel.public_url`",
    "`tunnel.command` 需要 `tunnel.pattern`（在其输出中查找公开地址），或 `tunnel.public_url`",
  ],
  ["the settings file {} is gone", "设置文件 {} 不见了"],
  [
    "This desktop gives programs no keys of their own: bind keys to `porchlight --upload-clipboard` in its own settings.",
    "这个桌面不允许程序拥有自己的快捷键：请在桌面设置里为 `porchlight --upload-clipboard` 绑定快捷键。",
  ],
  [
    "The desktop gives keys only to programs in its menu: switch on the menu entry in these settings.",
    "桌面只允许应用菜单中的程序使用快捷键：请打开这里的“显示在应用菜单中”。",
    "Your desktop allows shortcuts only for apps in its menu: turn on “Show in applications menu” here.",
  ],
  [
    "The desktop did not give these keys, since the request was denied. Take them out and choose them again to be asked again.",
    "因为你拒绝了授权，系统未分配这组快捷键。清除后重新选择即可再次申请。",
    "Your desktop didn’t assign these keys because the request was declined. Clear them and choose again to be asked once more.",
  ],
  [
    "The desktop has no keys for it yet: choose them in its own settings, under Porchlight.",
    "系统尚未分配快捷键：请在系统设置的 Porchlight 一项中选择。",
  ],
  [
    "The desktop's portal has gone, and the keys with it. They are asked for again when it is back.",
    "桌面的门户服务已退出，快捷键也随之失效。它恢复后会重新申请。",
  ],
  [
    "The desktop has taken the keys back. Take them out here and choose them again to ask for them.",
    "系统收回了快捷键。在这里清除后重新选择即可再次申请。",
  ],
  ["The desktop's portal does not give these keys.", "系统未分配这组快捷键。"],
  ["The desktop's portal gives no keys: {}.", "桌面的门户服务没有给快捷键：{}。"],
];
