// The messages of the backend, in Chinese.

import type { Code } from "../message";

export const messages: Record<Code, string> = {
  // Messages of the system and of other programs.
  text: "{text}",
  detail: "{text}",
  about: "{what}：{why}",
  both: "{one}；{other}",
  no_permission: "没有权限",
  not_found: "没有这个文件或文件夹",
  connection_refused: "连接被拒绝",
  no_network: "网络不可用",
  address_in_use: "端口已被占用",
  read_only: "文件系统只读",
  disk_full: "磁盘已满",
  timed_out: "超时",
  // Values of settings.
  settings: "{why}",
  out_of_bounds: "{value} 超出范围：应在 {min} 到 {max} 之间",
  no_web_address: "{given} 不是网址：应类似 https://light.example.blog",
  no_network_address: "{given} 不是地址也不是网段：应类似 192.168.1.2 或 172.16.0.0/12",
  no_full_path: "{path} 不是完整路径：请从根目录写起",
  no_expression: "{given} 不是正则表达式：{why}",
  no_steam_id: "SteamID 是 17 位数字",
  no_colour: "颜色写作 r,g,b,a：三个 0 到 255 的整数，以及 0 到 1 的透明度",
  no_template:
    "模板是 `url`、`markdown`、`html`、`responsive`、`bbcode` 之一，或者自己写的文字，在放网址的地方写 {url} 或 {named_url}",
  no_shortcut:
    "快捷键由 Ctrl、Alt、Shift 或 Super，加上一个字母、数字、F1 到 F24、Print、Insert、Pause、Home、End、PageUp 或 PageDown 组成，例如 Ctrl+Alt+U",
  bare_shortcut: "字母、数字和打字用的键需要同时按下 Ctrl、Alt 或 Super：否则就再也打不出它了",
  // The settings file, and dependencies between settings.
  saved_but: "设置已保存，但{why}",
  settings_unreadable: "无法读取设置文件 {file}：{why}",
  declined: "你已取消，未做任何更改",
  status_too_long: "状态最多 200 个字符，说明最多 2,000 个，并且不能换行",
  listen_needs_proxy:
    "其他电脑可以访问 {address}。只有在 `server.client_ip` 选择了你自己的代理所用的标头（X-Forwarded-For 或 CF-Connecting-IP）时才允许这样",
  // Failures of heartbeats and uploads.
  service_silent: "{address} 的服务没有应答（{why}）。Porchlight 会自动重试",
  token_refused:
    "令牌验证失败。如果状态是发送到别的服务器，请在“设置”的“在线状态”中重新填写它的令牌",
  not_our_service:
    "这个地址上应答（{status}）的是别的东西，不是图片服务。Porchlight 会自动重试；请检查地址，以及是否需要先登录网络",
  asked_to_wait: "短时间内请求过多，服务要求稍候。Porchlight 会自动重试",
  image_too_large: "图片超过了服务的大小上限。请缩小图片，或在“设置”的“画质”中提高上限。",
  too_large: "服务不接受这么大的内容。",
  unsupported_format:
    "Porchlight 无法识别这个图片文件。支持 JPEG、PNG、GIF、WebP、HEIC、AVIF、JPEG XL、SVG、BMP、TIFF、ICO 和 QOI，请存成其中一种。",
  damaged_picture: "图片已损坏。请重新保存图片，或将它从列表中移除。",
  service_full: "存储空间已满。请腾出空间，Porchlight 会自动重试。",
  service_failed: "服务内部出错，详情见它的日志。Porchlight 会自动重试。",
  service_busy: "服务正忙或正在重启，Porchlight 会自动重试。",
  // The tunnel, the listeners and editors.
  did_not_start: "{program} 未能启动：{why}",
  program_ended: "{program} 已结束（{how}）：{last}",
  address_silent: "{address} 没有应答：{why}",
  address_answers: "{address} 返回错误 {status}",
  address_elsewhere: "{address} 通向别处",
  cloudflare_token:
    "Cloudflare 不接受这个令牌（{why}）：请完整复制一个有效的 API 令牌。Global API Key 和 Origin CA 密钥都不能用；如果是账号的令牌，请同时填写账号 ID",
  cloudflare_permission:
    "令牌缺少权限（{why}）：需要“Workers 脚本：编辑”和“帐户设置：读取”，使用 R2 时还需要“Workers R2 存储：编辑”。如果你是帐户成员，角色须为管理员，因为编辑者不能创建 Worker",
  cloudflare_name_taken: "这个 workers.dev 名称已被占用：请换一个",
  cloudflare_r2_off:
    "账号没有开通 R2：请在 Cloudflare 控制台开通（需要付款方式），或不使用 R2 进行设置",
  edge_no_account: "令牌没有列出账号：请填写账号 ID，它在 Cloudflare 控制台的网址中",
  edge_accounts: "令牌可用于多个账号，请选择一个：{accounts}",
  edge_needs_subdomain: "账号还没有 workers.dev 名称：请取一个",
  edge_holds_pictures: "只保存在 Worker 里的图片：{count} 张。请先把它们移到本机磁盘",
  port_in_use: "{address} 已被其他程序占用：请停止那个程序，或另选一个端口（0 表示任选一个空闲的）",
  editors_port:
    "端口 {port} 无法使用（{why}）。可能被 PicGo 占用：请停止它，或在“设置”的“编辑器”中另选一个端口",
  // Tokens.
  token_name_taken: "已有名为 {name} 的令牌：请换一个名称，或先撤销那一个",
  // Sensors.
  wayland_no_foreground: "此 Wayland 合成器不提供（wlr-foreign-toplevel-management）",
  gnome_needs_switch: "扩展 {extension} 关闭时，GNOME 不会告知你在用哪个程序",
  gnome_needs_login: "GNOME 要到你下次登录后才会发现扩展 {extension}",
  gnome_extensions_off: "GNOME 的扩展已全部关闭。请在“扩展”应用中打开",
  gnome_no_extension: "GNOME 需要扩展 {extension}，它由 Porchlight 的安装包安装，这里没有",
  // The shortcut.
  keys_taken: "这些按键已被其他程序占用，或键盘上没有。",
  no_portal:
    "当前桌面不支持在这里设置快捷键。请在系统的快捷键设置中添加一个，命令为：porchlight --upload-clipboard",
  portal_needs_menu_entry: "桌面只允许应用菜单中的程序使用快捷键：请打开这里的“显示在应用菜单中”。",
  // The clipboard, watched folders and the upload queue.
  no_picture_on_clipboard: "剪贴板上没有图片",
  file_changed: "文件在上传期间发生了变化",
  file_empty: "文件是空的",
  file_unreadable: "Porchlight 不能读取这个文件（{why}）。请更改它的权限，然后重试",
  // Storage.
  store_not_public: "{address} 以状态 {status} 应答：那里的存储桶不允许所有人读取",
  store_wrong_type: "{address} 以 text/plain 存入，返回的却是 {given}",
  store_no_cors: "{address} 没有返回 Access-Control-Allow-Origin：其他网站的页面无法读取",
  edge_day_spent: "免费套餐当天的额度已用完：{until} 之后恢复",
  // Maintenance.
  busy: "数据文件夹正在进行其他操作：请等它结束",
  // Steam.
  steam_key_refused: "Steam 不接受这个密钥（错误 {status}）：请检查或重新填写",
  steam_private:
    "Steam 个人资料是私密的，因此 Steam 不提供游戏状态：请在隐私设置中把“我的个人资料”和“游戏详情”设为公开",
  // Installations, imports and cancelled tasks.
  cancelled: "已取消",
  many_missing:
    "{of} 张图片中有 {missing} 张不见了，因此没有更改任何内容：是磁盘没有挂载，还是设置了别的存储桶？",
  // The database.
  data_folder_held: "另一个 Porchlight 正在使用数据文件夹 {folder}{process}",
  database_newer: "{file} 由更新版本的 Porchlight 写入：请安装那个版本",
  database_damaged:
    "{file} 已损坏，或不是 Porchlight 的数据库（{why}）：请把它移走，或恢复备份；没有更改任何内容",
};
