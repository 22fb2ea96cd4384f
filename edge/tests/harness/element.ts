// The custom element in a page without a browser, with a service and sockets that the test plays.

import { afterEach, beforeEach, vi } from "vitest";
import "../../widget.js";

export const NOW = new Date(2026, 0, 31, 23, 50).getTime();
export const SRC = "https://light.example";
export const LIVE = {
  alive: true,
  last_heartbeat: NOW / 1000 - 5,
  application: "Editor",
  introduce: "writing",
  rgba: "1,2,3,0.5",
  applicationOnline: true,
};

export const answers = new Map<string, () => Response | Promise<Response>>();
/** The addresses that were asked. */
export const asked: string[] = [];
/** How the last one was asked. */
export let init: RequestInit | undefined;
let isHidden = false;

/** Each test of the file has a clock of its own, a service that gives `answers`, and these sockets. */
export function prepare(sockets: unknown): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
    vi.spyOn(navigator, "language", "get").mockReturnValue("en-GB");
    vi.spyOn(document, "hidden", "get").mockImplementation(() => isHidden);
    vi.stubGlobal("WebSocket", sockets);
    vi.stubGlobal("fetch", async (url: string, asking?: RequestInit) => {
      asked.push(url);
      init = asking;
      const answer = answers.get(url);
      if (!answer) throw new TypeError("no service answers");
      return answer();
    });
  });
  afterEach(() => {
    document.body.replaceChildren();
    answers.clear();
    asked.length = 0;
    isHidden = false;
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
}

export function answer(url: string, body: unknown, status = 200): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  answers.set(url, () => new Response(text, { status }));
}

/** Until everything that was asked is answered. */
export const settled = () => vi.advanceTimersByTimeAsync(0);

export function hide(value: boolean): void {
  isHidden = value;
  document.dispatchEvent(new Event("visibilitychange"));
}

export async function put(attributes: Record<string, string> = {}): Promise<HTMLElement> {
  const element = document.createElement("porch-light");
  for (const [name, value] of Object.entries({ src: SRC, ...attributes })) {
    element.setAttribute(name, value);
  }
  document.body.append(element);
  await settled();
  return element;
}

export function partOf(element: HTMLElement, name: string): HTMLElement {
  return element.shadowRoot?.querySelector(`[part="${name}"]`) as HTMLElement;
}

/** State, name and text, or null while it is hidden. */
export function shown(element: HTMLElement): (string | null)[] | null {
  if (element.hidden) return null;
  const part = (name: string) => partOf(element, name).textContent;
  return [element.getAttribute("state"), part("name"), part("text")];
}
