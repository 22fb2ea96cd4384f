// The one line that the window says about what was just done.

const SHOWN_MS = 4_000;

/** What is said: that something worked, or what did not. */
export interface Notice {
  kind: "done" | "trouble";
  text: string;
  /** Whether it stays when something else works. */
  stays?: boolean;
}

/** A sentence for whatever was thrown. */
export function sentence(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Runs what the owner asks for and says how it went. */
export class Notices {
  current = $state.raw<Notice | null>(null);
  /** Dialogs that lie over the window; what is said is said in them. */
  dialogs = $state(0);
  #fading: ReturnType<typeof setTimeout> | undefined;

  /** Awaits `action`; says `done` when it worked, and why when it did not. */
  async run(action: () => Promise<unknown>, done?: string): Promise<boolean> {
    try {
      await action();
    } catch (thrown) {
      this.#say({ kind: "trouble", text: sentence(thrown) });
      return false;
    }
    if (done !== undefined) this.#say({ kind: "done", text: done });
    else if (this.current?.kind === "trouble" && !this.current.stays) this.close();
    return true;
  }

  /** Says what went wrong that nobody waited for. */
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
    // Trouble stays until it was seen.
    if (notice.kind === "done") this.#fading = setTimeout(() => this.close(), SHOWN_MS);
  }
}
