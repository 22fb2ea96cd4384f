// The four tiles: status, text, and the action that fixes a problem.

import type { Reason } from "../api/interface";
import type { Home } from "../api/types";
import type { Severity } from "../parts/severity";
import type { Locale } from "../words/locale";
import { at } from "./when";

/** The action that a tile offers. */
export type TileAction =
  | { to: "settings"; section: "tunnel" | "watch" }
  | { to: "images"; section: "queue" }
  | { to: "game"; section: null }
  | "try_now"
  | "resume_watching"
  | "copy_install_line";

/** The content of a tile. */
export interface TileContent {
  severity: Severity;
  state: string;
  detail?: Reason | undefined;
  action?: { label: string; by: TileAction } | undefined;
}

/** The service. */
export function service({ address }: Home, { words }: Locale): TileContent {
  const texts = words.home.tiles.service;
  if (address.port !== null) return { severity: "good", state: texts.on(address.port) };
  return {
    severity: "bad",
    state: texts.off,
    detail: address.trouble ?? undefined,
    action: { label: words.home.tryNow, by: "try_now" },
  };
}

/** The tunnel; `now` in Unix milliseconds. */
export function tunnel({ tunnel, address }: Home, locale: Locale, now: number): TileContent {
  const { home, settings: words } = locale.words;
  const texts = home.tiles.tunnel;
  const { states } = words.tunnel;
  const settings: TileAction = { to: "settings", section: "tunnel" };
  switch (tunnel.state) {
    case "off":
      return address.kind !== "local"
        ? { severity: "off", state: texts.notNeeded }
        : { severity: "off", state: texts.off, action: { label: texts.setUp, by: settings } };
    case "starting":
    case "checking":
      return { severity: "warn", state: states[tunnel.state] };
    case "up":
      return { severity: "good", state: texts.up(at(locale, tunnel.since, now)) };
    case "waiting":
      return {
        severity: "warn",
        state: texts.waiting(at(locale, tunnel.nextTry, now)),
        detail: tunnel.why,
        action: { label: home.tryNow, by: "try_now" },
      };
    case "missing":
      if (tunnel.why !== null)
        return {
          severity: "bad",
          state: texts.cannotStart,
          detail: tunnel.why,
          action: { label: home.lookAtIt, by: settings },
        };
      return {
        severity: "bad",
        state: texts.missing(tunnel.program),
        detail: tunnel.install ?? undefined,
        action:
          tunnel.install === null
            ? { label: home.lookAtIt, by: settings }
            : { label: texts.copyInstall, by: "copy_install_line" },
      };
    case "stopped":
      return {
        severity: "bad",
        state: states.stopped,
        detail: tunnel.why,
        action: { label: home.tryNow, by: "try_now" },
      };
  }
}

/** Alerts of the watched folders. */
function needed({ watching }: Home, { words }: Locale) {
  const texts = words.home.tiles.watching;
  const { folders, waiting, setAside, trouble } = watching;
  const lookAtIt = words.home.lookAtIt;
  const missing = folders.filter(({ state }) => state === "missing");
  const folder: TileContent | null =
    missing.length === 0
      ? null
      : {
          severity: "warn",
          state: texts.missing(missing.length),
          detail: missing.map(({ folder }) => folder).join(", "),
          action: { label: lookAtIt, by: { to: "settings", section: "watch" } },
        };
  const upload_queue: TileContent | null =
    trouble === null
      ? null
      : {
          severity: "warn",
          state: texts.waiting(waiting),
          detail: trouble,
          action: { label: words.home.tryNow, by: "try_now" },
        };
  const aside: TileContent | null =
    setAside === 0
      ? null
      : {
          severity: "warn",
          state: words.images.aside.title(setAside),
          action: { label: lookAtIt, by: { to: "images", section: "queue" } },
        };
  return { folder, upload_queue, aside };
}

/** The watched folders: alerts first, then activity. */
export function watching(home: Home, locale: Locale): TileContent {
  const { words } = locale;
  const texts = words.home.tiles.watching;
  const { folders, waiting, underWay, paused } = home.watching;
  const settings: TileAction = { to: "settings", section: "watch" };
  const { folder, upload_queue, aside } = needed(home, locale);
  const grave = folder ?? upload_queue;
  if (grave !== null) return grave;
  if (paused && folders.length > 0)
    return {
      severity: "off",
      state: words.home.light.paused.chip,
      action: { label: words.home.resume, by: "resume_watching" },
    };
  if (aside !== null) return aside;
  if (folders.length === 0)
    return { severity: "off", state: texts.none, action: { label: texts.choose, by: settings } };
  const [first] = underWay;
  if (first !== undefined)
    return { severity: "good", state: texts.adding(first, underWay.length - 1 + waiting) };
  if (waiting > 0) return { severity: "good", state: texts.waiting(waiting) };
  return {
    severity: "good",
    state: texts.watched,
    detail: folders.map((one) => one.folder).join(", "),
  };
}

/** Alerts of the watched folders that do not fit into their tile. */
export function remainingAlerts(home: Home, locale: Locale): TileContent[] {
  const { state } = watching(home, locale);
  return Object.values(needed(home, locale)).filter(
    (texts): texts is TileContent => texts !== null && texts.state !== state,
  );
}

/** The owner's game. */
export function game({ game }: Home, { words }: Locale): TileContent {
  const texts = words.home.tiles.game;
  const place: TileAction = { to: "game", section: null };
  if (game.hidden !== null) return { severity: "off", state: texts.hidden[game.hidden] };
  if (game.game !== null) return { severity: "good", state: texts.playing(game.game) };
  if (game.trouble !== null)
    return {
      severity: "warn",
      state: texts.unknown,
      detail: game.trouble,
      action: { label: words.home.lookAtIt, by: place },
    };
  if (game.source === null)
    return {
      severity: "off",
      state: texts.notSetUp,
      action: { label: words.home.tiles.tunnel.setUp, by: place },
    };
  return {
    severity: "off",
    state: game.status === "离线" ? words.shown.offline : words.game.now.online,
  };
}
