// A desktop that names no language has its webview call it "C". That is invalid for
// code that formats numbers while it is loaded, such as uPlot, so this is imported
// before everything else.

/** Whether numbers and times can be formatted in it. */
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
