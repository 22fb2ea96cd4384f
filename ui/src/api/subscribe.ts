// Subscribes to events, and reports when that fails.

import { reason } from "../notice.svelte";
import type { Events, Native, Reason, Unlisten } from "./interface";

/** A subscription, even one that failed. */
export interface Subscription {
  /** Resolves to whether it was established; never rejects. */
  ready: Promise<boolean>;
  /** Ends it, also before it is established. */
  end: Unlisten;
}

const errorHandlers = new WeakMap<Native, (why: Reason) => void>();

/** Sets the callback for failed subscriptions. */
export function onListenError(native: Native, handler: (why: Reason) => void) {
  errorHandlers.set(native, handler);
}

/** Calls `listener` on every event of this topic. */
export function subscribe<Topic extends keyof Events>(
  native: Native,
  topic: Topic,
  listener: (payload: Events[Topic]) => void,
): Subscription {
  const listening = native.on(topic, listener);
  const ready = listening.then(
    () => true,
    (thrown) => {
      errorHandlers.get(native)?.(reason(thrown));
      return false;
    },
  );
  const end = () =>
    void listening.then(
      (unlisten) => unlisten(),
      // One that failed has nothing to end; that was reported above.
      () => undefined,
    );
  return { ready, end };
}
