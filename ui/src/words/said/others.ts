// What the system and the libraries say: none of it is in the sources of Porchlight. Their numbers
// are left to the log.

import type { Sentence } from "./sentence";

export const others: readonly Sentence[] = [
  ["unknown variant {}, expected one of {}", "未知的值 {}，应为以下之一：{}", "{} is none of {}"],
  ["unknown variant {}, expected {}", "未知的值 {}，应为 {}", "{} is not {}"],
  ["unknown field {}, expected one of {}", "未知的字段 {}，应为以下之一：{}"],
  ["unknown field {}, expected {}", "未知的字段 {}，应为 {}"],
  ["missing field {}", "缺少 {}", "{} is missing"],
  ["invalid type: {}, expected {}", "类型不对：{}，应为 {}", "{} was given where {} belongs"],
  ["invalid value: {}, expected {}", "值不对：{}，应为 {}", "{} was given where {} belongs"],
  ["exit status: {}", "退出状态 {}", "exit status {}"],
  ["Permission denied (os error {})", "没有权限", "no permission"],
  ["No such file or directory (os error {})", "没有这个文件或文件夹", "no such file or folder"],
  ["Connection refused (os error {})", "连接被拒绝", "the connection was refused"],
  ["Connection reset by peer (os error {})", "连接被断开", "the connection was broken off"],
  ["Network is unreachable (os error {})", "网络不可用", "there is no network"],
  ["Address already in use (os error {})", "端口已被占用", "the port is in use"],
  ["Read-only file system (os error {})", "文件系统只读", "nothing can be written there"],
  ["No space left on device (os error {})", "设备上没有剩余空间", "there is no room left"],
  ["Is a directory (os error {})", "这是文件夹", "it is a folder"],
  ["Not a directory (os error {})", "这不是文件夹", "it is no folder"],
  ["database is locked", "它被其他程序锁住", "another program has it locked"],
  ["database or disk is full", "磁盘已满", "the disk is full"],
  ["operation timed out", "超时", "it took too long"],
  ["deadline has elapsed", "超时", "it took too long"],
];
