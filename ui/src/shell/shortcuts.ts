// Global keyboard shortcuts.

import type { PlaceName } from "../api/interface";
import { places } from "./places";

/** The action of a shortcut. */
export type ShortcutAction = { to: PlaceName } | "add" | "paste" | "undo" | "palette" | "help";

/** Whether this element takes text input. */
export function takesText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement &&
        !["checkbox", "radio", "button"].includes(target.type)))
  );
}

/** The action of a key; `null` when it is no shortcut. */
export function shortcutAction(event: KeyboardEvent): ShortcutAction | null {
  if (event.altKey || event.isComposing || event.repeat) return null;
  const typing = takesText(event.target);
  if (!event.ctrlKey && !event.metaKey) return event.key === "?" && !typing ? "help" : null;
  // On some layouts the digit row types other characters, so the key code decides.
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1] ?? event.key;
  const place = places[Number(digit) - 1];
  if (place !== undefined) return { to: place };
  switch (event.key) {
    case ",":
      return { to: "settings" };
    case "/":
      return "help";
    case "o":
    case "O":
      return "add";
    case "k":
    case "K":
      return "palette";
    case "z":
    case "Z":
      return typing || event.shiftKey ? null : "undo";
    case "v":
    case "V":
      return typing ? null : "paste";
    default:
      return null;
  }
}
