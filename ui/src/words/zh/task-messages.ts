// What the process says of the database, installations, imports and cancelled tasks, in Chinese.

import type { Code } from "../message";

export const taskMessages = {
  cancelled: "已取消",
  installing: "正在安装一个程序，请等它完成",
  install_dismissed: "没有输入密码，未安装任何程序",
  install_not_authorised: "未安装任何程序：密码不正确，或系统无法询问密码",
  install_failed: "安装失败：{why}",
  import_list: "无法读取 {server} 的图片列表：{why}",
  import_storage: "无法保存：{why}",
  import_http: "无法建立安全连接：{why}",
  import_failed: "{name}：{why}",
  import_undated: "日期无法读取、按今天记录的图片：{count}",
  import_name: "名称不是 32 位十六进制数字",
  import_name_taken: "这里已有另一张同名图片",
  import_address: "地址有误：{why}",
  import_redirect: "被重定向到无效的网址",
  import_redirect_plain: "从 https:// 被重定向到 http://",
  import_redirect_private: "被重定向到私有网络中的地址",
  import_redirects: "重定向次数过多",
  import_endless: "列表中的一页没有结尾",
  import_no_list: "返回的不是图片列表",
  import_status: "返回状态 {status}",
  import_slow: "没有及时响应",
  import_too_many: "超过 {most} 张图片，或没有结尾",
  import_page: "第 {number} 页：{why}",
  import_counts: "声称有 {total} 张图片，只列出 {shown} 张",
  import_changes: "读取期间列表在变化",
  picture_too_large: "图片太大",
  picture_unsupported: "不支持的图片格式",
  picture_broken: "图片已损坏：{why}",
  many_missing:
    "{of} 张图片中有 {missing} 张不见了，因此没有更改任何内容：是磁盘没有挂载，还是设置了别的存储桶？",
  not_confirmed: "服务没有确认已存有这张图片，文件先留在原处",
  // The database.
  database_newer: "{file} 由更新版本的 Porchlight 写入：请安装那个版本",
  database_older: "{file} 由旧版本的 Porchlight 写入：请启动一次 Porchlight 以更新它；首个版本之前的构建写入的文件，需要先用其最后一个构建（表版本为 17）打开",
  database_damaged:
    "{file} 已损坏，或不是 Porchlight 的数据库（{why}）：请把它移走，或恢复备份；没有更改任何内容",
  database_locked: "{file} 被其他程序锁住：请关闭那个程序，然后重新启动",
  database_unopened: "无法打开 {file}（{why}）：请确认文件夹存在、可以写入，并且磁盘还有空间",
  database_full: "数据库没有空间增长：{why}",
  database_fails: "Porchlight 的数据库出错：{why}",
  database_panicked: "Porchlight 内部出错，操作已中止；请查看日志",
  database_closed: "数据库已关闭",
} satisfies Partial<Record<Code, string>>;
