// What each setting is called and what it does, in Simplified Chinese.

import type { RowKey } from "../../settings/table";

/** By key: what it is called, and a sentence or two on what it does. */
export const settingRows: Record<RowKey, [label: string, sentence: string]> = {
  "app.theme": ["配色", "窗口可以是浅色、深色，或者跟随系统。"],
  "app.language": ["语言", "窗口、托盘和通知使用的语言。"],
  "app.notifications": ["通知", "没有打开窗口时上传的结果，会用通知告诉你。"],
  "app.upload_shortcut": [
    "上传剪贴板的快捷键",
    "在任何地方按下，刚复制的内容就会上传，剪贴板随后换成它的链接。",
  ],

  "presence.enabled": ["让读者知道你在", "关闭时，不会上报任何关于你的信息。"],
  "presence.share_titles": [
    "窗口标题",
    "允许在程序的说明里带上窗口标题。标题透露的往往比你想的多。",
  ],
  "presence.language": ["内置说明的语言", "没有规则的常见程序，用哪种语言来描述。"],
  "presence.interval_seconds": [
    "心跳间隔",
    "没有变化时多久上报一次。有变化时两秒之内就会告诉读者。",
  ],
  "presence.idle_seconds": [
    "多久没有操作算离开",
    "没有碰键盘鼠标超过这么久，就算不在。播放音视频时仍算在。",
  ],
  "presence.history_days": ["历史保留天数", "你自己的时间线能回看多少天。它不会离开这台电脑。"],
  "presence.target_url": [
    "另一个服务",
    "心跳和上传发往哪里，留空则发给本应用自带的服务。填写 https:// 开头的地址。",
  ],
  "presence.token": ["它的令牌", "那个服务凭它认出你。"],

  "watch.folders": ["监视的文件夹", "里面新出现的图片会自动上传，比如截图。"],
  "watch.recursive": ["包括子文件夹", "里面的文件夹也一并监视。"],
  "watch.existing": [
    "原有的图片",
    "第一次监视某个文件夹时，是否也上传其中已有的图片。关闭则只上传之后出现的。",
  ],
  "watch.after": ["上传之后", "这台电脑上的原文件如何处理。"],
  "watch.poll": ["每五秒主动查看一次", "适用于不会通知文件变化的磁盘。网络磁盘总是这样查看。"],
  "watch.copy_link": ["复制链接", "每上传一张图片，就把它的链接放进剪贴板。"],

  "links.template": ["复制图片时得到什么", "窗口、托盘、快捷键和编辑器里复制的链接都用它。"],

  "tunnel.kind": [
    "读者如何访问这台电脑",
    "隧道为服务提供一个公开地址，不需要在路由器上开放任何端口。",
  ],
  "tunnel.cloudflared_token": ["隧道令牌", "来自 Cloudflare 控制台，只会交给 cloudflared。"],
  "tunnel.hostname": ["隧道的域名", "你为它设置的公开域名，例如 light.example.com。"],
  "tunnel.ssh_host": ["服务器", "与 ssh 的写法一样：user@host。必须能用密钥直接登录。"],
  "tunnel.ssh_port": [
    "服务器上的端口",
    "到达那里的请求会转到这台电脑。它前面应当有一个带证书的网页服务器。",
  ],
  "tunnel.command": ["命令", "一行一个词，程序写在最前。{port} 会换成读者进来的端口。"],
  "tunnel.pattern": ["地址在哪里", "一个正则表达式，第一个分组就是命令输出中的地址。"],
  "tunnel.public_url": ["公开地址", "外界访问这条隧道所用的地址，以 https:// 开头。"],
  "tunnel.program": [
    "隧道程序",
    "只有按名字找不到时才需要：要启动的文件，例如 /home/me/tools/cloudflared。",
  ],
  "tunnel.port": [
    "入口端口",
    "隧道通向这台电脑的这个端口。0 表示任选一个空闲的；命名隧道和 frp 需要固定端口。",
  ],
  "tunnel.check_seconds": ["从外面查看的间隔", "每隔多久确认一次公开地址是否仍然通到这里。"],

  "server.public_url": ["公开地址", "链接由它生成。留空则使用隧道的地址。"],
  "server.listen": ["服务的监听地址", "这台电脑上的地址和端口。端口 0 表示任选一个空闲的。"],
  "server.client_ip": ["如何辨认访客", "请求算在谁的名下。只有前面有自己的代理时才需要更改。"],
  "server.trusted_proxies": [
    "可信的代理",
    "你自己的代理的地址或网段，每行一个。来自其他地址的请求头会被忽略。",
  ],
  "server.greeting": ["问候语", "用浏览器直接打开地址时看到的文字。"],
  behaviour: [
    "行为",
    "接口的 A 或 B 会同时决定图片的提供方式和心跳内容，供只认其中一种的博客使用。",
  ],
  "heartbeat.fields": ["心跳包含你在做什么", "程序、说明和颜色。关闭则只表示你在。"],
  "heartbeat.alive_seconds": ["灯保持亮着", "最后一次心跳之后多久，读者仍然看到你在。"],
  "limits.requests_per_second": ["每秒请求数", "每位读者长期平均的上限。0 表示不限。"],
  "limits.burst": ["瞬时请求数", "一个页面同时请求很多内容时，每位读者的上限。"],

  "images.delivery": ["图片如何提供", "由这台电脑直接发送，或者让读者转到对象存储。"],
  "images.quality": ["质量", "照片转成 WebP 时的质量。已有的图片不受影响。"],
  "images.max_upload_bytes": ["最大文件", "更大的文件会被拒绝。"],
  "images.max_pixels": ["最大图片", "按像素计算，宽乘以高。"],
  "images.max_animation_pixels": ["最大动图", "所有帧的像素加在一起。"],
  "images.rendition_cache_bytes": [
    "小尺寸副本的空间",
    "手机会得到更小的副本。最久没人要的先删除。0 表示不保留。",
  ],

  "storage.kind": ["新图片存放在哪里", "已有的图片仍在原处，照常可以读取。"],
  "storage.endpoint": ["存储的地址", "任何兼容 S3 的存储都可以。"],
  "storage.region": ["区域", "按存储服务的叫法填写。"],
  "storage.bucket": ["存储桶", "图片在其中的名字是 randomimg/<hash>.webp。"],
  "storage.access_key": ["密钥名称", "存储的 access key。"],
  "storage.secret_key": ["密钥", "与名称配套的 secret key。"],
  "storage.storage_url": ["存储的公开地址", "它自己的或 CDN 的地址，读者会被转到那里。"],

  "game.local_steam": ["询问这台电脑上的 Steam", "它知道你在玩什么，不需要密钥。"],
  "game.steam_folder": ["Steam 的文件夹", "不填写则在常见的位置查找。"],
  "game.steam_api_key": [
    "Steam Web API 密钥",
    "用来得到游戏时长和成就，也能知道你在别的机器上玩什么。",
  ],
  "game.steam_id": ["你的 SteamID", "账号的 17 位数字。"],
  "game.report_offline": ["离线时也告诉读者", "显示为“离线”。有些博客只认另外两种，所以默认关闭。"],
  "game.language": ["商店语言", "用哪种语言介绍游戏，写 Steam 所用的名称。"],
  "game.region": ["商店地区", "两个字母，决定显示哪里的价格。留空则按这台电脑的地址。"],
  "game.steam_api_url": ["Web API 地址", "Steam 自己的，或者镜像。"],
  "game.steam_store_url": ["商店地址", "Steam 自己的，或者镜像。"],

  "ip.mmdb": [
    "本机数据库",
    "来自 GeoIP、DB-IP 或 ipinfo。有了它，查询不会离开这台电脑，但没有主机名。",
  ],
  "ip.ipinfo_token": ["ipinfo.io 令牌", "没有令牌时，ipinfo.io 每天大约回答一千次。"],
  "ip.ipinfo_url": ["查询服务的地址", "ipinfo.io 自己的，或者镜像。"],

  "system.show_user": ["你的用户名", "打开之后任何人都能看到。"],
  "system.show_host": ["这台电脑的名称", "打开之后任何人都能看到。"],
  "system.show_addresses": ["它的网络地址", "打开之后任何人都能看到。"],

  "picgo.enabled": [
    "接收编辑器的图片",
    "Typora、Obsidian 等支持 PicGo 的程序可以把图片交给 Porchlight。",
  ],
  "picgo.port": ["端口", "只在这台电脑上。PicGo 自己用的是 36677。"],
  "picgo.secret": ["密钥", "调用者必须带上它。没有设置时，Porchlight 会自己生成一个。"],
};
