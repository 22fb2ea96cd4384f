// The texts of the page "game", in English.

import type { GameHidden, GameSource } from "../../api/types";

/** The texts, with numbers formatted for `locale`. */
export function game(locale: string) {
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const number = (n: number) => numbers.format(n);

  const source: Record<GameSource, string> = {
    client: "From Steam on this computer",
    web_api: "From the Steam Web API",
  };
  const hidden: Record<GameHidden, string> = {
    not_shared: "Sharing is off, so your game isn’t shown.",
    paused: "Sharing is paused, so your game isn’t shown.",
    private: "A rule hides this game, or you’re using a private app.",
  };
  const fields: Record<string, string> = {
    status: "Whether you are online (在线) or in a game (在游戏中).",
    game: "The name of the game.",
    game_id: "Its Steam app ID, for a link to the store.",
    description: "The store’s description.",
    price: "The store’s price.",
    playtime: "How long you’ve played it.",
    achievement_percentage: "Share of achievements you’ve unlocked.",
  };

  return {
    lead: "What your blog shows about the game you’re playing.",
    trouble: "Couldn’t load your game.",
    now: {
      playing: "Playing",
      since: (time: string) => `Playing since ${time}`,
      played: "Played in all",
      price: "Price",
      free: "Free",
      achievements: "Achievements",
      reached: (n: number, of: number) => `${number(n)} of ${number(of)}`,
      online: "Not playing",
      next: "Start a game, and it appears here and on your blog.",
      offline: "Offline on Steam",
      failing: "Your game isn’t known right now",
      hiddenTitle: "Hidden",
      unset: "Show the Steam game you’re playing on your blog.",
      notFound: "Steam wasn’t found on this computer. Add a Steam Web API key instead.",
      useClient: "Use Steam on this computer",
      connect: "Add a Steam key",
      source,
      noSource: "Not connected",
      failed: "Not working",
      hidden,
      trouble: "Couldn’t update your game.",
    },
    readers: {
      title: "What readers see",
      where: "On your blog, which gets these values in Chinese",
      nothing: "No game",
      hidden: "Nothing about a game",
      status: { 在线: "Online", 离线: "Offline", 在游戏中: "In a game" } as Record<string, string>,
      played: (time: string) => `${time} played`,
      reached: (percent: string) => `${percent} of achievements`,
      raw: "Raw data for developers",
      field: "Field",
      value: "Value",
      fields,
      unknown: "Another field.",
    },
    recent: {
      title: "Recently played",
      name: "Game",
      lately: "Last two weeks",
      ever: "Total",
      last: "Last played",
      hours: (minutes: number): string =>
        minutes < 60 ? `${number(minutes)} min` : `${number(minutes / 60)} h`,
      unknown: "unknown",
      again: "Refresh",
      none: "No recent games, or Steam doesn’t share them.",
    },
    setUp: {
      title: "Steam",
      lead: "Porchlight reads Steam on this computer first, and falls back to the Steam Web API.",
      client: "Use Steam on this computer",
      clientLine: "No key needed. Works while Steam is running here.",
      clientAt: (folder: string) => `Found at ${folder}`,
      clientNone: "Steam wasn’t found on this computer.",
      key: "Steam Web API key",
      keyLine:
        "Get one at steamcommunity.com/dev/apikey. It stays on this computer and is never shown again.",
      keySet: "Key saved",
      keyUnset: "No key",
      keyNew: "Add key",
      keySaved: "Key saved.",
      keyRemoved: "Key removed.",
      id: "SteamID",
      idLine: "The 17-digit number in your profile page’s address.",
      idSaved: "SteamID saved.",
      offline: "Tell your blog when Steam is offline",
      offlineLine: "Some blogs can’t show this.",
      more: "Store region and language",
    },
  };
}
