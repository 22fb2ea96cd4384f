// States of the page "game", for tests and for the preview without the app.

import type {
  GamePage,
  Setting,
  SettingProblem,
  SettingsPage,
  SettingValue,
} from "../../api/types";
import type { Scene } from "../fake-native";
import { detail, locked } from "../text";

const NOW = Date.UTC(2026, 10, 20, 14, 20);
const DAY = 86_400_000;
const noAccount = detail("the key of the Steam Web API and the SteamID are not set");

const page: GamePage = {
  glance: { status: "在游戏中", game: "Hades II", source: "client", hidden: null, trouble: null },
  running: {
    cover: 1145350,
    since: NOW - 48 * 60_000,
    minutes: 2_832,
    achievements: { reached: 19, of: 50 },
  },
  answer: [
    { name: "status", value: "在游戏中" },
    { name: "game", value: "Hades II" },
    { name: "game_id", value: "1145350" },
    {
      name: "description",
      value:
        "Battle beyond the Underworld using dark sorcery to take on the Titan of Time in this bewitching sequel to the award-winning rogue-like dungeon crawler.",
    },
    { name: "price", value: "¥ 112.00" },
    { name: "playtime", value: "47小时12分钟" },
    { name: "achievement_percentage", value: "38%" },
  ],
  recent: [
    {
      appId: 1145350,
      name: "Hades II",
      minutesLately: 612,
      minutes: 2_832,
      lastPlayed: NOW - 40_000,
    },
    {
      appId: 413150,
      name: "Stardew Valley",
      minutesLately: 41,
      minutes: 9_120,
      lastPlayed: NOW - 3 * DAY,
    },
    { appId: 367520, name: "空洞骑士", minutesLately: null, minutes: 1_530, lastPlayed: null },
  ],
  hasKey: true,
  steamId: "76561197960287930",
  asksClient: true,
  clientFolder: "~/.local/share/Steam",
};

const setting = (key: string, value: SettingValue): Setting => ({
  key,
  value,
  default: false,
  secret: false,
  set: false,
  layer: "default",
});

const settings: SettingsPage = {
  settings: [setting("game.report_offline", false)],
  file: "settings.toml",
  folder: "porchlight",
  startsAtLogin: false,
  menuEntry: false,
  shortcut: { possible: true, trouble: null, given: null },
  fileProblems: [],
};

/** What is wrong with a change: a SteamID is digits. */
const check = (changes: Record<string, SettingValue>): SettingProblem[] => {
  const id = changes["game.steam_id"];
  return typeof id === "string" && !/^\d{17}$/.test(id)
    ? [{ key: "game.steam_id", why: { code: "no_steam_id" } }]
    : [];
};

const withPage = (changed: Partial<GamePage>) =>
  ({
    game: { ...page, ...changed },
    settings,
    checkSettings: check,
    updateSettings: check,
  }) satisfies Scene;

const idle = {
  glance: { ...page.glance, status: "在线", game: null },
  running: null,
  answer: [{ name: "status", value: "在线" }],
};

/** Every scene by its name. */
export const scenes = {
  playing: withPage({}),
  // Without a cover, and with a price of nothing.
  plain: withPage({
    running: { cover: null, since: NOW - 60_000, minutes: null, achievements: null },
    answer: page.answer.map(({ name, value }) => ({
      name,
      value: name === "price" ? "免费" : name === "playtime" ? "" : value,
    })),
  }),
  idle: withPage(idle),
  offline: withPage({
    ...idle,
    glance: { ...idle.glance, status: "离线" },
    answer: [{ name: "status", value: "离线" }],
  }),
  hidden: withPage({
    ...idle,
    glance: { ...idle.glance, hidden: "paused" },
  }),
  unset: withPage({
    glance: {
      ...idle.glance,
      source: null,
      trouble: noAccount,
    },
    running: null,
    answer: idle.answer,
    recent: [],
    hasKey: false,
    steamId: null,
    asksClient: false,
    clientFolder: null,
  }),
  notFound: withPage({
    ...idle,
    glance: { ...idle.glance, source: null, trouble: noAccount },
    recent: [],
    hasKey: false,
    steamId: null,
    clientFolder: null,
  }),
  failing: withPage({
    ...idle,
    glance: {
      ...idle.glance,
      source: null,
      trouble: { code: "steam_key_refused", parameters: { status: 403 } },
    },
  }),
  loading: { game: () => new Promise<GamePage>(() => undefined) },
  lost: {
    game: () => {
      throw locked;
    },
  },
} satisfies Record<string, Scene>;
