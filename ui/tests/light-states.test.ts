// One table defines what window, tray and blog show in each state of the presence, so
// that they match; the test of the tray reads the same table.

import { readFileSync } from "node:fs";
import { screen, within } from "@testing-library/svelte";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Light, Sharing } from "../src/api/types";
import { lit, scenes } from "../src/testing/scenes/home";
import "../../edge/widget.js";
import { open } from "./window";

interface State {
  says: string;
  sharing: Sharing;
  light: Pick<Light, "alive" | "online" | "application" | "introduce" | "rgba">;
  chip: string;
  /** The colour of the lamp in the window and in the tray; `null` for unlit. */
  lamp: string | null;
  /** What a reader of the blog sees; the colour is `null` for grey. */
  readers: { name: string; line: string; colour: string | null };
}

const states: State[] = JSON.parse(readFileSync("../src-tauri/light-states.json", "utf8"));

afterEach(() => vi.unstubAllGlobals());

describe.for(states)("$says", (state) => {
  test("is shown in the window", async () => {
    const preview = state.sharing === "on" ? scenes.good.home.presence.preview : null;
    const home = {
      ...lit,
      sharing: state.sharing,
      light: { ...lit.light, ...state.light },
      presence: { ...lit.presence, preview },
    };
    const { container } = await open({ home, uploads: [] });
    const card = within(container.querySelector<HTMLElement>(".light") as HTMLElement);
    expect(card.getAllByRole("status")[0]?.textContent?.trim()).toBe(state.chip);
    const lamp = state.lamp === null ? "An unlit porch lamp" : "A lit porch lamp";
    expect(card.getByRole("img", { name: lamp })).toBeTruthy();
    const bulb = state.lamp === null ? "The light is off" : "The light is on";
    expect(screen.getByRole("img", { name: bulb })).toBeTruthy();

    const { name, line, colour } = state.readers;
    const seen = card.getByRole("figure");
    expect(seen.querySelector(".name")?.textContent?.trim()).toBe(name);
    expect(seen.querySelector(".introduce")?.textContent ?? "").toBe(line);
    expect(seen.classList.contains("lit")).toBe(colour !== null);
  });

  test("is shown on a blog with the custom element", async () => {
    const { alive, online, application, introduce, rgba } = state.light;
    const check = { alive, application, introduce, rgba, applicationOnline: online };
    vi.stubGlobal("WebSocket", undefined);
    vi.stubGlobal("fetch", async () => new Response(JSON.stringify(check)));
    document.body.innerHTML = '<porch-light src="https://light.example" lang="en"></porch-light>';
    const place = document.querySelector("porch-light") as HTMLElement;
    await vi.waitFor(() => expect(place.hidden).toBe(false));
    const { name, line, colour } = state.readers;
    const part = (name: string) => place.shadowRoot?.querySelector(`[part=${name}]`)?.textContent;
    expect([part("name"), part("text")]).toEqual([name, line]);
    expect(place.getAttribute("state") === "online").toBe(colour !== null);
    // Without a colour of its own, it has the default one.
    if (rgba !== "" && colour !== null)
      expect(place.style.getPropertyValue("--rgba").replace(/[a-z() ]/g, "")).toBe(colour);
  });
});
