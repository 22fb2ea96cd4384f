// The owner's devices, for tests and for the preview without the app.

import type { AddedDevice, DeviceCard, DevicesGlance } from "../../api/types";

const NOW = Date.UTC(2026, 10, 20, 14, 20);
const MINUTE = 60_000;

const own: DeviceCard = {
  id: "this-computer",
  name: "laptop",
  kind: "laptop",
  own: true,
  access: "allowed",
  shown: { application: "Zed", introduce: "写代码 & tea", rgba: "8,76,207,0.9", online: true },
  lastReport: NOW - 12_000,
  validUntil: NOW + 9 * MINUTE,
  battery: null,
  charging: null,
  inCheck: true,
};

const phone: DeviceCard = {
  id: "phone",
  name: "手机",
  kind: "phone",
  own: false,
  access: "allowed",
  shown: { application: "Spotify", introduce: "听音乐", rgba: "30,215,96,0.8", online: true },
  lastReport: NOW - 3 * MINUTE,
  validUntil: NOW + 3 * 60 * MINUTE,
  battery: 80,
  charging: true,
  inCheck: false,
};

const tablet: DeviceCard = {
  ...phone,
  id: "tablet",
  name: "平板",
  kind: "tablet",
  access: "hidden",
  shown: { application: "", introduce: "", rgba: "", online: false },
  lastReport: NOW - 26 * 60 * MINUTE,
  validUntil: NOW - 22 * 60 * MINUTE,
  battery: null,
  charging: null,
};

const desktop: DeviceCard = {
  ...tablet,
  id: "desktop",
  name: "游戏机",
  kind: "desktop",
  access: "allowed",
  lastReport: null,
  validUntil: null,
};

/** One with long names, which the blog shows. */
const talkative: DeviceCard = {
  ...phone,
  id: "studio",
  name: "工作室窗边的那台旧笔记本电脑，屏幕上贴着便条",
  kind: "laptop",
  shown: {
    application: "写屋后花园里的樱花 🌸 和它们在雨里的样子，还有去年的灯笼",
    introduce: "有茶，有音乐，也看得见港口，写到天黑看不清纸为止，然后下楼去吃晚饭",
    rgba: "214,51,108,1",
    online: true,
  },
  inCheck: true,
};

/** One that waits for its owner. */
export const stranger: DeviceCard = {
  ...phone,
  id: "pixel-8",
  name: "新手机",
  access: "waiting",
  shown: { application: "Firefox", introduce: "", rgba: "255,113,57,0.9", online: true },
  battery: 41,
  charging: false,
};

/** Only this computer. */
export const alone: DevicesGlance = {
  all: [own],
  listed: true,
  sharesBattery: false,
  clients: false,
};

/** Several of each state. */
export const several: DevicesGlance = {
  all: [own, phone, tablet, desktop],
  listed: true,
  sharesBattery: false,
  clients: true,
};

/** Several with long names, the blog's in the first row. */
export const longNames: DevicesGlance = {
  ...several,
  all: [talkative, phone, { ...tablet, name: talkative.name }, desktop],
};

/** Several, and one that waits. */
export const withStranger: DevicesGlance = { ...several, all: [...several.all, stranger] };

/** What is typed into live-dashboard's app. */
export const added: AddedDevice = {
  id: "phone-2",
  fields: [
    { label: "服务器地址", value: "https://light.example.org" },
    { label: "Token 密钥", value: null },
  ],
};

/** The device that was added, once it has reported. */
export const reported: DeviceCard = { ...phone, id: added.id, name: "手机" };
