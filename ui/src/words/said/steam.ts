// Messages about Steam.

import type { Sentence } from "./sentence";

export const steam: readonly Sentence[] = [
  [
    "game.steam_api_key is not set",
    "还没有设置 Steam Web API 密钥",
    "the key of the Steam Web API is not set",
  ],
  ["game.steam_id is not set", "还没有设置 SteamID", "the SteamID is not set"],
  [
    "game.steam_api_key and game.steam_id are not set",
    "还没有设置 Steam Web API 密钥和 SteamID",
    "the key of the Steam Web API and the SteamID are not set",
  ],
  [
    "Steam refuses the key ({}): check game.steam_api_key",
    "Steam 拒绝了密钥（{}）：请检查密钥",
    "Steam refuses the key ({}): check it, or set another",
  ],
  [
    "Steam knows no such account: check game.steam_id",
    "Steam 没有这个账号：请检查 SteamID",
    "Steam knows no such account: check the SteamID",
  ],
  ["Steam asks for fewer calls ({})", "Steam 要求减少查询（{}）"],
  ["Steam answered with status {}", "Steam 以状态 {} 应答"],
  ["Steam's answer was not understood", "无法理解 Steam 的应答"],
  [
    "the Steam profile is private: Steam tells nobody what is played",
    "Steam 个人资料是私密的：Steam 不告诉任何人在玩什么",
  ],
  ["no Steam client was found on this machine", "本机没有找到 Steam 客户端"],
  [
    "on this system the Steam client does not tell which game runs",
    "在此系统上，Steam 客户端不告知正在运行的游戏",
  ],
  [
    "the processes of this machine could not be read",
    "无法读取本机的进程",
    "the programs of this machine could not be looked at",
  ],
  ["the Steam client's files could not be read in time", "没能及时读取 Steam 客户端的文件"],
  ["Steam did not answer in time: try again later", "Steam 没有及时应答：请稍后再试"],
  [
    "{}: where it is in an unusual place, set game.steam_folder to its folder",
    "{}：如果装在不常见的位置，请在“设置”的“游戏”里填写它的文件夹",
    "{}: where it is in an unusual place, name its folder in Settings, Game",
  ],
  [
    "{}: set game.steam_api_key and game.steam_id instead",
    "{}：请改为设置密钥和 SteamID",
    "{}: set a key and the SteamID instead",
  ],
  ["{}: start Porchlight again", "{}：请重启 Porchlight"],
  [
    '{}: in the profile\'s privacy settings make "My profile" and "Game details" public',
    "{}：请在个人资料的隐私设置中把“我的个人资料”和“游戏详情”设为公开",
  ],
  ["{}: try again later", "{}：请稍后再试"],
  ["{}: see whether this machine is online", "{}：请检查这台电脑是否联网"],
  [
    "{}: try again later, or check game.steam_api_url",
    "{}：请稍后再试，或检查 Web API 地址",
    "{}: try again later, or check the address of the Web API in the settings",
  ],
  ["{}, and {}", "{}；{}"],
  ["Steam {}", "Steam {}"],
  ["the Steam store {}", "Steam 商店{}"],
  ["the Steam store answered with status {}", "Steam 商店以状态 {} 应答"],
  ["the Steam store's answer was not understood", "无法理解 Steam 商店的应答"],
  // What comes after the name of who was asked.
  ["did not answer within {} seconds", "没有在 {} 秒内应答"],
  ["cannot be reached", "无法连接"],
  ["broke off its answer", "应答中断"],
  ["answered with more than {} MiB", "应答超过 {} MiB"],
];
