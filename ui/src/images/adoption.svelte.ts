// The adoption of a blog, which outlives its dialog.

import type { Adopted, BlogChoice, BlogFound, BlogPlan, Undone } from "../api/types";
import { singleton } from "../singleton.svelte";

/** How far it is: each of these is there once its step is done. */
export class Adoption {
  found = $state.raw<BlogFound | null>(null);
  choice = $state<BlogChoice>({ foreign: [], drafts: false, responsive: false });
  plan = $state.raw<BlogPlan | null>(null);
  report = $state.raw<Adopted | null>(null);
  undone = $state.raw<Undone | null>(null);
  busy = $state(false);

  /** Begins with this folder; without one, where it is chosen. */
  begin(found: BlogFound | null) {
    Object.assign(this, { found, plan: null, report: null, undone: null });
    this.choice = { foreign: [], drafts: false, responsive: false };
  }
}

/** The one of this window. */
export const adoptionOf = singleton(() => new Adoption());
