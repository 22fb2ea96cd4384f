// The state of the settings page and its drafts. Unsaved input survives a visit to
// another page.

import { createContext } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type {
  Setting,
  SettingProblem,
  SettingsPage,
  SettingValue,
  TokenGlance,
} from "../api/types";
import { reason } from "../notice.svelte";
import { singleton } from "../singleton.svelte";
import type { Group } from "./groups";
import { bundle } from "./table";

/** Delay between the last key and the check. */
const CHECK_AFTER_MS = 250;
/** How long "Saved" is shown. */
const SAVED_MS = 3_000;

/** A problem of a setting, found by the backend or by its field. */
interface Problem {
  key: string;
  why: Reason;
}

/** A value that is not written yet. */
export interface Draft {
  value: SettingValue;
  /** Its problems; empty while unknown. */
  problems: Problem[];
  /** Submitted but not writable yet; it is written with its bundle. */
  held: boolean;
  /** The page was left before it was submitted. */
  left?: true;
}

/** The settings and tokens of the place. */
export class SettingsState {
  /** `null` until it is loaded. */
  page = $state.raw<SettingsPage | null>(null);
  /** Why the last read failed, if it did. */
  trouble = $state<Reason | null>(null);
  tokens = $state.raw<TokenGlance[] | null>(null);
  /** A named tunnel was chosen; its name may still be missing. */
  wantsNamed = $state(false);
  /** The group that was open last. */
  group = $state<Group>("app");
  /** Values that are not written yet, by key. */
  readonly drafts = new SvelteMap<string, Draft>();
  /** The setting that was just written. */
  saved = $state<string | null>(null);
  readonly byKey = $derived(
    new Map(
      (this.page?.settings ?? []).map((setting): [string, Setting] => [setting.key, setting]),
    ),
  );

  /** The number of the last request about a key: older answers are stale. */
  readonly #requests = new Map<string, number>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #reading = 0;
  #fading: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly native: Native) {}

  /** Reads everything, and again on changes; returns a function that stops it. */
  follow(): () => void {
    const subscription = subscribe(this.native, "settings-changed", () => void this.read());
    void subscription.ready.then(() => this.read());
    for (const [key, draft] of this.drafts) {
      if (draft.held) continue;
      this.drafts.set(key, { ...draft, left: true });
      // It may not have been shown before the page was left.
      void this.#check(key);
    }
    return () => {
      for (const timer of [...this.#timers.values(), this.#fading]) clearTimeout(timer);
      this.saved = null;
      subscription.end();
    };
  }

  /** Reads settings and tokens. */
  async read() {
    this.#reading += 1;
    const nth = this.#reading;
    try {
      const [page, tokens] = await Promise.all([this.native.settings(), this.native.tokens()]);
      // A later read is newer.
      if (nth !== this.#reading) return;
      this.page = page;
      this.tokens = tokens;
      this.trouble = null;
    } catch (thrown) {
      if (nth === this.#reading) this.trouble = reason(thrown);
    }
  }

  /** The value shown for a setting: the draft, or what is saved. */
  value(key: string): SettingValue {
    const draft = this.drafts.get(key);
    if (draft === undefined) return this.written(key);
    // About to be unset: shown as its default.
    return draft.value === null && draft.held
      ? (this.byKey.get(key)?.default ?? null)
      : draft.value;
  }

  /** The saved value. */
  written(key: string): SettingValue {
    return this.byKey.get(key)?.value ?? null;
  }

  /** Whether it is fixed by the environment or the command line. */
  locked(key: string): boolean {
    const layer = this.byKey.get(key)?.layer;
    return layer === "environment" || layer === "command_line";
  }

  /** Called while typing: checks the value, writes nothing. */
  type(key: string, value: SettingValue) {
    this.#forget(key);
    const setting = this.byKey.get(key);
    if (setting !== undefined && !setting.secret && same(value, setting.value)) {
      this.drafts.delete(key);
      return;
    }
    const draft = this.drafts.get(key);
    this.drafts.set(key, { value, problems: draft?.problems ?? [], held: false });
    this.#timers.set(
      key,
      setTimeout(() => void this.#check(key), CHECK_AFTER_MS),
    );
  }

  /** Called while the typed text is not a valid value. */
  refuse(key: string, value: SettingValue, why: string) {
    this.#forget(key);
    this.drafts.set(key, { value, problems: [{ key, why }], held: false });
  }

  /** Holds a value back until the settings it depends on are filled in. */
  hold(key: string, value: SettingValue) {
    this.#forget(key);
    this.drafts.set(key, { value, problems: [], held: true });
  }

  /** Discards unsaved values. */
  discard(...keys: string[]) {
    for (const key of keys) {
      this.#forget(key);
      this.drafts.delete(key);
    }
  }

  /** Writes what was typed since the last submit; rejects if that fails. */
  async commit(key: string): Promise<void> {
    const draft = this.drafts.get(key);
    if (draft !== undefined && !draft.held) await this.set({ [key]: draft.value });
  }

  /**
   * Writes these changes, together with what was held back in their bundle;
   * whether they were accepted. Rejected ones stay, each with its problem.
   */
  async set(changes: Record<string, SettingValue>): Promise<boolean> {
    const keys = Object.keys(changes);
    for (const key of keys) this.#forget(key);
    const nths = keys.map((key): [string, number] => [key, this.#requests.get(key) ?? 0]);
    for (const key of keys) {
      const problems = this.drafts.get(key)?.problems ?? [];
      this.drafts.set(key, { value: changes[key] ?? null, problems, held: true });
    }
    const held = this.#held(keys);
    const together = { ...held, ...changes };
    let problems = await this.#update(together, keys);
    let written = together;
    if (problems.length > 0 && Object.keys(held).length > 0) {
      // A held-back value must not keep a valid one from being written.
      const alone = await this.#update(changes, keys);
      if (alone.length === 0) {
        // It may now depend on another setting than before.
        for (const key of Object.keys(held)) this.#waits(key, problems);
        [problems, written] = [alone, changes];
      }
    }
    if (problems.length > 0) {
      for (const [key, nth] of nths) {
        const draft = this.drafts.get(key);
        // The user may have continued typing.
        if (draft !== undefined && this.#requests.get(key) === nth)
          this.drafts.set(key, { ...draft, problems: about(problems, key), held: true });
      }
      return false;
    }
    await this.read();
    this.#showSaved(keys[0] ?? null);
    for (const key of Object.keys(written)) {
      const nth = nths.find(([one]) => one === key)?.[1];
      if (nth === undefined || this.#requests.get(key) === nth) this.drafts.delete(key);
    }
    return true;
  }

  /** Keeps a held-back value waiting, with these problems. */
  #waits(key: string, problems: SettingProblem[]) {
    const draft = this.drafts.get(key);
    if (draft?.held) this.drafts.set(key, { ...draft, problems: about(problems, key) });
  }

  async #update(changes: Record<string, SettingValue>, keys: string[]) {
    try {
      return await this.native.updateSettings(changes);
    } catch (thrown) {
      // Nothing was written, and a notice shows the reason: restore the state.
      this.discard(...keys);
      throw thrown;
    }
  }

  async #check(key: string) {
    const nth = this.#requests.get(key);
    const draft = this.drafts.get(key);
    if (draft === undefined) return;
    let problems: SettingProblem[];
    try {
      problems = await this.native.checkSettings({
        ...this.#held([key]),
        [key]: draft.value,
      });
    } catch {
      // The caller reports it.
      return;
    }
    // Stale: something else was typed or written since it was asked.
    if (this.#requests.get(key) !== nth || !this.drafts.has(key)) return;
    this.drafts.set(key, { ...draft, problems: problems.filter((one) => one.key === key) });
  }

  /** Values held back in the bundles of these keys, without the keys themselves. */
  #held(keys: string[]): Record<string, SettingValue> {
    const bundles = keys.map(bundle);
    const held = [...this.drafts].filter(
      ([key, draft]) => draft.held && !keys.includes(key) && bundles.includes(bundle(key)),
    );
    return Object.fromEntries(held.map(([key, { value }]) => [key, value]));
  }

  #showSaved(key: string | null) {
    clearTimeout(this.#fading);
    this.saved = key;
    this.#fading = setTimeout(() => {
      this.saved = null;
    }, SAVED_MS);
  }

  #forget(key: string) {
    clearTimeout(this.#timers.get(key));
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }
}

/** The one form of this window. */
export const formOf = singleton((native) => new SettingsState(native));

/** `getForm` must be called during component initialisation. */
export const [getForm, setForm] = createContext<SettingsState>();

/** Whether two values are the same setting. */
export function same(one: SettingValue, other: SettingValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The problems with a key: its own, or all where only others have some. */
function about(problems: SettingProblem[], key: string): SettingProblem[] {
  const own = problems.filter((problem) => problem.key === key);
  return own.length > 0 ? own : problems;
}
