// What each setting is called and what it does, in Simplified Chinese.

import type { RowKey } from "../../settings/table";

/** By key: what it is called, and a sentence or two on what it does. */
export const settingRows: Record<RowKey, [label: string, sentence: string]> = {
  "app.theme": ["主题", "浅色、深色，或跟随系统。"],
  "app.language": ["语言", "窗口、托盘和通知使用的语言。"],
  "app.notifications": ["通知", "窗口关闭时，上传完成后通知我。"],
  "app.upload_shortcut": ["上传快捷键", "在任何程序中上传剪贴板里的图片，并复制它的链接。"],

  "presence.enabled": ["分享在线状态", "让读者看到你是否在线、正在使用什么程序。"],
  "presence.share_titles": [
    "窗口标题",
    "在程序说明中带上窗口标题。标题可能透露比你预想更多的内容。",
  ],
  "presence.share_music": ["音乐", "播放音乐时，用歌名和歌手代替程序说明。"],
  "presence.share_browser_music": [
    "浏览器里的音乐",
    "也包括 Firefox 等浏览器播放的内容；不支持 Chrome、Edge 等浏览器。",
  ],
  "presence.language": ["程序说明的语言", "用于没有规则、由 Porchlight 自动生成的说明。"],
  "presence.interval_seconds": [
    "状态更新间隔",
    "没有变化时，多久确认一次你仍然在线。有变化时两秒内发送。",
  ],
  "presence.idle_seconds": [
    "多久无操作显示为离开",
    "键盘和鼠标无操作超过这个时间，显示为离开；播放音视频时保持在线。",
  ],
  "presence.history_days": ["时间线保留天数", "你自己的时间线能回看多少天，不会离开这台电脑。"],
  "presence.target_url": [
    "其他服务",
    "把状态更新和上传发送到这个 https:// 地址，而不是本应用自带的服务。",
  ],
  "presence.token": ["访问令牌", "由那个服务提供。"],

  "watch.folders": ["监视的文件夹", "自动上传其中的新图片，例如截图。"],
  "watch.recursive": ["包括子文件夹", "同时监视其中的子文件夹。"],
  "watch.existing": ["上传已有图片", "添加文件夹时，同时上传其中已有的图片。关闭则只上传新图片。"],
  "watch.after": ["上传之后", "如何处理这台电脑上的原文件。"],
  "watch.poll": ["每五秒检查一次", "新图片没有自动上传时再打开。网络磁盘始终这样检查。"],
  "watch.copy_link": ["复制链接", "每上传一张图片，立即复制它的链接。"],

  "links.template": ["链接格式", "用于窗口、托盘、快捷键和编辑器中复制的链接。"],

  "tunnel.kind": [
    "读者如何访问这台电脑",
    "隧道为 Porchlight 提供公开地址，无需在路由器上设置端口。",
  ],
  "tunnel.cloudflared_token": ["隧道令牌", "来自 Cloudflare 控制台，只提供给 cloudflared。"],
  "tunnel.hostname": ["隧道域名", "你为隧道设置的公开域名，例如 light.example.com。"],
  "tunnel.ssh_host": ["服务器", "写法与 ssh 相同：user@host。必须能用无密码的密钥登录。"],
  "tunnel.ssh_port": [
    "服务器端口",
    "该端口的请求会转发到这台电脑。前面应当有一台带证书的网页服务器。",
  ],
  "tunnel.command": ["命令", "每行一个词，第一行是程序。{port} 会替换为本机端口。"],
  "tunnel.pattern": ["地址表达式", "正则表达式，第一个分组匹配命令输出中的地址。"],
  "tunnel.public_url": ["公开地址", "读者访问这条隧道的地址，以 https:// 开头。"],
  "tunnel.program": [
    "隧道程序",
    "仅在 Porchlight 找不到时填写：要运行的文件，例如 /home/me/tools/cloudflared。",
  ],
  "tunnel.port": [
    "本机端口",
    "隧道在这台电脑上连接的端口。0 表示自动选择；命名隧道和 frp 需要固定端口。",
  ],
  "tunnel.check_seconds": ["公开地址检测间隔", "多久检测一次公开地址是否可用。"],

  "server.public_url": ["公开地址", "用于生成链接。留空则使用隧道的地址。"],
  "server.listen": ["本机地址", "这台电脑上的地址和端口。端口 0 表示自动选择。"],
  "server.client_ip": ["如何识别访客地址", "仅在使用自己的代理时更改。"],
  "server.trusted_proxies": [
    "可信代理",
    "你自己的代理的地址或网段，每行一个。来自其他地址的请求头会被忽略。",
  ],
  "server.greeting": ["欢迎语", "用浏览器直接打开地址时显示的文字。"],
  behaviour: [
    "兼容性",
    "仅在博客主题的说明要求 A 或 B 时更改，会同时设置图片分发方式和状态更新内容。",
  ],
  "heartbeat.fields": ["详细状态更新", "发送程序、说明和颜色。关闭则只发送你在线。"],
  "heartbeat.alive_seconds": ["多久没有更新就显示离线", "从最后一次状态更新算起。"],
  "limits.requests_per_second": ["每秒请求数", "每位读者的平均上限。0 表示不限制。"],
  "limits.burst": ["突发请求数", "页面同时请求大量内容时，每位读者的上限。"],

  "images.delivery": ["图片分发方式", "由这台电脑发送，或让读者直接从对象存储加载。"],
  "images.quality": ["质量", "照片转换为 WebP 的质量。已有图片不受影响。"],
  "images.max_upload_bytes": ["文件大小上限", "更大的文件会被拒绝。"],
  "images.max_pixels": ["图片尺寸上限", "以像素计算，宽乘以高。"],
  "images.max_animation_pixels": ["动图尺寸上限", "所有帧的像素总和。"],
  "images.rendition_cache_bytes": [
    "小尺寸图片缓存",
    "手机会使用较小的图片；最少使用的会先删除。0 表示不缓存。",
  ],

  "storage.kind": ["新图片的存放位置", "已有图片仍在原处。"],
  "storage.endpoint": ["Endpoint", "任意兼容 S3 的存储服务的地址。"],
  "storage.region": ["区域", "按存储服务商的名称填写。"],
  "storage.bucket": ["存储桶", "图片在其中保存为 randomimg/<hash>.webp。"],
  "storage.access_key": ["Access Key", "存储服务商提供的 Access Key ID。"],
  "storage.secret_key": ["Secret Key", "与 Access Key 对应的密钥。"],
  "storage.storage_url": ["存储的公开地址", "存储服务或其 CDN 的地址，读者会被重定向到这里。"],

  "publish.enabled": [
    "发布快照",
    "把在线状态和图片列表保存到对象存储，这台电脑关机时读者仍能看到。",
  ],
  "publish.prefix": ["快照的文件夹", "在存储桶中的位置，以斜杠结尾。"],

  "edge.url": ["Worker 的地址", "例如 https://light.example.org，填写后将代替“服务”中的公开地址。"],
  "edge.secret": [
    "Worker 的密钥",
    "Worker 和这台电脑共用的密码。保存文件时自动生成；自行填写时至少 32 个字符。",
  ],

  "game.local_steam": ["读取本机 Steam", "无需密钥，Steam 在本机运行时有效。"],
  "game.steam_folder": ["Steam 文件夹", "留空则在常用位置查找。"],
  "game.steam_api_key": ["Steam Web API 密钥", "用于游戏时长、成就，以及在其他电脑上玩的游戏。"],
  "game.steam_id": ["SteamID", "账号的 17 位数字。"],
  "game.report_offline": ["Steam 离线时也告诉博客", "有些博客无法显示这个状态，因此默认关闭。"],
  "game.language": ["商店语言", "用于游戏介绍，填写 Steam 使用的语言名称，例如 schinese。"],
  "game.region": ["商店地区", "两个字母，例如 CN，用于显示价格。留空则按这台电脑的位置。"],
  "game.steam_api_url": ["Steam Web API 地址", "Steam 官方地址或镜像。"],
  "game.steam_store_url": ["Steam 商店地址", "Steam 官方地址或镜像。"],

  "ip.mmdb": [
    "本机数据库",
    "来自 GeoIP、DB-IP 或 ipinfo 的文件，无需访问其他网站即可查询国家和地区，但查不到主机名。",
  ],
  "ip.ipinfo_token": ["ipinfo.io 令牌", "没有令牌时，ipinfo.io 每天约可查询一千次。"],
  "ip.ipinfo_url": ["查询服务地址", "ipinfo.io 官方地址或镜像。"],

  "system.show_user": ["用户名", "打开后任何人都能看到。"],
  "system.show_host": ["电脑名称", "打开后任何人都能看到。"],
  "system.show_addresses": ["IP 地址", "打开后任何人都能看到。"],

  "picgo.enabled": [
    "接收编辑器的图片",
    "Typora、Obsidian 等支持 PicGo 的编辑器可以通过 Porchlight 上传。",
  ],
  "picgo.port": ["端口", "仅限这台电脑。36677 与 PicGo 相同，同时运行 PicGo 时请改用其他端口。"],
  "picgo.secret": [
    "密钥",
    "包含在编辑器上传地址中，只有它们能上传。未设置时由 Porchlight 自动生成。",
  ],

  "update.url": ["更新地址", "发布者提供的 latest.json 地址。留空则不检查更新。"],
  "update.public_key": ["更新公钥", "发布者的 minisign 公钥，以 RW 开头。"],
};
