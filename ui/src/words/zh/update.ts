// The texts of the check for updates, in Simplified Chinese.

import type { UpdateWords } from "../en/update";

/** The texts. */
export function update(): UpdateWords {
  return {
    label: "更新",
    sentence: "仅在你点击时检查，Porchlight 不会自行安装任何东西。",
    start: "检查更新",
    checking: "正在检查…",
    upToDate: (running) => `Porchlight ${running} 已是最新版本。`,
    newer: (version, running) => `Porchlight ${version} 已发布，当前版本为 ${running}。`,
    page: "下载地址：",
    byPackage: (manager) => `Porchlight 是用 ${manager} 安装的，请在终端中更新：`,
    fromFile: "如果当初安装的是下载的软件包，请用同样的方式安装新版本。",
    bySystem: "请用当初安装 Porchlight 的方式更新。",
    failed: "无法检查更新。",
    status: (file, status) => `${file} 返回了状态码 ${status}。`,
    why: {
      no_address: "未设置更新地址。",
      no_key: "未设置更新公钥。",
      too_long: "返回的内容过长，不是版本公告。",
      not_signed: "版本公告没有附带签名。",
      other_key: "版本公告的签名来自其他密钥，请不要安装其中的任何内容。",
      altered: "版本公告与签名不符，请不要安装其中的任何内容。",
      malformed: "签名有效，但内容不是版本公告。",
    },
  };
}
