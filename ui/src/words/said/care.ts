// Results of a backup, a check, a restore and a move.

import type { Sentence } from "./sentence";

export const care: readonly Sentence[] = [
  [
    "something else is being done to the data folder: wait until that is over",
    "数据文件夹正在进行其他操作：请等它结束",
  ],
  [
    "the storage settings were changed since this run started, and it still uses the previous ones: restart Porchlight, and then move the images",
    "存储的设置已更改，但这次运行用的还是之前的：请先重启 Porchlight，再移动图片",
    "the settings of the storage were changed and count from the next start: restart Porchlight, and then move the pictures",
  ],
  [
    "{}. What was moved is in order where it is: do it again to go on.",
    "{}。已移动的部分完好：再做一次即可继续。",
  ],
  [
    "{} are still where they were, too: keep that storage in the settings until they are gone",
    "另有 {} 个文件还留在原处：在它们消失之前，请保留那个存储的设置",
    "{} of them are still where they were, too: keep that storage in the settings until they are gone",
  ],
  [
    'the environment or --set still says otherwise: set `storage.kind` to "{}" there, too, or new images will not go where the others are',
    "环境变量或命令行的设置与此不同：请在那里也把 `storage.kind` 设为 {}，否则新图片会存到别处",
    'the environment or the command line still says otherwise: set `storage.kind` to "{}" there, too, or new pictures will not go where the others are',
  ],
  [
    "{}.webp was written to its new place and came back as something else",
    "{}.webp 写到新位置后，读回来却不一样",
  ],
  [
    "the images cannot be read where they are: {}",
    "无法从现在的位置读取图片：{}",
    "the pictures cannot be read where they are: {}",
  ],
  ["and {} more", "以及另外 {} 项"],
  // What a check finds.
  ["the database is damaged: {}", "数据库已损坏：{}"],
  [
    "{} sources in the database have no image",
    "数据库里有 {} 条来源记录没有对应的图片",
    "{} entries in the database belong to no picture",
  ],
  [
    "{} further names in the database are no image's or another's own",
    "数据库里有 {} 个别名没有对应的图片，或与其他图片的名字相同",
    "{} further names in the database are no picture's, or another one's own",
  ],
  [
    "the numbers of the images in the database have gaps",
    "数据库里图片的编号有空缺",
    "the numbers of the pictures in the database have gaps",
  ],
  ["the counts of the list in the database are wrong", "数据库里列表的计数有误"],
  ["{}.webp is missing", "{}.webp 不见了"],
  ["{}.webp is not what was stored", "{}.webp 与存入时不同"],
  [
    "{}.webp is right and has {} bytes, its row tells another size",
    "{}.webp 完好，共 {} 字节，但数据库里记的大小不同",
    "{}.webp is right and has {} bytes, but the database tells another size",
  ],
  ["{}.webp cannot be read: {}", "{}.webp 无法读取：{}"],
  [
    "{}.webp{} has no row in the database",
    "{}.webp{} 在数据库里没有记录",
    "{}.webp{} is not in the database",
  ],
  [
    "{}{} is a copy of no image",
    "{}{} 是小尺寸副本，但没有对应的图片",
    "{}{} is a copy of no picture",
  ],
  ["{} is broken", "{} 已损坏"],
  [
    "{} has a name that is no image's",
    "{} 的名字不是图片的名字",
    "{} has a name that no picture has",
  ],
  ["{} is left of an upload that did not end", "{} 是未完成的上传留下的"],
  [" in the object store", "（在对象存储里）"],
  // Backups.
  ["there is no Porchlight in {} yet", "{} 里还没有 Porchlight 的数据"],
  [
    "{} is there already: choose another name, or say --force",
    "{} 已存在：请换一个名称",
    "{} is there already: choose another name",
  ],
  [
    "{} is not empty, there is {}: a backup is only restored to an empty folder",
    "{} 不是空的，里面有 {}：备份只能恢复到空文件夹",
  ],
  [
    "{} is no backup that can be restored: {}; nothing was restored",
    "{} 不是可以恢复的备份：{}；没有恢复任何内容",
  ],
  ["{} in it is no plain file", "其中的 {} 不是普通文件"],
  ["{} is in it twice", "其中的 {} 出现了两次"],
  ["{} in it is too large", "其中的 {} 太大了"],
  ["{} comes after its end", "{} 出现在结尾之后"],
  ["it does not begin as a backup does", "开头不是备份的样子"],
  ["it is of Porchlight {}, and newer", "它来自更新的 Porchlight {}"],
  ["{} belongs in no backup", "备份里不应有 {}"],
  ["it was cut short", "它不完整"],
  ["there is no database in it", "其中没有数据库"],
  ["what is in it is not what was put in", "其中的内容与保存时不同"],
  ["its database: {}", "它的数据库：{}"],
  ["its database", "它的数据库"],
  ["its database has a foreign schema: {}", "它的数据库不是 Porchlight 建立的样子：{}"],
  [
    "this backup cannot be restored, since {} in the database is not Porchlight's: remove it and take another backup",
    "这个备份无法恢复，因为数据库中的 {} 不属于 Porchlight：请将其移除后再备份一次",
  ],
  ["`{}` in its settings cannot be left out", "无法略去设置中的 `{}`"],
  ["{} is missing in it", "其中缺少 {}"],
  ["{} in it is not what was stored", "其中的 {} 与存入时不同"],
  [
    "there are images in it without a row",
    "其中有些图片不在它的数据库里",
    "there are pictures in it that its database does not know",
  ],
  ["no folder is watched", "没有监视任何文件夹"],
  // What an object store says.
  ["it answered {}", "它应答 {}"],
  ["its answer cannot be understood", "无法理解它的应答"],
  ["it cannot be reached", "无法连接到它"],
  ["it took too long to answer", "它应答得太慢"],
  ["the connection broke off", "连接中断了"],
];
