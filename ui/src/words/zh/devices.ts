// 设备的文字。

import { counting } from "../counting";
import type { Words } from "../en";

/** The texts, with numbers formatted for `locale`. */
export function devices(locale: string): Words["devices"] {
  const { number } = counting(locale);
  const percents = new Intl.NumberFormat(locale, { style: "percent" });
  return {
    title: "设备",
    lead: "所有向这个 Porchlight 上报的设备。只显示一台设备的博客，会显示你最近使用的那台。",
    add: "添加设备",
    thisComputer: "这台电脑",
    kinds: {
      desktop: "台式电脑",
      laptop: "笔记本电脑",
      phone: "手机",
      tablet: "平板",
      other: "设备",
    },
    access: { allowed: "读者可见", hidden: "对读者隐藏", waiting: "等待允许" },
    list: "你的设备",
    inCheck: "供博客显示",
    notShared: "未分享",
    never: "尚未上报",
    reported: (when) => `上次上报：${when}`,
    battery: (percent, charging) =>
      `电量 ${percents.format(percent / 100)}${charging ? "，充电中" : ""}`,
    batteryPrivate: "不公开",
    ownNote: (kind) => `读者看到的名称是“${kind}”，不会是主机名。`,
    unlisted: "设备列表已在设置中关闭，读者只会看到博客上的那一台。",
    only: "目前只有这台电脑在上报。添加手机、平板或另一台电脑后，博客就能显示你在用哪一台。",
    hold: {
      off: "分享已关闭：读者看不到任何设备，设备发来的内容也不会保留。",
      paused: "所有设备都已同时暂停分享，期间发来的内容不会保留。",
    },
    waits: (name) => `允许“${name}”？`,
    waitsLine: "在你允许之前，读者对它一无所知，连名称也看不到。",
    wouldSee: (what) => `允许后读者会看到：${what}`,
    allow: "允许",
    allowed: (name) => `读者现在可以看到 ${name}。`,
    hide: "不显示",
    hidden: (name) => `已对读者隐藏 ${name}。`,
    menu: (name) => `${name} 的更多操作`,
    rename: "重命名…",
    renameField: "读者看到的名称",
    up: "前移",
    down: "后移",
    moved: (name, n) => `${name} 已移到第 ${number(n)} 位。`,
    forget: "移除…",
    forgetTitle: (name) => `移除 ${name}？`,
    forgetLine: "设备及其历史会被移除，它的令牌会被撤销，因此不能再上报。",
    forgetYes: "移除",
    forgotten: (name) => `已移除 ${name}。`,
    waiting: (n) => `${number(n)} 台设备等待你允许`,
    alsoShown: "读者看到的各台设备",
    adding: {
      what: "要添加什么？",
      choices: {
        android: ["安卓手机", "使用 live-dashboard 的应用或 sleepy 的客户端"],
        iphone: ["iPhone 或 iPad", "使用自带的“快捷指令”"],
        computer: ["另一台电脑", "使用 Porchlight 或其他上报程序"],
        program: ["自己的程序", "只要能发送请求就行"],
      },
      nameHint: "读者可以看到。",
      names: { android: "手机", iphone: "iPhone", computer: "笔记本电脑", program: "我的程序" },
      client: "上报方式",
      clients: {
        live_dashboard: "live-dashboard",
        sleepy: "sleepy",
        mx_space: "ProcessReporter",
        porchlight: "Porchlight",
        own: "curl",
      },
      show: "从第一次上报起就让读者看到",
      opens:
        "继续后，为 sleepy、live-dashboard 和 mx-space 制作的客户端就可以上报。开关在“设置”的“在线状态”中。",
      overruled: "命令行参数关闭了其他程序的客户端，这台设备无法上报。",
      make: "生成令牌",
      connect: (name) => `连接“${name}”`,
      again: "重新检查",
      reach: {
        good: "刚刚已从外部成功访问。",
        reached: "Porchlight 上次尝试时，这个地址通到这里。",
        checking: "正在从外部访问…",
        claimed: "Porchlight 无法在这里检查这个地址，第一次上报时就知道是否可用。",
        local: "只有这台电脑能打开这个地址，请先设置隧道。",
        program: "这台电脑上的程序可以打开它。其他设备需要隧道。",
        worker: "Worker 可以独自回应读者，但无法把上报转给这台电脑。设备还需要隧道。",
        down: "目前无法从外部访问，上报无法送达。",
        temporary: "隧道下次启动后地址会改变，届时需要填写新地址。",
        insecure: "带令牌的上报需要 https://，这个地址没有。",
      },
      tunnel: "设置隧道",
      code: (label) => `${label} 的二维码`,
      codeHint: "用手机的相机或扫码工具扫描，在手机上复制。",
      secret: "保密，只能复制或扫描",
      copyField: (label) => `复制 ${label}`,
      fieldCopied: (label) => `已复制 ${label}。`,
      where: {
        live_dashboard: "安装 live-dashboard 的应用，在它的第一页填写。它只接受 https:// 地址。",
        sleepy:
          "把前三项填入 sleepy 的客户端。在 iPhone 上，可在“快捷指令”中新建自动化，用“获取 URL 内容”打开这个 URL，并在末尾加上 &status= 和程序名称。",
        mx_space: "在 ProcessReporter 的 Integrations、Mix Space 中填写。",
        porchlight:
          "在另一个 Porchlight 中打开“设置”的“在线状态”，填写“其他服务”和“访问令牌”。它的上传也会发到那里，而这个令牌不允许上传。",
        own: "把第一行保存为文件 device.header，然后在状态变化时发送心跳。",
      },
      once: "令牌只在这个对话框打开时可以复制和扫描。可在“设置”的“访问令牌”中撤销。",
      waiting: "正在等待第一次上报…",
      green: (name) => `已收到 ${name} 的第一次上报。`,
      greenSeen: (what) => `读者看到：${what}`,
      greenHidden: "读者看不到它，可在它的卡片上更改。",
      held: "分享没有开启。开启之前，上报不会保留，这里也不会变化。",
    },
  };
}
