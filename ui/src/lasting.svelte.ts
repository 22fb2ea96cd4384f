// What is one for the window, and outlives the places that show it.

import type { Native } from "./api/interface";

/** The one of its kind for each process, made when it is first asked for. */
export function lasting<T>(make: (native: Native) => T): (native: Native) => T {
  const made = new WeakMap<Native, T>();
  return (native) => {
    const known = made.get(native);
    if (known !== undefined) return known;
    let one: T | undefined;
    // What is derived belongs to what it was made in, and is never derived anew after
    // that is gone: it may not belong to the component that happened to ask first.
    $effect.root(() => {
      one = make(native);
    });
    const fresh = one as T;
    made.set(native, fresh);
    return fresh;
  };
}
