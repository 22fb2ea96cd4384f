// A desktop that names no language has its webview call it "C". That is none to
// whatever formats numbers by it, uPlot among others, as it is loaded; so this is
// imported before everything else.

/** Whether numbers and times can be written in it. */
function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

if (!isLanguage(navigator.language)) {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}

export {};
