// The words of the window around its places.

import type { shell as english } from "../en/shell";

/** The words, with numbers written as `locale` writes them. */
export function shell(locale: string): ReturnType<typeof english> {
  const numbers = new Intl.NumberFormat(locale);
  const number = (n: number) => numbers.format(n);

  return {
    places: "各个页面",
    standing: "简况",
    bulb: { lit: "灯亮着", unlit: "灯没有亮" },
    service: {
      on: (port) => `服务端口 ${port}`,
      off: "服务未在监听",
      unknown: "服务没有回应",
    },
    tunnel: {
      off: "没有隧道",
      starting: "隧道正在启动",
      checking: "正在检查隧道",
      up: "隧道已连通",
      upIn: (ms) => `隧道已连通，${number(ms)} 毫秒`,
      waiting: "隧道已断开",
      missing: "隧道程序未安装",
      stopped: "隧道无法启动",
    },
    needs: (n) => `有 ${number(n)} 件事需要你处理`,
    need: {
      service: "服务未在监听",
      heartbeats: "心跳未被接受",
      tunnel_missing: (program) => `未安装 ${program}`,
      tunnel_stopped: "隧道无法启动",
      tunnel_down: "隧道已断开",
      folder_missing: (folder) => `监视的文件夹不见了：${folder}`,
      outbox: "监视的文件夹无法上传",
      editors: "编辑器上传服务未在监听",
      failed_uploads: (n) => `上传失败：${number(n)}`,
      set_aside: (n) => `搁置的文件：${number(n)}`,
      settings_file: "设置文件被修改过，但内容不正确",
      restart: "更改的设置等待重启生效",
    },
    underWay: (n) => `${number(n)} 个文件正在上传`,
    deaf: (why) => `有变化时页面不会自动更新：${why}`,
    wrong: (why) => `这个窗口出了问题：${why}`,
    notDrawn: "这个窗口没能画出来。灯和服务不受影响，仍在运行。",
    dropNow: "松手即可添加",
    shortcuts: {
      title: "快捷键",
      goTo: (place) => `前往“${place}”`,
      add: "添加图片",
      paste: "粘贴图片",
      help: "显示这张列表",
      close: "关闭打开的窗口",
      everywhere: "任何页面",
      search: "搜索（设置中也可以）",
      select: "选中或取消选中",
      more: "扩大选择范围",
      all: "全选",
      open: "查看大图",
      remove: "删除",
      undo: "撤销删除",
      move: "移动规则",
      space: "空格",
      or: "或",
      escape: "Esc",
    },
  };
}
