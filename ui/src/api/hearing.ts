// Subscribes to events, and reports when that fails.

import { reason } from "../notice.svelte";
import type { Events, Native, Reason, Unlisten } from "./interface";

/** A subscription, even one that failed. */
export interface Hearing {
  /** Resolves to whether it was established; never rejects. */
  begun: Promise<boolean>;
  /** Ends it, also before it has begun. */
  end: Unlisten;
}

const deaf = new WeakMap<Native, (why: Reason) => void>();

/** Sets the callback for failed subscriptions. */
export function onListenError(native: Native, tell: (why: Reason) => void) {
  deaf.set(native, tell);
}

/** Calls `listener` on every event of this topic. */
export function hear<Topic extends keyof Events>(
  native: Native,
  topic: Topic,
  listener: (told: Events[Topic]) => void,
): Hearing {
  const listening = native.on(topic, listener);
  const begun = listening.then(
    () => true,
    (thrown) => {
      deaf.get(native)?.(reason(thrown));
      return false;
    },
  );
  const end = () =>
    void listening.then(
      (unlisten) => unlisten(),
      // One that failed has nothing to end; that was reported above.
      () => undefined,
    );
  return { begun, end };
}
