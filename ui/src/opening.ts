// Puts the window on the page; or, where it cannot be drawn, says so.

import { type Component, mount } from "svelte";
import type { Native } from "./api/interface";
import type { Appearance } from "./api/types";
import { sentence } from "./notice.svelte";
import { tongueOf } from "./shell/appearance.svelte";
import NotDrawn from "./shell/NotDrawn.svelte";

/** The window, as `App.svelte` is one. */
export type Whole = Component<{ native: Native; appearance: Appearance }>;

/** Puts it there. */
export function open(App: Whole, native: Native, appearance: Appearance, target: HTMLElement) {
  try {
    mount(App, { target, props: { native, appearance } });
  } catch (thrown) {
    // Half of it may be there.
    target.replaceChildren();
    const tongue = tongueOf(appearance);
    mount(NotDrawn, { target, props: { tongue, why: sentence(thrown) } });
  }
}
