// The notice line: the result of the last action.

import { type Reason, Trouble } from "./api/interface";

const SHOWN_MS = 4_000;

/** A notice: a success or an error. */
export interface Notice {
  kind: "done" | "trouble";
  text: Reason;
  /** Whether it stays when something else works. */
  stays?: boolean;
}

/** What to say of any thrown value. */
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

  /** Awaits `action`; shows `done` on success and the reason on failure. */
  async run(action: () => Promise<unknown>, done?: string): Promise<boolean> {
    try {
      await action();
    } catch (thrown) {
      this.#say({ kind: "trouble", text: reason(thrown) });
      return false;
    }
    if (done !== undefined) this.done(done);
    else if (this.current?.kind === "trouble" && !this.current.stays) this.close();
    return true;
  }

  /** Shows a success that no action is waiting for. */
  done(text: string) {
    this.#say({ kind: "done", text });
  }

  /** Shows an error that no action is waiting for. */
  trouble(text: string) {
    this.#say({ kind: "trouble", text, stays: true });
  }

  /** Takes the line away. */
  close() {
    clearTimeout(this.#fading);
    this.current = null;
  }

  #say(notice: Notice) {
    clearTimeout(this.#fading);
    this.current = notice;
    // Errors stay until dismissed.
    if (notice.kind === "done") this.#fading = setTimeout(() => this.close(), SHOWN_MS);
  }
}
