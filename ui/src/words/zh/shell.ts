// The texts of the window around its places.

import { counting } from "../counting";
import type { shell as english } from "../en/shell";

/** The texts, with numbers formatted for `locale`. */
export function shell(locale: string): ReturnType<typeof english> {
  const { number } = counting(locale);
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

  return {
    places: "页面",
    severity: "系统状态",
    bulb: { lit: "灯亮着", unlit: "灯没有亮" },
    service: {
      on: "服务运行中",
      off: "服务未运行",
      unknown: "服务无响应",
    },
    tunnel: {
      off: "未使用隧道",
      starting: "隧道正在启动…",
      checking: "正在检测隧道…",
      up: "隧道已连接",
      waiting: "隧道已断开",
      missing: "隧道程序未安装",
      stopped: "隧道无法启动",
    },
    alerts: (n) => `${number(n)} 项需要处理`,
    alert: {
      service: "服务未运行",
      data_on_network: "数据文件夹在网络驱动器上，数据库可能损坏",
      heartbeats: "状态更新发送失败",
      waiting_devices: (n) => `等待允许的设备：${number(n)}`,
      tunnel_stopped: "隧道无法启动",
      tunnel_down: "隧道已断开",
      folder_missing: (folder) => `找不到监视的文件夹：${folder}`,
      upload_queue: "监视的文件夹无法上传",
      editors: "编辑器无法上传",
      failed_uploads: (n) => `上传失败：${number(n)}`,
      set_aside: (n) => `监视的文件夹中未能上传：${number(n)}`,
      edge: "Worker 收不到这台电脑的更新",
      edge_of_another: "Worker 属于另一个 Porchlight",
      host_rewritten:
        "代理改写了 Host 请求头，博客的请求会被拒绝。nginx 中请加上：proxy_set_header Host $host;",
      clock: "这台电脑的时钟不准，Worker 拒绝更新",
      worker_outdated: "有新版 Worker 可以部署",
      plain_tunnel: "Worker 无法使用没有 HTTPS 的隧道",
      images_on_disk: (n) => `只在这台电脑上的图片：${number(n)}`,
      worker_day: (spent, until) =>
        spent
          ? `Worker 今天的额度已用完，恢复时间：${time.format(until)}`
          : `Worker 今天的请求数已用 70%，重置时间：${time.format(until)}`,
      ip_file: "无法使用 ip.mmdb 指定的文件，详情见日志。",
      settings_file: "settings.toml 中有错误",
    },
    underWay: (n) => `正在上传 ${number(n)} 个文件`,
    listenFailed: (why) => `实时更新已中断：${why}`,
    wrong: (why) => `这个窗口出了问题：${why}`,
    notDrawn: "这个窗口出了问题，博客不受影响。",
    dropNow: "松开即可上传",
    palette: {
      title: "搜索全部",
      search: "页面、操作、设置、图片",
      none: "没有找到",
      kinds: { page: "页面", action: "操作", setting: "设置", picture: "图片" },
    },
    shortcuts: {
      title: "快捷键",
      goTo: (place) => `前往“${place}”`,
      add: "添加图片",
      paste: "粘贴图片",
      help: "显示这张列表",
      close: "关闭打开的对话框",
      everywhere: "任何页面",
      search: "搜索（设置中也可以）",
      select: "选中或取消选中",
      more: "扩大选择范围",
      all: "全选",
      copy: "复制链接",
      open: "查看大图",
      remove: "删除",
      undo: "撤销",
      move: "移动规则",
      space: "空格",
      or: "或",
      escape: "Esc",
    },
  };
}
