// Why heartbeats and pictures do not arrive, and why the tunnel is down.

import type { Sentence } from "./sentence";

export const service: readonly Sentence[] = [
  ["the service at {} is slow to answer", "{} 的服务应答缓慢"],
  [
    "the service at {} did not answer: {}",
    "{} 的服务没有应答（{}）。Porchlight 会自动重试",
    "the service at {} does not answer ({}). Porchlight will try again",
  ],
  [
    "the service refused the token: it is wrong, or it may not upload pictures",
    "服务不接受这个令牌：它不正确，或无权上传图片",
    "the service does not accept the token: it is wrong, or it may not upload pictures",
  ],
  [
    "the service refused the token",
    "服务不接受这个令牌。如果是另一个服务，请在“设置”的“分享”中重新填写它的令牌；如果是本应用自己的，请重启 Porchlight",
    "the service does not accept the token. If it is another service, set its token again in Settings, Sharing; if it is the one in this app, restart Porchlight",
  ],
  [
    "the answer ({}) is not one of a service of this interface",
    "这个地址上应答（{}）的是别的东西，不是图片服务。Porchlight 会自动重试；请检查地址，以及是否需要先登录网络",
    "something else answers ({}) at this address. Porchlight will try again; check the address, and whether the network requires a login first",
  ],
  [
    "the service asks to wait",
    "短时间内请求过多，服务要求稍候。Porchlight 会自动重试",
    "the service received too many requests at once. Porchlight will try again",
  ],
  [
    "the token holds characters that a header cannot carry",
    "令牌里有不能使用的字符，请重新复制并设置",
    "the token holds characters that no token has. Copy it and set it again",
  ],
  ["it sends callers on to {}", "它要求改用 {}", "it sends callers on to {}"],
  ["no HTTPS client can be set up: {}", "无法建立 HTTPS 连接：{}", "HTTPS cannot be used here: {}"],
  [
    "no HTTPS client could be set up: {}",
    "无法建立 HTTPS 连接：{}",
    "HTTPS cannot be used here: {}",
  ],
  ["the executable's path is unknown: {}", "Porchlight 找不到自己的程序文件：{}"],
  // The tunnel.
  ["{} did not start: {}", "{} 未能启动：{}"],
  ["{} ended ({}): {}", "{} 已结束（{}）：{}"],
  ["it printed no address in time", "它没有及时输出地址"],
  ["{} does not answer: {}", "{} 没有应答：{}"],
  ["{} answers with status {}", "{} 以状态 {} 应答"],
  ["{} leads to something else", "{} 通向别处"],
  ["the tunnel: {}", "隧道：{}"],
  [
    "{} is in use by another program: stop it, or choose another port with --listen or server.listen (port 0 takes a free one)",
    "{} 已被其他程序占用：请停止那个程序，或另选一个端口（0 表示任选一个空闲的）",
    "{} is in use by another program: stop that one, or choose another port (0 takes a free one)",
  ],
  ["cannot listen on {}: {}", "无法在 {} 上监听：{}"],
  // Editors.
  [
    "editors cannot upload: port {} cannot be listened on ({}); PicGo itself may have it: stop that, or choose another `picgo.port`",
    "端口 {} 无法使用（{}）。可能被 PicGo 占用：请停止它，或在“设置”的“编辑器”中另选一个端口",
    "port {} cannot be used ({}). PicGo itself may have it: stop that, or choose another port in Settings, Editors",
  ],
  ["editors cannot upload: their secret cannot be kept ({})", "编辑器无法上传：密钥无法保存（{}）"],
  [
    "editors cannot upload now: nothing listens for them",
    "编辑器现在无法上传：请先打开“接收编辑器的图片”",
    "editors cannot upload now: turn on “Accept pictures from editors” first",
  ],
  ["images of this machine cannot be uploaded: {}", "本机的图片无法进来：{}"],
  // Tokens.
  [
    "the app itself uses this token. If it may be known to others, quit the app, run `porchlight token revoke` with its name, and start the app again: it makes itself a new one",
    "应用自己正在使用这个令牌。若可能已被他人知道，请退出应用，用它的名称运行 `porchlight token revoke`，再启动应用：它会创建新的令牌",
  ],
  ["there is no such token any more", "这个令牌已不存在"],
  [
    "a token named {} is there already: choose another name, or revoke that one first",
    "已有名为 {} 的令牌：请换一个名称，或先撤销那一个",
  ],
  [
    "a token needs a name of 1 to 100 characters, none of them a control character",
    "令牌需要名称，1 到 100 个字符，不能含有控制字符",
  ],
  ["this machine gives no random numbers: {}", "这台电脑无法提供随机数：{}"],
  [
    "{} is no scope: use heartbeat, upload or admin",
    "{} 不是权限：请用 heartbeat、upload 或 admin",
  ],
  ["the app's own tokens cannot be kept in {}: {}", "应用自己的令牌无法保存在 {}：{}"],
  [
    "{} holds no token: it must not be empty, and letters, digits and signs alone can be in it",
    "{} 里没有令牌：它不能为空，只能含有字母、数字和符号",
  ],
  [
    "{} is shorter than 16 characters and can be guessed: use 32 random ones",
    "{} 少于 16 个字符，容易被猜到：请使用 32 个随机字符",
  ],
  ["there is no file {}", "没有 {} 这个文件"],
  ["{} is a folder: choose the program in it", "{} 是一个文件夹，请选择里面的程序"],
  [
    "{} may not be started: it is not marked as a program (chmod +x)",
    "{} 不能启动：它没有执行权限（chmod +x）",
  ],
  ["{} cannot be looked at: {}", "无法查看 {}：{}"],
  [
    "{} is in use by another program: stop it, or choose another port with tunnel.port",
    "{} 已被其他程序占用：请停止那个程序，或用 tunnel.port 换一个端口",
  ],
  ["it stopped listening on {}; the log says more", "已停止在 {} 上监听；详情见日志"],
];
