// What a key means, wherever the focus is.

import type { PlaceName } from "../api/interface";
import { places } from "./places";

/** What the owner wants by a key. */
export type Wish = { to: PlaceName } | "add" | "paste" | "help";

/** Whether what is typed goes into this. */
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

/** The wish of a key; `null` when it is not one of the window's. */
export function wish(event: KeyboardEvent): Wish | null {
  if (event.altKey || event.isComposing || event.repeat) return null;
  const typing = takesText(event.target);
  if (!event.ctrlKey && !event.metaKey) return event.key === "?" && !typing ? "help" : null;
  // The row of digits has other signs on some keyboards: the key counts there.
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
    case "v":
    case "V":
      return typing ? null : "paste";
    default:
      return null;
  }
}
