// The theme and the language of the window, from the settings.

import type { Native, Reason } from "../api/interface";
import { subscribe } from "../api/subscribe";
import type { Appearance } from "../api/types";
import { reason } from "../notice.svelte";
import { createLocale, type Locale } from "../words/locale";

/** Sets `data-theme` on the root of the page, or removes it to follow the system. */
export function paint(theme: string) {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;
}

/** The locale for these settings. */
export const localeOf = ({ language, systemLanguage }: Appearance) =>
  createLocale(language === "system" ? systemLanguage : language);

/** The theme and locale of the window. */
export class WindowAppearance {
  locale: Locale;
  /** Why the last read failed, if it did. */
  trouble = $state<Reason | null>(null);

  constructor(
    private readonly native: Native,
    first: Appearance,
  ) {
    this.locale = $state.raw(localeOf(first));
    this.#show(first);
  }

  /** Follows the settings; returns a function that stops it. */
  follow(): () => void {
    return subscribe(this.native, "settings-changed", () => void this.#read()).end;
  }

  async #read() {
    try {
      this.#show(await this.native.appearance());
      this.trouble = null;
    } catch (thrown) {
      this.trouble = reason(thrown);
    }
  }

  #show(appearance: Appearance) {
    paint(appearance.theme);
    const locale = localeOf(appearance);
    // The same locale must not rebuild the window.
    if (locale.tag !== this.locale.tag) this.locale = locale;
    document.documentElement.lang = locale.tag;
  }
}
