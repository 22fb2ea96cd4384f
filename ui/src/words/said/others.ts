// What the system and the libraries say: none of it is in the sources of Porchlight.

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
  ["Permission denied (os error {})", "没有权限（系统错误 {}）", "no permission (system error {})"],
  [
    "No such file or directory (os error {})",
    "没有这个文件或文件夹（系统错误 {}）",
    "no such file or folder (system error {})",
  ],
  [
    "Connection refused (os error {})",
    "连接被拒绝（系统错误 {}）",
    "the connection was refused (system error {})",
  ],
  [
    "Connection reset by peer (os error {})",
    "连接被断开（系统错误 {}）",
    "the connection was broken off (system error {})",
  ],
  [
    "Network is unreachable (os error {})",
    "网络不可用（系统错误 {}）",
    "there is no network (system error {})",
  ],
  [
    "Address already in use (os error {})",
    "端口已被占用（系统错误 {}）",
    "the port is in use (system error {})",
  ],
  [
    "Read-only file system (os error {})",
    "文件系统只读（系统错误 {}）",
    "nothing can be written there (system error {})",
  ],
  [
    "No space left on device (os error {})",
    "设备上没有剩余空间（系统错误 {}）",
    "there is no room left (system error {})",
  ],
  ["Is a directory (os error {})", "这是文件夹（系统错误 {}）", "it is a folder (system error {})"],
  [
    "Not a directory (os error {})",
    "这不是文件夹（系统错误 {}）",
    "it is no folder (system error {})",
  ],
  ["operation timed out", "超时", "it took too long"],
  ["deadline has elapsed", "超时", "it took too long"],
];
