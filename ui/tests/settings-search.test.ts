// Finding a setting.

import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { field, kept, open, row, text } from "./settings-place";

const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("the search", () => {
  test("finds settings by name, description and key, and they can be changed there", async () => {
    const { native, user } = await open(kept({}), "app");
    const find = screen.getByRole("textbox", { name: "Find a setting" });
    await user.keyboard("{Control>}f{/Control}");
    expect(document.activeElement).toBe(find);
    await user.type(find, "idle_sec");
    expect(text(row("presence.idle_seconds"))).toContain("Away after");
    expect(document.querySelectorAll("[data-setting]").length).toBe(1);
    await user.clear(find);
    await user.type(find, "computer name");
    await user.click(field("system.show_host"));
    expect(native.calls).toContain('updateSettings({"system.show_host":true})');
  });

  test("opens the tunnel group for kinds of tunnel", async () => {
    const { user } = await open(kept({}), "app");
    await user.type(screen.getByRole("textbox", { name: "Find a setting" }), "tunnel.kind");
    expect(document.querySelector("[data-setting]")).toBeNull();
    await user.click(button("Tunnel"));
    expect(screen.getByRole("radio", { name: "Cloudflare quick tunnel" })).toBeTruthy();
  });

  test("opens the group with the licence and the problem report", async () => {
    const { user } = await open(kept({}), "links");
    const find = screen.getByRole("textbox", { name: "Find a setting" });
    await user.type(find, "apache");
    expect(button("App")).toBeTruthy();
    await user.clear(find);
    await user.type(find, "report a problem");
    expect(screen.queryByRole("button", { name: "Backup & repair" })).toBeNull();
    await user.click(button("App"));
    expect(button("Copy diagnostics")).toBeTruthy();
  });

  test("opens items that are not settings, and shows that nothing matches", async () => {
    const { user } = await open(kept({}), "app");
    const find = screen.getByRole("textbox", { name: "Find a setting" });
    await user.type(find, "revoke");
    await user.click(button("Access tokens"));
    expect(screen.getByRole("heading", { name: "Access tokens" })).toBeTruthy();
    await user.type(find, "zeppelin");
    expect(text()).toContain("No settings found.");
    await user.keyboard("{Escape}");
    expect(screen.getByRole("heading", { name: "Access tokens" })).toBeTruthy();
  });
});
