// What the four tiles say: how well each thing stands, in words, and what mends it.

import type { Home } from "../api/types";
import type { Standing } from "../parts/standing";
import type { Tongue } from "../words/tongue";
import { at } from "./when";

/** What the owner can do about a tile. */
export type Mend =
  | { to: "settings"; section: "tunnel" | "watch" }
  | { to: "images"; section: "queue" }
  | { to: "game"; section: null }
  | "try_now"
  | "resume_watching"
  | "copy_install_line";

/** What a tile says. */
export interface Said {
  standing: Standing;
  state: string;
  detail?: string | undefined;
  mend?: { label: string; by: Mend } | undefined;
}

/** The service. */
export function service({ address }: Home, { words }: Tongue): Said {
  const said = words.home.tiles.service;
  if (address.port !== null) return { standing: "good", state: said.on(address.port) };
  return {
    standing: "bad",
    state: said.off,
    detail: address.trouble ?? undefined,
    mend: { label: words.home.tryNow, by: "try_now" },
  };
}

/** The tunnel; `now` in Unix milliseconds. */
export function tunnel({ tunnel, address }: Home, tongue: Tongue, now: number): Said {
  const { home } = tongue.words;
  const said = home.tiles.tunnel;
  const settings: Mend = { to: "settings", section: "tunnel" };
  switch (tunnel.state) {
    case "off":
      return address.public
        ? { standing: "off", state: said.notNeeded }
        : { standing: "off", state: said.off, mend: { label: said.setUp, by: settings } };
    case "starting":
      return { standing: "warn", state: said.starting };
    case "checking":
      return { standing: "warn", state: said.checking };
    case "up": {
      const since = at(tongue, tunnel.since, now);
      const state = tunnel.roundTrip === null ? said.up(since) : said.upIn(since, tunnel.roundTrip);
      return { standing: "good", state };
    }
    case "waiting":
      return {
        standing: "warn",
        state: said.waiting(at(tongue, tunnel.nextTry, now)),
        detail: tunnel.why,
        mend: { label: home.tryNow, by: "try_now" },
      };
    case "missing":
      if (tunnel.why !== null)
        return {
          standing: "bad",
          state: said.cannotStart,
          detail: tunnel.why,
          mend: { label: home.lookAtIt, by: settings },
        };
      return {
        standing: "bad",
        state: said.missing(tunnel.program),
        detail: tunnel.install ?? undefined,
        mend:
          tunnel.install === null
            ? { label: home.lookAtIt, by: settings }
            : { label: said.copyInstall, by: "copy_install_line" },
      };
    case "stopped":
      return {
        standing: "bad",
        state: said.stopped,
        detail: tunnel.why,
        mend: { label: home.tryNow, by: "try_now" },
      };
  }
}

/** What of the watched folders needs the owner. */
function needed({ watching }: Home, { words }: Tongue) {
  const said = words.home.tiles.watching;
  const { folders, waiting, setAside, trouble } = watching;
  const lookAtIt = words.home.lookAtIt;
  const missing = folders.filter(({ state }) => state === "missing");
  const folder: Said | null =
    missing.length === 0
      ? null
      : {
          standing: "warn",
          state: said.missing(missing.length),
          detail: missing.map(({ folder }) => folder).join(", "),
          mend: { label: lookAtIt, by: { to: "settings", section: "watch" } },
        };
  const outbox: Said | null =
    trouble === null
      ? null
      : {
          standing: "warn",
          state: said.waiting(waiting),
          detail: trouble,
          mend: { label: words.home.tryNow, by: "try_now" },
        };
  const aside: Said | null =
    setAside === 0
      ? null
      : {
          standing: "warn",
          state: said.setAside(setAside),
          mend: { label: lookAtIt, by: { to: "images", section: "queue" } },
        };
  return { folder, outbox, aside };
}

/** The watched folders: what needs the owner first, then what goes on. */
export function watching(home: Home, tongue: Tongue): Said {
  const { words } = tongue;
  const said = words.home.tiles.watching;
  const { folders, waiting, underWay, paused } = home.watching;
  const settings: Mend = { to: "settings", section: "watch" };
  const { folder, outbox, aside } = needed(home, tongue);
  const grave = folder ?? outbox;
  if (grave !== null) return grave;
  if (paused && folders.length > 0)
    return {
      standing: "off",
      state: said.paused,
      mend: { label: words.home.resume, by: "resume_watching" },
    };
  if (aside !== null) return aside;
  if (folders.length === 0)
    return { standing: "off", state: said.none, mend: { label: said.choose, by: settings } };
  const [first] = underWay;
  if (first !== undefined)
    return { standing: "good", state: said.adding(first, underWay.length - 1 + waiting) };
  if (waiting > 0) return { standing: "good", state: said.waiting(waiting) };
  return {
    standing: "good",
    state: said.watched,
    detail: folders.map((one) => one.folder).join(", "),
  };
}

/** What of the watched folders needs the owner and has no room in their tile. */
export function besides(home: Home, tongue: Tongue): Said[] {
  const { state } = watching(home, tongue);
  return Object.values(needed(home, tongue)).filter(
    (said): said is Said => said !== null && said.state !== state,
  );
}

/** The owner's game. */
export function game({ game }: Home, { words }: Tongue): Said {
  const said = words.home.tiles.game;
  const place: Mend = { to: "game", section: null };
  if (game.hidden !== null) return { standing: "off", state: said.hidden[game.hidden] };
  if (game.game !== null) return { standing: "good", state: said.playing(game.game) };
  if (game.trouble !== null)
    return {
      standing: "warn",
      state: said.unknown,
      detail: game.trouble,
      mend: { label: words.home.lookAtIt, by: place },
    };
  if (game.source === null)
    return { standing: "off", state: said.notSetUp, mend: { label: said.setUp, by: place } };
  return { standing: "off", state: game.status === "离线" ? said.offline : said.notPlaying };
}
