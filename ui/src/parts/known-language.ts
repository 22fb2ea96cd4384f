// The language of the webview, where it is none: WebKit hands on the locale of
// the system, and where that is `C`, `Intl` throws. uPlot asks `Intl` for it as
// soon as it is loaded, so this is imported before it.

try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}

// Only for what it does.
export {};
