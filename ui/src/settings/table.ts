// Every setting that the page shows: its group, its control and its texts in each language. Bounds
// and values are those of the process.

import { type SettingKey, settingBounds } from "../api/setting-meta";
import { type Group, isGroup, otherNames } from "./groups";
import { bytes, days, pixels, seconds, type Unit } from "./units";

/** The control of a setting. */
export type Control =
  | { kind: "switch" }
  | { kind: "text"; mono?: boolean; lines?: number }
  | { kind: "number"; least: number; most: number; units?: readonly Unit[] }
  /** One of these values; `null` is "unset". */
  | { kind: "choice"; values: readonly (string | null)[]; beside?: boolean }
  | { kind: "secret" }
  | { kind: "path"; choose: "file" | "folder" }
  | { kind: "folders" }
  /** A list of words, a line each. */
  | { kind: "words" }
  | { kind: "shortcut" }
  | { kind: "template" };

/** What a setting is called, and a sentence or two on what it does. */
export type RowTexts = readonly [label: string, sentence: string];

/** Where a setting is shown, and how. */
export interface Row {
  group: Group;
  control: Control;
  en: RowTexts;
  zh: RowTexts;
  /** Only shown while another setting has one of these values. */
  when?: { key: string; is: readonly unknown[] };
}

/** A control without its bounds and values, which the backend defines. */
type Own<C> = C extends Control ? Omit<C, "least" | "most" | "values"> : never;

/**
 * A row as it is written here. Without a control, it is a number where the backend has bounds for
 * it, a choice where the backend has values, else a switch.
 */
type Written = Omit<Row, "group" | "control"> & { control?: Own<Control> };

const text = { kind: "text" } as const;
const mono = { kind: "text", mono: true } as const;
const secret = { kind: "secret" } as const;
/** A choice of a few short options, side by side. */
const beside = { kind: "choice", beside: true } as const;
const number = (units: readonly Unit[]) => ({ kind: "number", units }) as const;

/** Settings without a row: the rules are in "Presence", the next is set by the welcome, the last by tests. */
export const elsewhere = [
  "presence.rules",
  "app.welcomed",
  "edge.cloudflare_url",
] as const satisfies SettingKey[];

/** A setting with a row. */
export type RowKey = Exclude<SettingKey, (typeof elsewhere)[number]>;

const inStore = { key: "storage.kind", is: ["s3"] };
const overSsh = { key: "tunnel.kind", is: ["ssh"] };
const byCommand = { key: "tunnel.kind", is: ["command"] };
const anyTunnel = { key: "tunnel.kind", is: ["cloudflared", "ssh", "command"] };

const table: Partial<Record<Group, Partial<Record<RowKey, Written>>>> = {
  app: {
    "app.theme": {
      control: beside,
      en: ["Theme", "Light, dark, or the same as your system."],
      zh: ["主题", "浅色、深色，或跟随系统。"],
    },
    "app.language": {
      control: beside,
      en: ["Language", "For this window, the tray and notifications."],
      zh: ["语言", "窗口、托盘和通知使用的语言。"],
    },
    "app.notifications": {
      en: ["Notifications", "Tell me when an upload finishes while this window is closed."],
      zh: ["通知", "窗口关闭时，上传完成后通知我。"],
    },
    "app.upload_shortcut": {
      control: { kind: "shortcut" },
      en: ["Upload shortcut", "Uploads the copied picture from any app and copies its link."],
      zh: ["上传快捷键", "在任何程序中上传剪贴板里的图片，并复制它的链接。"],
    },
  },
  sharing: {
    "presence.enabled": {
      en: ["Share your presence", "Show readers when you’re online and which app you’re using."],
      zh: ["分享在线状态", "让读者看到你是否在线、正在使用什么程序。"],
    },
    "presence.share_titles": {
      en: [
        "Window titles",
        "Include the window title in an app’s description. Titles can reveal more than you expect.",
      ],
      zh: ["窗口标题", "在程序说明中带上窗口标题。标题可能透露比你预想更多的内容。"],
    },
    "presence.share_music": {
      en: [
        "Music",
        "While music plays, show the track and the artist in place of the app’s description.",
      ],
      zh: ["音乐", "播放音乐时，用歌名和歌手代替程序说明。"],
    },
    "presence.share_browser_music": {
      en: [
        "Music in browsers",
        "Include what Firefox and similar browsers play. Chrome, Edge and similar ones are never included.",
      ],
      zh: ["浏览器里的音乐", "也包括 Firefox 等浏览器播放的内容；不支持 Chrome、Edge 等浏览器。"],
    },
    "devices.show": {
      en: ["List of devices", "Show readers each device that you have allowed, with its app."],
      zh: ["设备列表", "向读者列出你允许的每台设备及其程序。"],
    },
    "devices.share_battery": {
      en: ["Batteries of devices", "Include the battery of each device in that list."],
      zh: ["设备电量", "在列表中带上每台设备的电量。"],
    },
    "devices.clients": {
      en: [
        "Clients of other programs",
        "Apps made for sleepy, live-dashboard and mx-space can report your other devices.",
      ],
      zh: [
        "其他程序的客户端",
        "为 sleepy、live-dashboard 和 mx-space 制作的客户端可以上报你的其他设备。",
      ],
    },
    "lanyard.enabled": {
      en: ["Lanyard’s protocol", "Sites made for Lanyard show your status and get each change."],
      zh: ["Lanyard 协议", "为 Lanyard 制作的网站可以显示你的状态，每次变化都会立即推送。"],
    },
    "lanyard.id": {
      control: mono,
      en: ["Your id there", "The number that such a site asks for; 1 if it is empty."],
      zh: ["在其中的 ID", "这类网站查询时使用的数字；留空则为 1。"],
    },
    "presence.language": {
      control: beside,
      en: ["Language of app descriptions", "For apps that Porchlight describes without a rule."],
      zh: ["程序说明的语言", "用于没有规则、由 Porchlight 自动生成的说明。"],
    },
    "presence.interval_seconds": {
      control: number(seconds),
      en: [
        "Status update interval",
        "How often Porchlight confirms you’re still there. Changes are sent within two seconds.",
      ],
      zh: ["状态更新间隔", "没有变化时，多久确认一次你仍然在线。有变化时两秒内发送。"],
    },
    "presence.idle_seconds": {
      control: number(seconds),
      en: [
        "Away after",
        "Show me as away after this long without keyboard or mouse. Music and video keep you online.",
      ],
      zh: [
        "多久无操作显示为离开",
        "键盘和鼠标无操作超过这个时间，显示为离开；播放音视频时保持在线。",
      ],
    },
    "presence.history_days": {
      control: number(days),
      en: [
        "Keep the timeline for",
        "How many days your own timeline goes back. It never leaves this computer.",
      ],
      zh: ["时间线保留天数", "你自己的时间线能回看多少天，不会离开这台电脑。"],
    },
    "presence.target_url": {
      control: mono,
      en: [
        "Another service",
        "Report this computer to the Porchlight at this https:// address, too.",
      ],
      zh: ["其他服务", "同时把这台电脑的状态报告给这个 https:// 地址上的 Porchlight。"],
    },
    "presence.token": {
      control: secret,
      en: ["Access token", "From the other service."],
      zh: ["访问令牌", "由那个服务提供。"],
    },
  },
  folders: {
    "watch.folders": {
      control: { kind: "folders" },
      en: [
        "Watched folders",
        "New pictures in these folders upload automatically, such as screenshots.",
      ],
      zh: ["监视的文件夹", "自动上传其中的新图片，例如截图。"],
    },
    "watch.recursive": {
      en: ["Include subfolders", "Folders inside the watched folders, too."],
      zh: ["包括子文件夹", "同时监视其中的子文件夹。"],
    },
    "watch.existing": {
      en: [
        "Upload existing pictures",
        "When you add a folder, upload the pictures already in it, too. When off, only new ones are uploaded.",
      ],
      zh: ["上传已有图片", "添加文件夹时，同时上传其中已有的图片。关闭则只上传新图片。"],
    },
    "watch.after": {
      en: ["After the upload", "What happens to the file on this computer."],
      zh: ["上传之后", "如何处理这台电脑上的原文件。"],
    },
    "watch.albums": {
      en: ["Subfolders are albums", "New pictures in a subfolder join the album with its name."],
      zh: ["子文件夹作为相册", "子文件夹中的新图片归入与它同名的相册。"],
    },
    "watch.poll": {
      en: [
        "Check every five seconds",
        "For drives that don’t report new files. Network drives are always checked this way.",
      ],
      zh: ["每五秒检查一次", "新图片没有自动上传时再打开。网络磁盘始终这样检查。"],
    },
    "watch.copy_link": {
      en: ["Copy the link", "Copy the link of each uploaded picture right away."],
      zh: ["复制链接", "每上传一张图片，立即复制它的链接。"],
    },
    "blog.folders": {
      control: { kind: "folders" },
      en: [
        "Folders of posts",
        "Porchlight reads the posts of your blog to show where each picture is used. It doesn’t change them.",
      ],
      zh: ["文章文件夹", "读取博客的文章，显示每张图片用在哪里。不会修改文章。"],
    },
  },
  links: {
    "links.template": {
      control: { kind: "template" },
      en: [
        "Link format",
        "Used wherever you copy a link: in this window, the tray, with the shortcut and in editors.",
      ],
      zh: ["链接格式", "用于窗口、托盘、快捷键和编辑器中复制的链接。"],
    },
  },
  tunnel: {
    "tunnel.kind": {
      en: [
        "How readers reach this computer",
        "A tunnel gives Porchlight a public address. You don’t need to change your router.",
      ],
      zh: ["读者如何访问这台电脑", "隧道为 Porchlight 提供公开地址，无需在路由器上设置端口。"],
    },
    "tunnel.cloudflared_token": {
      control: secret,
      when: { key: "tunnel.kind", is: ["cloudflared"] },
      en: ["Tunnel token", "From Cloudflare’s dashboard. Only cloudflared receives it."],
      zh: ["隧道令牌", "来自 Cloudflare 控制台，只提供给 cloudflared。"],
    },
    "tunnel.hostname": {
      control: mono,
      when: { key: "tunnel.kind", is: ["cloudflared"] },
      en: [
        "Tunnel hostname",
        "The public hostname you gave the tunnel, such as light.example.com.",
      ],
      zh: ["隧道域名", "你为隧道设置的公开域名，例如 light.example.com。"],
    },
    "tunnel.ssh_host": {
      control: mono,
      when: overSsh,
      en: ["Server", "As for ssh: user@host. It must accept a key without a password."],
      zh: ["服务器", "写法与 ssh 相同：user@host。必须能用无密码的密钥登录。"],
    },
    "tunnel.ssh_port": {
      when: overSsh,
      en: [
        "Port on the server",
        "Forwarded to this computer. Put a web server with a certificate in front of it.",
      ],
      zh: ["服务器端口", "该端口的请求会转发到这台电脑。前面应当有一台带证书的网页服务器。"],
    },
    "tunnel.command": {
      control: { kind: "words" },
      when: byCommand,
      en: [
        "Command",
        "One word per line, the program first. {port} is replaced with the local port.",
      ],
      zh: ["命令", "每行一个词，第一行是程序。{port} 会替换为本机端口。"],
    },
    "tunnel.pattern": {
      control: mono,
      when: byCommand,
      en: [
        "Address pattern",
        "A regular expression whose first group matches the address in the command’s output.",
      ],
      zh: ["地址表达式", "正则表达式，第一个分组匹配命令输出中的地址。"],
    },
    "tunnel.public_url": {
      control: mono,
      when: { key: "tunnel.kind", is: ["ssh", "command"] },
      en: ["Public address", "The address readers use for this tunnel, starting with https://."],
      zh: ["公开地址", "读者访问这条隧道的地址，以 https:// 开头。"],
    },
    "tunnel.program": {
      control: { kind: "path", choose: "file" },
      when: anyTunnel,
      en: [
        "Tunnel program",
        "Only if Porchlight can’t find it: the file to run, such as /home/me/tools/cloudflared.",
      ],
      zh: [
        "隧道程序",
        "仅在 Porchlight 找不到时填写：要运行的文件，例如 /home/me/tools/cloudflared。",
      ],
    },
    "tunnel.port": {
      when: anyTunnel,
      en: [
        "Local port",
        "Where the tunnel connects on this computer. 0 picks one automatically; a named tunnel and frp need a fixed one.",
      ],
      zh: ["本机端口", "隧道在这台电脑上连接的端口。0 表示自动选择；命名隧道和 frp 需要固定端口。"],
    },
    "tunnel.check_seconds": {
      control: number(seconds),
      when: anyTunnel,
      en: [
        "Check the public address every",
        "How often Porchlight checks that the public address still works.",
      ],
      zh: ["公开地址检测间隔", "多久检测一次公开地址是否可用。"],
    },
  },
  service: {
    "server.public_url": {
      control: mono,
      en: ["Public address", "Used in links. Leave empty to use the tunnel’s address."],
      zh: ["公开地址", "用于生成链接。留空则使用隧道的地址。"],
    },
    "server.listen": {
      control: mono,
      en: ["Local address", "Address and port on this computer. Port 0 picks one automatically."],
      zh: ["本机地址", "这台电脑上的地址和端口。端口 0 表示自动选择。"],
    },
    "server.client_ip": {
      en: ["How to read a visitor’s address", "Leave this unless you run your own proxy."],
      zh: ["如何识别访客地址", "仅在使用自己的代理时更改。"],
    },
    "server.trusted_proxies": {
      control: { kind: "words" },
      when: { key: "server.client_ip", is: ["cf-connecting-ip", "x-forwarded-for"] },
      en: [
        "Trusted proxies",
        "Addresses or networks of your own proxies, one per line. From other addresses the header is ignored.",
      ],
      zh: ["可信代理", "你自己的代理的地址或网段，每行一个。来自其他地址的请求头会被忽略。"],
    },
    "server.greeting": {
      control: { kind: "text", lines: 2 },
      en: ["Greeting", "Shown to anyone who opens your address in a browser."],
      zh: ["欢迎语", "用浏览器直接打开地址时显示的文字。"],
    },
    behaviour: {
      en: [
        "Compatibility",
        "Only if the instructions of your blog’s theme ask for A or B. Sets picture delivery and status updates.",
      ],
      zh: [
        "兼容性",
        "仅在博客主题的说明要求 A 或 B 时更改，会同时设置图片分发方式和状态更新内容。",
      ],
    },
    "heartbeat.fields": {
      en: [
        "Detailed status updates",
        "Send the app, its description and its colour. Off sends only that you’re online.",
      ],
      zh: ["详细状态更新", "发送程序、说明和颜色。关闭则只发送你在线。"],
    },
    "heartbeat.alive_seconds": {
      control: number(seconds),
      en: ["Stay online for", "How long readers see you as online after the last status update."],
      zh: ["多久没有更新就显示离线", "从最后一次状态更新算起。"],
    },
    "limits.requests_per_second": {
      en: ["Requests per second", "For each reader, on average. 0 means no limit."],
      zh: ["每秒请求数", "每位读者的平均上限。0 表示不限制。"],
    },
    "limits.burst": {
      en: ["Burst limit", "For each reader, when a page requests many things at once."],
      zh: ["突发请求数", "页面同时请求大量内容时，每位读者的上限。"],
    },
    "update.url": {
      control: mono,
      en: [
        "Update address",
        "Where the publisher announces releases (latest.json). Leave empty to never check.",
      ],
      zh: ["更新地址", "发布者提供的 latest.json 地址。留空则不检查更新。"],
    },
    "update.public_key": {
      control: mono,
      en: ["Update key", "The publisher’s public key (minisign), which begins with RW."],
      zh: ["更新公钥", "发布者的 minisign 公钥，以 RW 开头。"],
    },
  },
  images: {
    "images.delivery": {
      control: beside,
      en: [
        "Picture delivery",
        "Serve pictures from this computer, or redirect readers to the object storage.",
      ],
      zh: ["图片分发方式", "由这台电脑发送，或让读者直接从对象存储加载。"],
    },
    "images.quality": {
      en: ["Quality", "For WebP made from photos. Existing pictures don’t change."],
      zh: ["质量", "照片转换为 WebP 的质量。已有图片不受影响。"],
    },
    "images.max_side": {
      en: ["Longest side", "Longer pictures are scaled down when they arrive. 0: no limit."],
      zh: ["最长边", "更大的图片在上传时缩小。0 表示不限。"],
    },
    "images.max_upload_bytes": {
      control: number(bytes),
      en: ["Largest file", "Larger files are rejected."],
      zh: ["文件大小上限", "更大的文件会被拒绝。"],
    },
    "images.max_pixels": {
      control: number(pixels),
      en: ["Largest picture", "In pixels, width times height."],
      zh: ["图片尺寸上限", "以像素计算，宽乘以高。"],
    },
    "images.max_animation_pixels": {
      control: number(pixels),
      en: ["Largest animation", "The pixels of all frames added up."],
      zh: ["动图尺寸上限", "所有帧的像素总和。"],
    },
    "images.trash_days": {
      control: number(days),
      en: [
        "Keep deleted pictures",
        "They can be put back until then. 0 keeps none, and empties the trash.",
      ],
      zh: ["保留已删除的图片", "在此期间可以恢复。0 表示不保留，并清空回收站。"],
    },
    "images.rendition_cache_bytes": {
      control: number(bytes),
      en: [
        "Cache for smaller sizes",
        "Phones get smaller pictures; the least used are removed first. 0 turns the cache off.",
      ],
      zh: ["小尺寸图片缓存", "手机会使用较小的图片；最少使用的会先删除。0 表示不缓存。"],
    },
  },
  storage: {
    "storage.kind": {
      control: beside,
      en: ["Where new pictures go", "Existing pictures stay where they are."],
      zh: ["新图片的存放位置", "已有图片仍在原处。"],
    },
    "storage.endpoint": {
      control: mono,
      when: inStore,
      en: ["Endpoint", "The address of any S3-compatible storage."],
      zh: ["Endpoint", "任意兼容 S3 的存储服务的地址。"],
    },
    "storage.region": {
      control: mono,
      when: inStore,
      en: ["Region", "As your provider calls it."],
      zh: ["区域", "按存储服务商的名称填写。"],
    },
    "storage.bucket": {
      control: mono,
      when: inStore,
      en: ["Bucket", "Pictures are stored in it as randomimg/<hash>.webp."],
      zh: ["存储桶", "图片在其中保存为 randomimg/<hash>.webp。"],
    },
    "storage.access_key": {
      control: secret,
      when: inStore,
      en: ["Access key", "The access key ID from your provider."],
      zh: ["Access Key", "存储服务商提供的 Access Key ID。"],
    },
    "storage.secret_key": {
      control: secret,
      when: inStore,
      en: ["Secret key", "The secret that belongs to the access key."],
      zh: ["Secret Key", "与 Access Key 对应的密钥。"],
    },
    "storage.storage_url": {
      control: mono,
      when: inStore,
      en: ["Public address of the storage", "Its own or its CDN’s. Readers are redirected to it."],
      zh: ["存储的公开地址", "存储服务或其 CDN 的地址，读者会被重定向到这里。"],
    },
  },
  reachable: {
    "edge.url": {
      control: mono,
      en: [
        "Address of your Worker",
        "For example https://light.example.org. Used in place of the public address in Service.",
      ],
      zh: ["Worker 的地址", "例如 https://light.example.org，填写后将代替“服务”中的公开地址。"],
    },
    "edge.secret": {
      control: secret,
      en: [
        "Key of your Worker",
        "A password that the Worker and this computer share. Saving the files makes one; your own needs at least 32 characters.",
      ],
      zh: [
        "Worker 的密钥",
        "Worker 和这台电脑共用的密码。保存文件时自动生成；自行填写时至少 32 个字符。",
      ],
    },
  },
  game: {
    "game.local_steam": {
      en: ["Use Steam on this computer", "No key needed. Works while Steam is running here."],
      zh: ["读取本机 Steam", "无需密钥，Steam 在本机运行时有效。"],
    },
    "game.steam_folder": {
      control: { kind: "path", choose: "folder" },
      en: ["Steam folder", "Leave empty to search the usual places."],
      zh: ["Steam 文件夹", "留空则在常用位置查找。"],
    },
    "game.steam_api_key": {
      control: secret,
      en: ["Steam Web API key", "For playtime, achievements, and games on other computers."],
      zh: ["Steam Web API 密钥", "用于游戏时长、成就，以及在其他电脑上玩的游戏。"],
    },
    "game.steam_id": {
      control: mono,
      en: ["SteamID", "The 17-digit number of your account."],
      zh: ["SteamID", "账号的 17 位数字。"],
    },
    "game.report_offline": {
      en: [
        "Tell your blog when Steam is offline",
        "Some blogs can’t show this, so it’s off by default.",
      ],
      zh: ["Steam 离线时也告诉博客", "有些博客无法显示这个状态，因此默认关闭。"],
    },
    "game.language": {
      control: text,
      en: ["Store language", "For game descriptions. Use Steam’s name for the language."],
      zh: ["商店语言", "用于游戏介绍，填写 Steam 使用的语言名称，例如 schinese。"],
    },
    "game.region": {
      control: text,
      en: [
        "Store country",
        "Two letters, for prices. Leave empty to use this computer’s location.",
      ],
      zh: ["商店地区", "两个字母，例如 CN，用于显示价格。留空则按这台电脑的位置。"],
    },
    "game.steam_api_url": {
      control: mono,
      en: ["Steam Web API address", "Steam’s own, or a mirror."],
      zh: ["Steam Web API 地址", "Steam 官方地址或镜像。"],
    },
    "game.steam_store_url": {
      control: mono,
      en: ["Steam store address", "Steam’s own, or a mirror."],
      zh: ["Steam 商店地址", "Steam 官方地址或镜像。"],
    },
  },
  ip: {
    "ip.mmdb": {
      control: { kind: "path", choose: "file" },
      en: [
        "Local database",
        "A file from GeoIP, DB-IP or ipinfo: countries are looked up without asking another site. It has no host names.",
      ],
      zh: [
        "本机数据库",
        "来自 GeoIP、DB-IP 或 ipinfo 的文件，无需访问其他网站即可查询国家和地区，但查不到主机名。",
      ],
    },
    "ip.ipinfo_token": {
      control: secret,
      en: ["ipinfo.io token", "Without one, ipinfo.io allows about a thousand lookups a day."],
      zh: ["ipinfo.io 令牌", "没有令牌时，ipinfo.io 每天约可查询一千次。"],
    },
    "ip.ipinfo_url": {
      control: mono,
      en: ["Provider address", "ipinfo.io’s own, or a mirror."],
      zh: ["查询服务地址", "ipinfo.io 官方地址或镜像。"],
    },
  },
  system: {
    "system.show_user": {
      en: ["User name", "Anyone can see it while this is on."],
      zh: ["用户名", "打开后任何人都能看到。"],
    },
    "system.show_host": {
      en: ["Computer name", "Anyone can see it while this is on."],
      zh: ["电脑名称", "打开后任何人都能看到。"],
    },
    "system.show_addresses": {
      en: ["IP addresses", "Anyone can see them while this is on."],
      zh: ["IP 地址", "打开后任何人都能看到。"],
    },
  },
  editors: {
    "picgo.enabled": {
      en: [
        "Accept pictures from editors",
        "Typora, Obsidian and other editors that support PicGo can upload through Porchlight.",
      ],
      zh: ["接收编辑器的图片", "Typora、Obsidian 等支持 PicGo 的编辑器可以通过 Porchlight 上传。"],
    },
    "picgo.port": {
      en: [
        "Port",
        "On this computer only. 36677 is PicGo’s own: choose another one if PicGo runs, too.",
      ],
      zh: ["端口", "仅限这台电脑。36677 与 PicGo 相同，同时运行 PicGo 时请改用其他端口。"],
    },
    "picgo.secret": {
      control: secret,
      en: [
        "Secret",
        "Part of the address for editors, so that only they can upload. Leave unset to let Porchlight make one.",
      ],
      zh: ["密钥", "包含在编辑器上传地址中，只有它们能上传。未设置时由 Porchlight 自动生成。"],
    },
    "tools.lsky": {
      en: ["Lsky Pro’s API", "Programs that upload to Lsky Pro, such as Twikoo, can upload here."],
      zh: ["兰空图床接口", "Twikoo 等支持兰空图床（Lsky Pro）的程序可以上传到这里。"],
    },
    "tools.chevereto": {
      en: ["Chevereto’s API", "Programs that upload to Chevereto can upload here."],
      zh: ["Chevereto 接口", "支持 Chevereto 的程序可以上传到这里。"],
    },
  },
};

/** Every row by its key, in the order in which they are shown. */
export const rows = Object.fromEntries(
  Object.entries(table).flatMap(([group, own]) =>
    Object.entries(own).map(([key, row]) => [key, { ...row, group, control: whole(key, row) }]),
  ),
) as Record<RowKey, Row>;

/** The keys of all rows, in order. */
export const rowKeys = Object.keys(rows) as RowKey[];

/** The texts of all rows in a language. */
export function rowTexts(language: "en" | "zh"): Record<RowKey, RowTexts> {
  const texts = rowKeys.map((key) => [key, rows[key][language]]);
  return Object.fromEntries(texts);
}

/** The control of a setting with its bounds or its values. */
function whole(key: string, { control }: Written): Control {
  const bounds = settingBounds[key as RowKey];
  if (bounds === undefined) return (control as Control | undefined) ?? { kind: "switch" };
  if ("min" in bounds) return { ...control, kind: "number", least: bounds.min, most: bounds.max };
  return { ...control, kind: "choice", values: bounds.values };
}

/** Settings that depend on each other are written together, as one bundle. */
export function bundle(key: string): string {
  if (["behaviour", "heartbeat.fields", "images.delivery"].includes(key)) return "storage";
  return key.split(".")[0] ?? key;
}

/** Whether this is the key of a row. */
export function isRowKey(key: string): key is RowKey {
  return Object.hasOwn(rows, key);
}

/** The group that a section name refers to, if any. */
export function groupFor(section: string): Group | null {
  if (isGroup(section)) return section;
  if (isRowKey(section)) return rows[section].group;
  return otherNames[section] ?? null;
}
