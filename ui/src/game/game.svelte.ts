// What the place "game" shows, kept current while it is shown, and what can be set there.

import { hear } from "../api/hearing";
import type { Native, Reason } from "../api/interface";
import type { GamePage, GameTrials, SettingValue } from "../api/types";
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

// As the API has it for games that cost nothing.
const FREE = "免费";

/** A field of the answer, empty where it has none; `free` is what a game of no cost is called. */
export function fieldOf({ answer }: GamePage, wanted: string, free: string): string {
  const value = answer.find(({ name }) => name === wanted)?.value ?? "";
  return value === FREE ? free : value;
}

/** The place's state. */
export class GameState {
  readonly page: Reading<GamePage>;
  /** Whether being offline is shown on the blog; `null` until it is known. */
  readonly offline: Reading<boolean>;
  /** The results of the test; `null` before it ran. */
  trials = $state.raw<GameTrials | null>(null);
  testing = $state(false);
  /** What is wrong with what was typed or switched last, by its setting. */
  problems = $state.raw<Partial<Record<GameKey, Reason>>>({});

  readonly #native: Native;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(native: Native) {
    this.#native = native;
    this.page = new Reading(() => native.game.read());
    this.offline = new Reading(async () => {
      const { settings } = await native.settings.read();
      return settings.find(({ key }) => key === "game.report_offline")?.value === true;
    });
  }

  /** Reads everything, and again on changes; returns a function that stops it. */
  follow(): () => void {
    const home = hear(this.#native, "home-changed", () => void this.page.read());
    const settings = hear(this.#native, "settings-changed", () => this.again());
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

  /** Asks both sources now. */
  async test() {
    this.testing = true;
    try {
      this.trials = await this.#native.game.test();
    } finally {
      this.testing = false;
    }
    await this.page.read();
  }

  /** Checks a value while it is typed. Only the newest answer counts. */
  check(key: GameKey, value: SettingValue) {
    clearTimeout(this.#waiting);
    const asked = ++this.#asked;
    this.#waiting = setTimeout(async () => {
      let why: Reason | undefined;
      try {
        why = (await this.#native.settings.check({ [key]: value })).find(about(key))?.why;
      } catch (thrown) {
        why = reason(thrown);
      }
      if (asked === this.#asked) this.#say(key, why);
    }, TYPING_MS);
  }

  /** Writes a setting; whether it was accepted. */
  async write(key: GameKey, value: SettingValue): Promise<boolean> {
    clearTimeout(this.#waiting);
    this.#asked++;
    const problems = await this.#native.settings.update({ [key]: value });
    this.#say(key, problems.find(about(key))?.why);
    this.trials = null;
    if (problems.length === 0) this.again();
    return problems.length === 0;
  }

  #say(key: GameKey, why: Reason | undefined) {
    const { [key]: _, ...others } = this.problems;
    this.problems = why === undefined ? others : { ...others, [key]: why };
  }
}

// A problem without a key is about more than one setting, this one among them.
const about = (wanted: GameKey) => (problem: { key: string }) =>
  problem.key === wanted || problem.key === "";
