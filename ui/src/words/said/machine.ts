// Messages about this system: sensors, shortcuts, clipboard and files.

import type { Sentence } from "./sentence";

export const machine: readonly Sentence[] = [
  [
    "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
    "没有显示器：DISPLAY 和 WAYLAND_DISPLAY 都未设置",
  ],
  ["the X11 display cannot be asked: {}", "无法询问 X11 显示：{}"],
  ["the window manager does not say which window is in front", "窗口管理器没有说明哪个窗口在最前"],
  [
    "the X11 server has no idle counter (MIT-SCREEN-SAVER)",
    "X11 服务器没有空闲计时（MIT-SCREEN-SAVER）",
  ],
  [
    "this Wayland compositor does not offer it (wlr-foreign-toplevel-management)",
    "此 Wayland 合成器不提供（wlr-foreign-toplevel-management）",
  ],
  [
    "this Wayland compositor does not offer it (ext-idle-notify)",
    "此 Wayland 合成器不提供（ext-idle-notify）",
  ],
  ["the Wayland compositor cannot be asked: {}", "无法询问 Wayland 合成器：{}"],
  ["the compositor no longer reports windows", "合成器不再告知窗口的情况"],
  ["{}, and there is no KWin to be asked", "{}，也没有 KWin 可询问"],
  ["the session bus cannot be asked ({})", "无法询问会话总线（{}）"],
  ["there is no session bus", "没有会话总线"],
  ["no screen saver is on the session bus", "会话总线上没有屏幕保护程序"],
  ["logind cannot be asked ({})", "无法询问 logind（{}）"],
  ["logind knows no session of yours ({})", "logind 不知道你的会话（{}）"],
  ["the bus has gone away", "总线已消失"],
  ["Porchlight has no way to ask on this system yet", "Porchlight 在此系统上还无法询问"],
  ["there is no thread for it: {}", "系统没有为它提供线程：{}"],
  // Keys.
  ["There is no X server to ask for keys.", "没有可以登记快捷键的 X 服务器。"],
  ["The X server cannot be reached: {}.", "无法连接 X 服务器：{}。"],
  ["There is no thread to listen for keys: {}.", "无法监听快捷键：{}。"],
  ["The X server does not report its keys: {}.", "X 服务器没有告知它的按键：{}。"],
  ["This keyboard has no such key.", "此键盘没有这个键。"],
  ["Another program has these keys already.", "这些按键已被其他程序占用。"],
  ["The X server does not give these keys: {}.", "X 服务器不提供这些按键：{}。"],
  // The clipboard.
  ["there is no clipboard: {}", "没有剪贴板：{}"],
  ["there is no picture on the clipboard", "剪贴板上没有图片"],
  ["the clipboard could not be read: {}", "无法读取剪贴板：{}"],
  ["an image of {} × {} cannot be sent on", "无法转送 {} × {} 的图片"],
  ["it cannot be put on the clipboard: {}", "无法复制到剪贴板：{}"],
  // Entries, folders and files.
  ["there are no such entries on this system", "这个系统没有这样的菜单项"],
  ["{} has a name that cannot stand in an entry", "{} 的名称不能写进菜单项"],
  ["the entry {} cannot be changed: {}", "无法更改菜单项 {}：{}"],
  ["{} cannot be opened: {}", "无法打开 {}：{}"],
  ["{} cannot be written: {}", "无法写入 {}：{}"],
  ["{} is no UTF-8: choose another one", "{} 的名称不是 UTF-8：请另选一个"],
  ["no one line installs {} everywhere", "没有一条命令能在所有系统上安装 {}"],
  ["nothing has to be installed", "不需要安装任何东西"],
  ["the log cannot be read: {}", "无法读取日志：{}"],
  ["Keys of its own can be had on Linux alone.", "只有在 Linux 上才能设置快捷键。"],
  ["There is no session bus to ask for keys: {}.", "没有会话总线，无法申请快捷键：{}。"],
  ["The desktop's portal names no session.", "桌面的门户服务没有给出会话。"],
];
