// What the process says, in Chinese. It speaks English alone: its log, its commands
// and its window say the same. Here is what an owner meets most, and a sentence that
// is not here is shown as it came.

/** An English sentence with `{}` where something varies, and the Chinese one, in which
 * the same parts follow in the same order. */
export type Known = readonly [english: string, chinese: string];

/** Sentences of Porchlight itself, as they stand in its sources. */
export const sentences: readonly Known[] = [
  // Settings.
  ["{} is out of bounds: from {} to {}", "{} 超出范围：应在 {} 到 {} 之间"],
  [
    "{} is no web address: it should look like https://light.example.blog",
    "{} 不是网址：应类似 https://light.example.blog",
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
  ["no control characters", "不能含有控制字符"],
  ["a rule needs a `program` or a `title`", "规则需要有程序或标题"],
  ["{}: it must be a text in quotes", "{}：必须是文本"],
  ["it must be a text", "必须是文本"],
  ["storage.{} is not set", "storage.{} 尚未设置"],
  ['storage.kind is "s3", but {}', "storage.kind 是 s3，但 {}"],
  ["the settings file {} cannot be written: {}", "无法写入设置文件 {}：{}"],
  ["the settings file is not valid TOML: {}", "设置文件不是有效的 TOML：{}"],
  ["the settings are saved, but {}", "设置已保存，但 {}"],
  ["nothing was changed, since you said no", "没有任何更改，因为你选择了“否”"],
  [
    "the rules are in the settings file, but others count: `presence.rules` was given by the environment or on the command line",
    "规则已写入设置文件，但生效的是另一些：`presence.rules` 由环境变量或命令行指定",
  ],
  ["a status needs some words", "状态需要写点什么"],
  // What listens.
  [
    "{} is in use by another program: stop it, or choose another port with --listen or server.listen (port 0 takes a free one)",
    "{} 已被其他程序占用：请停止那个程序，或用 --listen 或 server.listen 换一个端口（0 表示任选一个空闲端口）",
  ],
  [
    "{} is in use by another program: stop it, or choose another port with tunnel.port",
    "{} 已被其他程序占用：请停止那个程序，或用 tunnel.port 换一个端口",
  ],
  ["cannot listen on {}: {}", "无法在 {} 上监听：{}"],
  ["it stopped listening on {}; the log says more", "已停止在 {} 上监听；详情见日志"],
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
  ["`tunnel.kind` needs `tunnel.ssh_host`", "还需要 `tunnel.ssh_host`"],
  ["`tunnel.ssh_host` is a host, or user@host", "`tunnel.ssh_host` 是主机名，或 user@host"],
  [
    '`tunnel.kind` = "ssh" needs `tunnel.public_url`, the address that readers of that host use',
    "SSH 隧道还需要 `tunnel.public_url`，即读者访问那台主机的地址",
  ],
  [
    '`tunnel.kind` = "ssh" needs `tunnel.ssh_port`, the port on that host which `tunnel.public_url` leads to',
    "SSH 隧道还需要 `tunnel.ssh_port`，即 `tunnel.public_url` 指向的那台主机上的端口",
  ],
  ["`tunnel.kind` needs `tunnel.command`", "还需要 `tunnel.command`"],
  [
    "`tunnel.command` needs `tunnel.pattern`, which finds the public address in what it prints, or `tunnel.public_url`",
    "`tunnel.command` 需要 `tunnel.pattern`（在其输出中查找公开地址），或 `tunnel.public_url`",
  ],
  ["{} did not start: {}", "{} 未能启动：{}"],
  ["{} ended ({}): {}", "{} 已结束（{}）：{}"],
  ["it printed no address in time", "它没有及时输出地址"],
  ["{} does not answer: {}", "{} 没有应答：{}"],
  ["{} answers with status {}", "{} 以状态 {} 应答"],
  ["{} leads to something else", "{} 通向别处"],
  ["the tunnel: {}", "隧道：{}"],
  // Heartbeats, and whatever else goes to the service.
  ["the service at {} is slow to answer", "{} 的服务应答缓慢"],
  ["the service at {} did not answer: {}", "{} 的服务没有应答：{}"],
  [
    "the service refused the token: it is wrong, or it may not upload pictures",
    "服务拒绝了令牌：它不正确，或无权上传图片",
  ],
  ["the service refused the token", "服务拒绝了令牌"],
  ["the service asks to wait", "服务要求稍候"],
  ["the service answered {}: {}", "服务应答 {}：{}"],
  ["the token holds characters that a header cannot carry", "令牌含有无法传送的字符"],
  ["Unauthorized", "未获授权"],
  ["Forbidden", "禁止访问"],
  ["Too many requests", "请求过多"],
  ["Internal server error", "服务内部出错"],
  ["Unsupported image format", "不是可识别的图片"],
  ["Invalid image", "图片已损坏"],
  ["Image too large", "图片太大"],
  ["Request body too large", "请求内容太大"],
  ["Not enough storage", "存储空间不足"],
  // What cannot be seen on this machine.
  [
    "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
    "没有显示器：DISPLAY 和 WAYLAND_DISPLAY 都未设置",
  ],
  ["the X11 display cannot be asked: {}", "无法询问 X11 显示：{}"],
  ["the window manager does not say which window is in front", "窗口管理器没有说明哪个窗口在最前"],
  [
    "the X11 server has no idle counter (MIT-SCREEN-SAVER)",
    "X11 服务器没有空闲计时（MIT-SCREEN-SAVER）",
  ],
  [
    "this Wayland compositor does not offer it (wlr-foreign-toplevel-management)",
    "此 Wayland 合成器不提供（wlr-foreign-toplevel-management）",
  ],
  [
    "this Wayland compositor does not offer it (ext-idle-notify)",
    "此 Wayland 合成器不提供（ext-idle-notify）",
  ],
  ["the Wayland compositor cannot be asked: {}", "无法询问 Wayland 合成器：{}"],
  ["the compositor tells no more of windows", "合成器不再告知窗口的情况"],
  ["{}, and there is no KWin to be asked", "{}，也没有 KWin 可询问"],
  ["the session bus cannot be asked ({})", "无法询问会话总线（{}）"],
  ["there is no session bus", "没有会话总线"],
  ["no screen saver is on the session bus", "会话总线上没有屏幕保护程序"],
  ["logind cannot be asked ({})", "无法询问 logind（{}）"],
  ["logind knows no session of yours ({})", "logind 不知道你的会话（{}）"],
  ["the bus has gone away", "总线已消失"],
  ["Porchlight has no way to ask on this system yet", "Porchlight 在此系统上还无法询问"],
  ["There is no X server to ask for keys.", "没有可以登记按键的 X 服务器。"],
  ["Another program has these keys already.", "这些按键已被其他程序占用。"],
  ["This keyboard has no such key.", "此键盘没有这个键。"],
  // Watched folders and what was set aside.
  ["it cannot be read: {}", "无法读取：{}"],
  ["the file is empty", "文件是空的"],
  ["no folder is watched: {}", "没有监视任何文件夹：{}"],
  ["it is no folder", "它不是文件夹"],
  ["it is on a network", "它在网络上"],
  ["as the settings say", "按照设置"],
  [
    "the system watches no more folders (fs.inotify.max_user_watches)",
    "系统不能再监视更多文件夹（fs.inotify.max_user_watches）",
  ],
  ["the system does not tell of changes: {}", "系统不告知更改：{}"],
  ["the archive has too many files of this name", "归档中同名文件过多"],
  ["not a picture of a format that can be read", "不是可识别格式的图片"],
  ["the picture is too large", "图片太大"],
  ["the picture is broken: {}", "图片已损坏：{}"],
  ["there is no room left: {}", "没有剩余空间：{}"],
  // Editors.
  [
    "editors cannot upload: port {} cannot be listened on ({}); PicGo itself may have it: stop that, or choose another `picgo.port`",
    "编辑器无法上传：端口 {} 无法监听（{}）；可能被 PicGo 占用：请停止它，或另选 `picgo.port`",
  ],
  ["no pictures come in from this machine: {}", "本机的图片无法进来：{}"],
  // Tokens, care and pictures.
  [
    "the app itself uses this token. If it may be known to others, quit the app, run `porchlight token revoke` with its name, and start the app again: it makes itself a new one",
    "应用自己正在使用这个令牌。若可能已被他人知道，请退出应用，用它的名称运行 `porchlight token revoke`，再启动应用：它会创建新的令牌",
  ],
  ["there is no such token any more", "这个令牌已不存在"],
  ["it cannot be put on the clipboard: {}", "无法复制到剪贴板：{}"],
  [
    "something else is being done to the data folder: wait until that is over",
    "数据文件夹正在进行其他操作：请等它结束",
  ],
  [
    "{}. What was moved is in order where it is: do it again to go on.",
    "{}。已移动的部分完好：再做一次即可继续。",
  ],
  ["and {} more", "以及另外 {} 项"],
  ["the database is damaged: {}", "数据库已损坏：{}"],
  ["{}.webp is missing", "{}.webp 不见了"],
  ["{}.webp is not what was stored", "{}.webp 与存入时不同"],
  ["{}.webp cannot be read: {}", "{}.webp 无法读取：{}"],
  ["there is no such picture any more", "这张图片已不存在"],
  // Steam.
  [
    "Steam refuses the key ({}): check game.steam_api_key",
    "Steam 拒绝了密钥（{}）：请检查 game.steam_api_key",
  ],
  ["Steam knows no such account: check game.steam_id", "Steam 没有这个账号：请检查 game.steam_id"],
  ["Steam asks for fewer calls ({})", "Steam 要求减少查询（{}）"],
  ["Steam answered with status {}", "Steam 以状态 {} 应答"],
  ["Steam's answer was not understood", "无法理解 Steam 的应答"],
  [
    "the Steam profile is private: Steam tells nobody what is played",
    "Steam 个人资料是私密的：Steam 不告诉任何人在玩什么",
  ],
  ["no Steam client was found on this machine", "本机没有找到 Steam 客户端"],
  [
    "on this system the Steam client does not tell which game runs",
    "在此系统上，Steam 客户端不告知正在运行的游戏",
  ],
];

/** What the system and the libraries say: none of it is in the sources of Porchlight. */
const ofOthers: readonly Known[] = [
  ["unknown variant {}, expected one of {}", "未知的值 {}，应为以下之一：{}"],
  ["unknown variant {}, expected {}", "未知的值 {}，应为 {}"],
  ["unknown field {}, expected one of {}", "未知的字段 {}，应为以下之一：{}"],
  ["invalid type: {}, expected {}", "类型不对：{}，应为 {}"],
  ["exit status: {}", "退出状态 {}"],
  ["Permission denied (os error {})", "没有权限（系统错误 {}）"],
  ["No such file or directory (os error {})", "没有这个文件或文件夹（系统错误 {}）"],
  ["Connection refused (os error {})", "连接被拒绝（系统错误 {}）"],
  ["Address already in use (os error {})", "端口已被占用（系统错误 {}）"],
  ["Read-only file system (os error {})", "文件系统只读（系统错误 {}）"],
  ["No space left on device (os error {})", "设备上没有剩余空间（系统错误 {}）"],
];

const exact = new Map(sentences.concat(ofOthers).filter(([english]) => !english.includes("{}")));

/** Those with variable parts, those that say most by themselves first. */
const patterns = sentences
  .concat(ofOthers)
  .filter(([english]) => english.includes("{}"))
  .sort(([one], [other]) => other.length - one.length)
  .map(([english, chinese]): [RegExp, string] => {
    const fixed = english.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return [new RegExp(`^${fixed.join("(.+?)")}$`, "s"), chinese];
  });

/** A sentence of the process in Chinese, or as it came. */
export function saidInChinese(text: string): string {
  const known = exact.get(text);
  if (known !== undefined) return known;
  for (const [pattern, chinese] of patterns) {
    const parts = pattern.exec(text)?.slice(1);
    // What varies may be a sentence by itself.
    if (parts !== undefined)
      return chinese.replaceAll("{}", () => saidInChinese(parts.shift() ?? ""));
  }
  // Two reasons for one thing.
  const both = text.split("; ");
  if (both.length === 1) return text;
  const told = both.map(saidInChinese);
  return told.every((one, n) => one !== both[n]) ? told.join("；") : text;
}
