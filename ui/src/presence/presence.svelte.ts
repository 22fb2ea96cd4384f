// What the page "presence" shows, kept current while it is shown.

import type { Native } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { PresencePage, PresencePeriod } from "../api/types";
import { midnight } from "../days";
import { Reading } from "../reading.svelte";
import { visibleInterval } from "../visible-interval";
import { draftOf, type RulesDraft } from "./rules-draft.svelte";

const REFRESH_MS = 10_000;
const DAYS = 7;

/** The page's state. */
export class PresenceState {
  readonly page: Reading<PresencePage>;
  /** The past seven days, today among them. */
  readonly history: Reading<PresencePeriod[]>;
  readonly draft: RulesDraft;

  constructor(private readonly native: Native) {
    this.page = new Reading(() => native.presence());
    this.history = new Reading(() => {
      const now = Date.now();
      return native.presenceHistory(midnight(now, 1 - DAYS), now);
    });
    this.draft = draftOf(native);
  }

  /** Reads everything, and again on changes; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.native, "presence-changed", () => void this.#readPage());
    // Settings hold rules, too.
    const settings = subscribe(this.native, "settings-changed", () => void this.#readPage());
    // The history grows with time.
    const rest = visibleInterval(REFRESH_MS, () => void this.history.read());
    void this.#readPage();
    void this.history.read();
    return () => {
      rest();
      this.draft.rest();
      subscription.end();
      settings.end();
    };
  }

  /** Reads everything once more. */
  again() {
    void this.#readPage();
    void this.history.read();
  }

  async #readPage() {
    await this.page.read();
    if (this.page.value === null) return;
    this.draft.take(this.page.value.rules);
    await this.draft.check();
  }
}
