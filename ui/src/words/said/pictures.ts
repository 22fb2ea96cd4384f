// Messages about pictures, watched folders, storage and maintenance.

import type { Sentence } from "./sentence";

export const pictures: readonly Sentence[] = [
  ["the file changed while it was sent", "文件在上传期间发生了变化"],
  // Watched folders and what was set aside.
  [
    "it cannot be read: {}",
    "Porchlight 不能读取这个文件（{}）。请更改它的权限，然后重试",
    "Porchlight may not read this file ({}). Change its permissions, then retry",
  ],
  ["the file is empty", "文件是空的"],
  ["it was taken, but that cannot be written down: {}", "图片已上传，但无法记录下来：{}"],
  ["it was not tried again, since nothing is any more", "没有再试，因为已全部停止"],
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
  ["no thread can be started: {}", "无法启动线程：{}"],
  [
    "another Porchlight watches folders with {}: stop that one, or name another folder with --data-dir",
    "另一个 Porchlight 正在用 {} 监视文件夹：请先退出那一个",
    "another Porchlight watches folders with {}: quit that one first",
  ],
  ["{} cannot be used: {}", "无法使用 {}：{}"],
  [
    "{} cannot be opened ({}): move it away, and files are looked through anew",
    "无法打开 {}（{}）：把它移走，就会重新查看所有文件",
  ],
  [
    "the outbox cannot be kept: {}",
    "无法记录等待上传的文件：{}",
    "what waits to be uploaded cannot be written down: {}",
  ],
  // Pictures.
  ["the picture is stored already, as {}", "这张图片已存为 {}"],
  ["the picture is too large", "图片太大"],
  ["not a picture of a format that can be read", "不是可识别格式的图片"],
  ["the picture is broken: {}", "图片已损坏：{}"],
  ["the file cannot be read: {}", "无法读取这个文件：{}"],
  ["not a file", "不是文件"],
  ["{} was deleted in this moment", "{} 刚刚被删除"],
  ["no narrower copy of {} could be made: {}", "无法为 {} 制作小尺寸副本：{}"],
  ["there is no such picture any more", "这张图片已不存在"],
  ["no picture was named", "没有指明图片"],
  ["at most {} pictures can be deleted at once", "一次最多删除 {} 张图片"],
  ["at most {} links can be copied at once", "一次最多复制 {} 个链接"],
  ["an image hash is 32 hexadecimal digits", "图片的哈希是 32 位十六进制数字"],
  ["the beginning of a hash is 1 to 32 hexadecimal digits", "哈希的开头是 1 到 32 位十六进制数字"],
  ["the range ends before it begins", "结束的日期早于开始的日期"],
  [
    "a range is given by 2 to 400 times, each later than the one before",
    "时间范围由 2 到 400 个时刻组成，后一个晚于前一个",
  ],
  // The database.
  [
    "{} was written by a newer version of Porchlight: install that version, or choose another data folder",
    "{} 由更新版本的 Porchlight 写入：请安装那个版本",
    "{} was written by a newer version of Porchlight: install that version",
  ],
  [
    "{} was written by an older version of Porchlight: start Porchlight once to bring it up to date",
    "{} 由旧版本的 Porchlight 写入：请启动一次 Porchlight 以更新它",
  ],
  [
    "{} is damaged or no Porchlight database ({}): move it away or bring a backup back; nothing was changed",
    "{} 已损坏，或不是 Porchlight 的数据库（{}）：请把它移走，或恢复备份；没有更改任何内容",
  ],
  [
    "{} is locked by another program: close that program and start again",
    "{} 被其他程序锁住：请关闭那个程序，然后重新启动",
  ],
  [
    "{} cannot be opened ({}): check that the folder exists and may be written, and that the disk has room",
    "无法打开 {}（{}）：请确认文件夹存在、可以写入，并且磁盘还有空间",
  ],
  ["the database has no room to grow: {}", "数据库没有空间增长：{}"],
  ["the database failed: {}", "数据库出错：{}"],
  ["the database is closed", "数据库已关闭"],
  // Storage.
  ["{} cannot be read: {}", "无法读取 {}：{}"],
  ["there is no room left: {}", "没有剩余空间：{}"],
  ["{} is missing", "{} 不见了"],
  [
    "the folder {} cannot be used ({}): check that it may be written",
    "无法使用文件夹 {}（{}）：请确认可以写入",
  ],
  [
    "the data folder {} cannot be used ({}): check that it may be written",
    "无法使用数据文件夹 {}（{}）：请确认可以写入",
  ],
  [
    '{} is missing or empty, although there are pictures beside it: bring the database back from a backup, or move the folder "images" away to begin anew; nothing was changed',
    "{} 不见了或是空的，但旁边有图片：请从备份恢复数据库，或移走 images 文件夹重新开始；没有更改任何内容",
  ],
  ["storage.{} is not set", "storage.{} 尚未设置"],
  [
    'storage.kind is "s3", but {}',
    "storage.kind 是 s3，但 {}",
    "pictures go to an object store, but {}",
  ],
  [
    "{} of the images are in an object store, but `storage.endpoint`, `storage.bucket`, `storage.access_key` and `storage.secret_key` do not say where: set them; `porchlight storage move --to disk` brings the images back",
    "有 {} 张图片在对象存储里，但设置没有说明它在哪里：请在“存储”中填好地址、存储桶和密钥；之后可以把图片移回磁盘",
    "{} of the pictures are in an object store, but the settings do not say where: fill in its address, bucket and keys under Storage; then the pictures can be moved back to the disk",
  ],
  ["the settings describe no object store", "设置里没有对象存储"],
  ["a disk worker broke: {}", "磁盘操作意外中断：{}"],
  ["cannot {} {}: {}", "无法{} {}：{}", "Porchlight cannot {} {}: {}"],
  ["cannot write {}: {}", "无法写入 {}：{}", "{} cannot be written: {}"],
  ["the object store did not {} {} within {} seconds", "对象存储没有在限定时间内{} {}（{} 秒）"],
  ["the object store did not {} {}: {}", "对象存储没有{} {}：{}"],
  ["the object store did not list {}/: {}", "对象存储没有列出 {}/：{}"],
  [
    "the object store announces {} bytes for {}: no stored image is that large",
    "对象存储称 {} 字节属于 {}：没有这么大的已存图片",
  ],
  ["no answer came in time", "没有及时得到应答"],
  ["{} cannot be set aside: {}", "{} 无法移到一旁：{}"],
  ["{} has {} bytes where {} were stored", "{} 有 {} 字节，而存入时是 {} 字节"],
  // What is done there.
  ["move aside", "移开"],
  ["look at", "查看"],
  ["look through", "浏览"],
  ["tell about", "说明"],
];
