// State that exists once per window and survives page changes.

import type { Native } from "./api/interface";

/** Creates one instance per backend, on first use. */
export function singleton<T>(make: (native: Native) => T): (native: Native) => T {
  const made = new WeakMap<Native, T>();
  return (native) => {
    const known = made.get(native);
    if (known !== undefined) return known;
    let one: T | undefined;
    // Derived state belongs to the effect root that created it and stops updating when
    // that is destroyed, so it must not belong to the component that asked first.
    $effect.root(() => {
      one = make(native);
    });
    const fresh = one as T;
    made.set(native, fresh);
    return fresh;
  };
}
