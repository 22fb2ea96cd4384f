// The snippet that owners paste into their blogs, on a test page.

import { readFileSync } from "node:fs";

const SNIPPET = readFileSync("../crates/app/src/integrations/snippet.html", "utf8");

/** Pastes it into an empty page and runs its script. */
export function paste(): HTMLElement {
  const whole = SNIPPET.replace("{address}", "https://light.example");
  const [html, rest] = whole.split("<script>");
  document.body.innerHTML = html ?? "";
  const script = (rest ?? "").split("</script>")[0] ?? "";
  new Function(script)();
  return document.getElementById("porchlight") as HTMLElement;
}

/** What a part of it says. */
export function text(place: HTMLElement, part: string): string {
  return place.querySelector(`[data-${part}]`)?.textContent ?? "";
}

/** The colour of its light, as it is written. */
export const light = (place: HTMLElement) =>
  (place.querySelector("[data-light]") as HTMLElement).style.color.replaceAll(" ", "");
