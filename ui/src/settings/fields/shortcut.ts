// Pressed keys in the format of the setting.

/** Keys whose names differ in the setting. */
const named: Record<string, string> = {
  Minus: "-",
  Equal: "=",
  Comma: ",",
  Period: ".",
  Slash: "/",
};

/** `Ctrl+Alt+U` and the like; `null` without a modifier and another key. */
export function shortcut(
  event: Pick<KeyboardEvent, "code" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">,
): string | null {
  // The physical key, not its character: Alt changes the character.
  const key =
    /^Key([A-Z])$/.exec(event.code)?.[1] ??
    /^Digit(\d)$/.exec(event.code)?.[1] ??
    /^F\d{1,2}$/.exec(event.code)?.[0] ??
    named[event.code] ??
    (/^(Space|Insert|Home|End|PageUp|PageDown|Pause|PrintScreen)$/.test(event.code)
      ? event.code
      : null);
  if (key === null) return null;
  const held = [
    event.ctrlKey && "Ctrl",
    event.altKey && "Alt",
    event.shiftKey && "Shift",
    event.metaKey && "Super",
  ].filter((one) => one !== false);
  const bare = held.length === 0 || (held.length === 1 && held[0] === "Shift");
  if (bare && !/^F\d|^P(ause|rint)/.test(key)) return null;
  return [...held, key].join("+");
}
