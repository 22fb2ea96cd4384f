// Mounts the window; shows an error page if that fails.

import { type Component, mount } from "svelte";
import type { Native } from "./api/interface";
import type { Appearance } from "./api/types";
import { reason } from "./notice.svelte";
import { localeOf } from "./shell/appearance.svelte";
import NotDrawn from "./shell/NotDrawn.svelte";

/** The window, as `App.svelte` is one. */
export type Whole = Component<{ native: Native; appearance: Appearance }>;

/** Mounts it. */
export function open(App: Whole, native: Native, appearance: Appearance, target: HTMLElement) {
  try {
    mount(App, { target, props: { native, appearance } });
  } catch (thrown) {
    // A part of it may already be mounted.
    target.replaceChildren();
    const locale = localeOf(appearance);
    mount(NotDrawn, { target, props: { locale, why: reason(thrown) } });
  }
}
