// A canvas that draws nothing and records the colours, since happy-dom has none.

import { afterEach, beforeEach, vi } from "vitest";

/** The colours of fills and strokes, in order. */
export const colours: unknown[] = [];

/** Installs it for every test of a file. */
export function fakeCanvas(width = 800) {
  beforeEach(() => {
    colours.length = 0;
    const known: Record<string, unknown> = {};
    const context = new Proxy(known, {
      get: (_, name) => {
        if (name === "measureText") return (text: string) => ({ width: text.length * 7 });
        if (name === "createPattern") return () => ({ pattern: true });
        return known[String(name)] ?? (() => undefined);
      },
      set: (_, name, value) => {
        if (name === "fillStyle" || name === "strokeStyle") colours.push(value);
        known[String(name)] = value;
        return true;
      },
    });
    vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as never);
    vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(width);
    const path = new Proxy({}, { get: () => () => undefined });
    vi.stubGlobal(
      "Path2D",
      class {
        constructor() {
          // biome-ignore lint/correctness/noConstructorReturn: a path that takes everything
          return path;
        }
      },
    );
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
}
