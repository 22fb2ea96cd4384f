// The edited rules. They survive going to another
// page, so nothing that was typed is lost.

import type { Native, Reason } from "../api/interface";
import type { Message, RuleProblem, RuleText, Trial } from "../api/types";
import { reason } from "../notice.svelte";
import { singleton } from "../singleton.svelte";

const TYPING_MS = 250;

/** A rule, with an id that keys the list. */
export interface DraftRule extends RuleText {
  id: number;
}

const empty: RuleText = {
  program: null,
  title: null,
  name: null,
  introduce: null,
  rgba: null,
  hide: false,
};

// An empty field means: not set.
const valueOrNull = (text: string | null) => (text === null || text === "" ? null : text);

/** A rule as it is sent. */
export function plain(rule: RuleText): RuleText {
  return {
    program: valueOrNull(rule.program),
    title: valueOrNull(rule.title),
    name: valueOrNull(rule.name),
    introduce: valueOrNull(rule.introduce),
    rgba: valueOrNull(rule.rgba),
    hide: rule.hide,
  };
}

/** The draft, its problems, and its test result. */
export class RulesDraft {
  rules = $state<DraftRule[]>([]);
  /** The result for the foreground app; `null` until it was tested. */
  trial = $state.raw<Trial | null>(null);
  /** Why the test failed, if it did. */
  trouble = $state<Reason | null>(null);
  /** The `id` of the rule that is being edited. */
  open = $state<number | null>(null);
  /** The problems found when saving. */
  #refused = $state.raw<RuleProblem[]>([]);
  #kept = $state.raw<RuleText[]>([]);
  #texts = $derived(this.rules.map(plain));
  /** Whether there is something to save. */
  changed = $derived(JSON.stringify(this.#texts) !== JSON.stringify(this.#kept));

  #nextId = 1;
  #lastRequest = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly native: Native) {}

  /** The problems of the rule at `index`. */
  problems(index: number): Message[] {
    return [...(this.trial?.problems ?? []), ...this.#refused]
      .filter(({ rule }) => rule === index)
      .map(({ why }) => why);
  }

  /** Takes the saved rules as the draft, unless there are edits. */
  take(kept: RuleText[]) {
    const edited = this.changed;
    if (JSON.stringify(kept.map(plain)) === JSON.stringify(this.#kept)) return;
    this.#kept = kept.map(plain);
    if (!edited) this.#startOver();
  }

  /** Adds a rule at the end, for one program or for any. */
  add(program: string | null = null) {
    const rule = this.#numbered({ ...empty, program });
    this.rules.push(rule);
    this.open = rule.id;
    this.touched();
  }

  /**
   * Writes into the rule that gives this name to readers; without one, into a new rule for `program`,
   * the app that has it. A new rule comes first, so that it is the one that counts.
   */
  write(application: string, part: Partial<RuleText>, program = application) {
    let index = this.rules.findIndex(({ name }) => name === application);
    if (index < 0) {
      index = 0;
      this.rules.unshift(this.#numbered({ ...empty, program }));
    }
    this.change(index, part);
    this.open = this.rules[index]?.id ?? null;
  }

  /** The own names of the app that readers know by this name; `null` where none is known. */
  programOf(application: string): Promise<string | null> {
    return this.native.programOf(application);
  }

  duplicate(index: number) {
    const rule = this.rules[index];
    if (rule === undefined) return;
    const twin = this.#numbered(plain(rule));
    this.rules.splice(index + 1, 0, twin);
    this.open = twin.id;
    this.touched();
  }

  remove(index: number) {
    const [gone] = this.rules.splice(index, 1);
    if (gone?.id === this.open) this.open = null;
    this.touched();
  }

  /** Moves a rule up (-1) or down (1); whether there was room. */
  move(index: number, by: -1 | 1): boolean {
    if (this.rules[index + by] === undefined) return false;
    const [rule] = this.rules.splice(index, 1);
    if (rule === undefined) return false;
    this.rules.splice(index + by, 0, rule);
    this.touched();
    return true;
  }

  /** Changes a rule. */
  change(index: number, part: Partial<RuleText>) {
    const rule = this.rules[index];
    if (rule === undefined) return;
    Object.assign(rule, part);
    this.touched();
  }

  /** Called while typing: tests after a pause. */
  touched() {
    this.#refused = [];
    // Pending answers are stale now.
    this.#lastRequest++;
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => void this.check(), TYPING_MS);
  }

  /** Tests the draft now. Only the newest answer counts. */
  async check() {
    clearTimeout(this.#waiting);
    const request = ++this.#lastRequest;
    try {
      const trial = await this.native.tryRules(this.#texts);
      if (request !== this.#lastRequest) return;
      this.trial = trial;
      this.trouble = null;
    } catch (thrown) {
      if (request === this.#lastRequest) this.trouble = reason(thrown);
    }
  }

  /** Writes the rules; whether they were accepted. */
  async save(): Promise<boolean> {
    const texts = this.#texts;
    const problems = await this.native.setRules(texts);
    this.#refused = problems;
    if (problems.length === 0) this.#kept = texts;
    else this.open = this.rules[problems[0]?.rule ?? 0]?.id ?? null;
    return problems.length === 0;
  }

  /** The rules as they were saved last. */
  get kept(): readonly RuleText[] {
    return this.#kept;
  }

  /** Whether the rules are saved as these, and not edited since. */
  is(rules: readonly RuleText[]): boolean {
    return !this.changed && JSON.stringify(this.#kept) === JSON.stringify(rules);
  }

  /** Restores earlier rules; whether they were accepted. */
  async restore(before: readonly RuleText[]): Promise<boolean> {
    this.rules = before.map((rule) => this.#numbered(rule));
    this.open = null;
    const saved = await this.save();
    this.touched();
    return saved;
  }

  /** Goes back to the saved rules. */
  discard() {
    this.#startOver();
    this.touched();
  }

  /** Cancels pending tests. The edits are kept. */
  rest() {
    clearTimeout(this.#waiting);
  }

  #startOver() {
    this.rules = this.#kept.map((rule) => this.#numbered(rule));
    this.#refused = [];
    this.open = null;
  }

  #numbered(rule: RuleText): DraftRule {
    return { ...rule, id: this.#nextId++ };
  }
}

/** The one draft of this window. */
export const draftOf = singleton((native) => new RulesDraft(native));
