// What the page "game" shows, kept current while it is shown, and what can be set there.

import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { GamePage, SettingValue } from "../api/types";
import { reason } from "../notice.svelte";
import { Reading } from "../reading.svelte";

const TYPING_MS = 250;

/** The settings of this place. */
export type GameKey =
  | "game.local_steam"
  | "game.steam_api_key"
  | "game.steam_id"
  | "game.report_offline";

/** Whether a source of the game is set up. */
export const isSetUp = ({ hasKey, steamId, asksClient, clientFolder }: GamePage) =>
  (hasKey && steamId !== null) || (asksClient && clientFolder !== null);

// The API's price of free games.
const FREE = "免费";

/** A field of the answer, empty if missing; `free` is the text for the price of a free game. */
export function fieldOf({ answer }: GamePage, wanted: string, free: string): string {
  const value = answer.find(({ name }) => name === wanted)?.value ?? "";
  return value === FREE ? free : value;
}

/** The page's state. */
export class GameState {
  readonly page: Reading<GamePage>;
  /** Whether being offline is shown on the blog; `null` until it is known. */
  readonly offline: Reading<boolean>;
  /** The problem of the last change of each setting. */
  problems = $state.raw<Partial<Record<GameKey, Reason>>>({});

  #waiting: ReturnType<typeof setTimeout> | undefined;
  #lastRequest = 0;

  constructor(private readonly native: Native) {
    this.page = new Reading(() => native.game());
    this.offline = new Reading(async () => {
      const { settings } = await native.settings();
      return settings.find(({ key }) => key === "game.report_offline")?.value === true;
    });
  }

  /** Reads everything, and again on changes; returns a function that stops it. */
  follow(): () => void {
    const home = subscribe(this.native, "home-changed", () => void this.page.read());
    const settings = subscribe(this.native, "settings-changed", () => this.again());
    this.again();
    return () => {
      clearTimeout(this.#waiting);
      home.end();
      settings.end();
    };
  }

  again() {
    void this.page.read();
    void this.offline.read();
  }

  /** Checks a value while it is typed. Only the newest answer counts. */
  check(key: GameKey, value: SettingValue) {
    clearTimeout(this.#waiting);
    const request = ++this.#lastRequest;
    this.#waiting = setTimeout(async () => {
      let why: Reason | undefined;
      try {
        why = (await this.native.checkSettings({ [key]: value })).find(about(key))?.why;
      } catch (thrown) {
        why = reason(thrown);
      }
      if (request === this.#lastRequest) this.#setProblem(key, why);
    }, TYPING_MS);
  }

  /** Writes a setting; whether it was accepted. */
  async write(key: GameKey, value: SettingValue): Promise<boolean> {
    clearTimeout(this.#waiting);
    this.#lastRequest++;
    const problems = await this.native.updateSettings({ [key]: value });
    this.#setProblem(key, problems.find(about(key))?.why);
    if (problems.length === 0) this.again();
    return problems.length === 0;
  }

  #setProblem(key: GameKey, why: Reason | undefined) {
    const { [key]: _, ...others } = this.problems;
    this.problems = why === undefined ? others : { ...others, [key]: why };
  }
}

// A problem without a key concerns several settings, including this one.
const about = (wanted: GameKey) => (problem: { key: string }) =>
  problem.key === wanted || problem.key === "";
