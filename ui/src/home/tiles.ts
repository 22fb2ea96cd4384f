// The four tiles: status, text, and the action that fixes a problem.

import type { Reason } from "../api/interface";
import type { Home } from "../api/types";
import type { Severity } from "../parts/severity";
import type { Locale } from "../words/locale";
import { at } from "./when";

/** The action that a tile offers. */
export type Mend =
  | { to: "settings"; section: "tunnel" | "watch" }
  | { to: "images"; section: "queue" }
  | { to: "game"; section: null }
  | "try_now"
  | "resume_watching"
  | "copy_install_line"
  | "install";

/** What a tile says. */
export interface Said {
  severity: Severity;
  state: string;
  detail?: Reason | undefined;
  mend?: { label: string; by: Mend } | undefined;
}

/** The service. */
export function service({ address }: Home, { words }: Locale): Said {
  const said = words.home.tiles.service;
  if (address.port !== null) return { severity: "good", state: said.on(address.port) };
  return {
    severity: "bad",
    state: said.off,
    detail: address.trouble ?? undefined,
    mend: { label: words.home.tryNow, by: "try_now" },
  };
}

/** The tunnel; `now` in Unix milliseconds. */
export function tunnel({ tunnel, address }: Home, locale: Locale, now: number): Said {
  const { home } = locale.words;
  const said = home.tiles.tunnel;
  const settings: Mend = { to: "settings", section: "tunnel" };
  switch (tunnel.state) {
    case "off":
      return address.kind !== "local"
        ? { severity: "off", state: said.notNeeded }
        : { severity: "off", state: said.off, mend: { label: said.setUp, by: settings } };
    case "starting":
      return { severity: "warn", state: said.starting };
    case "checking":
      return { severity: "warn", state: said.checking };
    case "up":
      return { severity: "good", state: said.up(at(locale, tunnel.since, now)) };
    case "waiting":
      return {
        severity: "warn",
        state: said.waiting(at(locale, tunnel.nextTry, now)),
        detail: tunnel.why,
        mend: { label: home.tryNow, by: "try_now" },
      };
    case "missing":
      if (tunnel.why !== null)
        return {
          severity: "bad",
          state: said.cannotStart,
          detail: tunnel.why,
          mend: { label: home.lookAtIt, by: settings },
        };
      return {
        severity: "bad",
        state: said.missing(tunnel.program),
        detail: tunnel.install ?? undefined,
        mend: tunnel.installable
          ? { label: locale.words.install.it, by: "install" }
          : tunnel.install === null
            ? { label: home.lookAtIt, by: settings }
            : { label: said.copyInstall, by: "copy_install_line" },
      };
    case "stopped":
      return {
        severity: "bad",
        state: said.stopped,
        detail: tunnel.why,
        mend: { label: home.tryNow, by: "try_now" },
      };
  }
}

/** Alerts of the watched folders. */
function needed({ watching }: Home, { words }: Locale) {
  const said = words.home.tiles.watching;
  const { folders, waiting, setAside, trouble } = watching;
  const lookAtIt = words.home.lookAtIt;
  const missing = folders.filter(({ state }) => state === "missing");
  const folder: Said | null =
    missing.length === 0
      ? null
      : {
          severity: "warn",
          state: said.missing(missing.length),
          detail: missing.map(({ folder }) => folder).join(", "),
          mend: { label: lookAtIt, by: { to: "settings", section: "watch" } },
        };
  const upload_queue: Said | null =
    trouble === null
      ? null
      : {
          severity: "warn",
          state: said.waiting(waiting),
          detail: trouble,
          mend: { label: words.home.tryNow, by: "try_now" },
        };
  const aside: Said | null =
    setAside === 0
      ? null
      : {
          severity: "warn",
          state: said.setAside(setAside),
          mend: { label: lookAtIt, by: { to: "images", section: "queue" } },
        };
  return { folder, upload_queue, aside };
}

/** The watched folders: alerts first, then activity. */
export function watching(home: Home, locale: Locale): Said {
  const { words } = locale;
  const said = words.home.tiles.watching;
  const { folders, waiting, underWay, paused } = home.watching;
  const settings: Mend = { to: "settings", section: "watch" };
  const { folder, upload_queue, aside } = needed(home, locale);
  const grave = folder ?? upload_queue;
  if (grave !== null) return grave;
  if (paused && folders.length > 0)
    return {
      severity: "off",
      state: said.paused,
      mend: { label: words.home.resume, by: "resume_watching" },
    };
  if (aside !== null) return aside;
  if (folders.length === 0)
    return { severity: "off", state: said.none, mend: { label: said.choose, by: settings } };
  const [first] = underWay;
  if (first !== undefined)
    return { severity: "good", state: said.adding(first, underWay.length - 1 + waiting) };
  if (waiting > 0) return { severity: "good", state: said.waiting(waiting) };
  return {
    severity: "good",
    state: said.watched,
    detail: folders.map((one) => one.folder).join(", "),
  };
}

/** Alerts of the watched folders that do not fit into their tile. */
export function besides(home: Home, locale: Locale): Said[] {
  const { state } = watching(home, locale);
  return Object.values(needed(home, locale)).filter(
    (said): said is Said => said !== null && said.state !== state,
  );
}

/** The owner's game. */
export function game({ game }: Home, { words }: Locale): Said {
  const said = words.home.tiles.game;
  const place: Mend = { to: "game", section: null };
  if (game.hidden !== null) return { severity: "off", state: said.hidden[game.hidden] };
  if (game.game !== null) return { severity: "good", state: said.playing(game.game) };
  if (game.trouble !== null)
    return {
      severity: "warn",
      state: said.unknown,
      detail: game.trouble,
      mend: { label: words.home.lookAtIt, by: place },
    };
  if (game.source === null)
    return { severity: "off", state: said.notSetUp, mend: { label: said.setUp, by: place } };
  return { severity: "off", state: game.status === "离线" ? said.offline : said.notPlaying };
}
