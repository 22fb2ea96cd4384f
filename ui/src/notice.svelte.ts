// The notice line: the result of the last action.

import { type Reason, Trouble } from "./api/interface";

const SHOWN_MS = 4_000;
/** Enough time to read it and to press Undo. */
const SHOWN_WITH_UNDO_MS = 10_000;

/** Undoes an action. */
export type Undo = () => Promise<unknown>;

/** A notice: a success or an error. */
export interface Notice {
  kind: "done" | "trouble";
  text: Reason;
  /** Whether it stays when something else works. */
  stays?: boolean;
  /** Undoes the action, if that is possible. */
  undo?: Undo | undefined;
}

/** The reason in any thrown value. */
export function reason(thrown: unknown): Reason {
  if (thrown instanceof Trouble) return thrown.why;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Runs actions and shows their results. */
export class Notices {
  current = $state.raw<Notice | null>(null);
  /** Open dialogs; the topmost one shows the notice. */
  dialogs = $state(0);
  #fading: ReturnType<typeof setTimeout> | undefined;
  readonly #held = new Set<"pointer" | "focus">();

  /** Awaits `action`; shows `done` on success, with its undo, and the reason on failure. */
  async run(action: () => Promise<unknown>, done?: string, undo?: Undo): Promise<boolean> {
    try {
      await action();
    } catch (thrown) {
      this.#show({ kind: "trouble", text: reason(thrown) });
      return false;
    }
    if (done !== undefined) this.#show({ kind: "done", text: done, undo });
    else if (this.current?.stays !== true) {
      // The error is resolved, and the undo no longer belongs to the last action.
      const { kind, undo: last } = this.current ?? {};
      if (kind === "trouble" || last !== undefined) this.close();
    }
    return true;
  }

  /** Undoes the action of the notice, if that is possible. */
  async undo() {
    const undo = this.current?.undo;
    if (undo === undefined) return;
    this.close();
    await this.run(undo);
  }

  /** Shows a success that no action is waiting for, with its undo. */
  done(text: string, undo?: Undo) {
    this.#show({ kind: "done", text, undo });
  }

  /** Shows an error that no action is waiting for. */
  trouble(text: string) {
    this.#show({ kind: "trouble", text, stays: true });
  }

  /** Closes the notice. */
  close() {
    clearTimeout(this.#fading);
    this.#held.clear();
    this.current = null;
  }

  /** Keeps the notice while the pointer or the focus is on it. */
  hold(by: "pointer" | "focus", held: boolean) {
    if (held) this.#held.add(by);
    else this.#held.delete(by);
    this.#fade();
  }

  #show(notice: Notice) {
    this.current = notice;
    // A focused button of the previous notice is gone.
    this.#held.delete("focus");
    this.#fade();
  }

  #fade() {
    clearTimeout(this.#fading);
    const notice = this.current;
    // Errors stay until dismissed.
    if (notice?.kind !== "done" || this.#held.size > 0) return;
    const shown = notice.undo === undefined ? SHOWN_MS : SHOWN_WITH_UNDO_MS;
    this.#fading = setTimeout(() => this.close(), shown);
  }
}
