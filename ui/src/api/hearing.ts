// How the page hears of what changes, and of not being able to hear.

import { sentence } from "../notice.svelte";
import type { Native, Told, Unlisten } from "./interface";

/** What is heard from now on, or would have been. */
export interface Hearing {
  /** Whether it has begun, once that is known; never rejects. */
  begun: Promise<boolean>;
  /** Ends it, also before it has begun. */
  end: Unlisten;
}

const deaf = new WeakMap<Native, (why: string) => void>();

/** Whom to tell why what changes cannot be heard. */
export function whenDeaf(native: Native, tell: (why: string) => void) {
  deaf.set(native, tell);
}

/** Calls `listener` whenever the process says this. */
export function hear<Topic extends keyof Told>(
  native: Native,
  topic: Topic,
  listener: (told: Told[Topic]) => void,
): Hearing {
  const listening = native.on(topic, listener);
  const begun = listening.then(
    () => true,
    (thrown) => {
      deaf.get(native)?.(sentence(thrown));
      return false;
    },
  );
  const end = () =>
    void listening.then(
      (unlisten) => unlisten(),
      // One that never began has nothing to end; of that was told above.
      () => undefined,
    );
  return { begun, end };
}
