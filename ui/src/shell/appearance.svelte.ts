// The theme and the language of the window, as the settings have them.

import { hear } from "../api/hearing";
import type { Native } from "../api/interface";
import type { Appearance } from "../api/types";
import { sentence } from "../notice.svelte";
import { speak, type Tongue } from "../words/tongue";

/** The colours, put on the root of the page: `data-theme`, or what the system asks for. */
export function paint(theme: string) {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;
}

/** The language that this says. */
export const tongueOf = ({ language, systemLanguage }: Appearance) =>
  speak(language === "system" ? systemLanguage : language);

/** How the window looks and speaks. */
export class Looks {
  tongue: Tongue;
  /** Why it could not be read the last time, if so. */
  trouble = $state<string | null>(null);
  readonly #native: Native;

  constructor(native: Native, first: Appearance) {
    this.#native = native;
    this.tongue = $state.raw(tongueOf(first));
    this.#show(first);
  }

  /** Follows the settings; returns what ends that. */
  follow(): () => void {
    return hear(this.#native, "settings-changed", () => void this.#read()).end;
  }

  async #read() {
    try {
      this.#show(await this.#native.settings.appearance());
      this.trouble = null;
    } catch (thrown) {
      this.trouble = sentence(thrown);
    }
  }

  #show(appearance: Appearance) {
    paint(appearance.theme);
    const tongue = tongueOf(appearance);
    // The same language again must not make the window anew.
    if (tongue.locale !== this.tongue.locale) this.tongue = tongue;
    document.documentElement.lang = tongue.locale;
  }
}
