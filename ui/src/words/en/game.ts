// The words of the place "game", in English.

import type { GameHidden, GameSource } from "../../api/types";

/** The words, with numbers written as `locale` writes them. */
export function game(locale: string) {
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const number = (n: number) => numbers.format(n);

  const source: Record<GameSource, string> = {
    client: "from the Steam client on this computer",
    web_api: "from the Steam Web API",
  };
  const hidden: Record<GameHidden, string> = {
    not_shared: "You share nothing, so your game is not told either.",
    paused: "Sharing is paused, so your game is not told either.",
    private: "A rule hides it, or what is in front is never told. So your game is not told either.",
  };
  const fields: Record<string, string> = {
    status: "Whether you are online (在线) or in a game (在游戏中).",
    game: "The name of the game.",
    game_id: "Its number at Steam; a blog can link to the store with it.",
    description: "What the store says about it.",
    price: "What it costs in the store.",
    playtime: "How long you have played it.",
    achievement_percentage: "How many of its achievements you have.",
  };

  return {
    lead: "What your blog shows of the game that you play.",
    trouble: "Your game cannot be shown.",
    now: {
      title: "What your blog reads now",
      playing: (name: string) => `You play ${name}`,
      online: "You are not in a game",
      offline: "You are offline at Steam",
      untold: "Your game is not told",
      unset: "Set up one of the two sources below, and your blog shows what you play.",
      source,
      noSource: "nobody could be asked",
      hidden,
      trouble: "Nothing better is known.",
      field: "Field",
      value: "Value",
      what: "What it is",
      fields,
      unknown: "Another field of the answer.",
      empty: "empty",
    },
    recent: {
      title: "Recently played",
      name: "Game",
      lately: "Last two weeks",
      ever: "Ever",
      last: "Last played",
      hours: (minutes: number): string =>
        minutes < 60 ? `${number(minutes)} min` : `${number(minutes / 60)} h`,
      unknown: "not known",
      again: "Look again",
      none: "No game was played lately, or none that Steam tells of.",
    },
    setUp: {
      title: "Where it comes from",
      lead: "Porchlight asks the Steam client first, and the Web API where the client says nothing.",
      client: "Ask the Steam client on this computer",
      clientLine: "No key is needed. It works while Steam runs here.",
      clientAt: (folder: string) => `Found at ${folder}`,
      clientNone: "No Steam client was found on this computer.",
      key: "Web API key",
      keyLine:
        "Steam gives one to you at steamcommunity.com/dev/apikey. It is kept on this computer and never shown again.",
      keySet: "A key is set",
      keyUnset: "No key is set",
      keyNew: "Set a key",
      keyChange: "Set another",
      keySave: "Keep it",
      keyCancel: "Cancel",
      keyRemove: "Remove it",
      keySaved: "The key is set.",
      keyRemoved: "The key is gone.",
      id: "SteamID",
      idLine: "The number of 17 digits that your profile page has in its address.",
      idSaved: "The SteamID is set.",
      offline: "Tell when you are offline",
      offlineLine:
        "Blogs that know it show 离线 (offline). Others expect 在线 (online) at all times.",
      more: "Region and language of prices and descriptions",
    },
    test: {
      start: "Ask them now",
      asking: "Asking…",
      client: "Steam client",
      webApi: "Web API",
      off: "It is off, or not set up.",
      playing: (name: string) => `It answers: you play ${name}.`,
      idle: "It answers: you are not in a game.",
    },
  };
}
