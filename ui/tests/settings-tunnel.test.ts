// The tunnel in the page "settings".

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { pageWith, scenes, settingsWith } from "../src/testing/scenes/settings";
import { detail } from "../src/testing/text";
import { open, row, text } from "./settings-place";

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const radio = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });
const updates = (asked: string[]) => asked.filter((one) => one.startsWith("updateSettings("));

/** The scene with these settings in the file. */
const having = (inFile: Parameters<typeof settingsWith>[0]) => ({
  ...scenes.full,
  settings: pageWith(settingsWith(inFile)),
});

describe("the tunnel", () => {
  test("shows its state and only the settings of its kind", async () => {
    const { unmount } = await open("full", "tunnel");
    expect(text()).toContain("Connected https://light.example.org 42 ms round trip");
    expect(radio("Cloudflare named tunnel").checked).toBe(true);
    expect(row("tunnel.hostname")).toBeTruthy();
    expect(document.querySelector('[data-setting="tunnel.ssh_host"]')).toBeNull();
    unmount();
    await open("store", "tunnel");
    expect(text()).toContain("bore: could not connect to bore.pub:7835");
    expect(radio("bore").checked).toBe(true);
    expect(document.querySelector('[data-setting="tunnel.command"]')).toBeNull();
    expect(document.querySelector('[data-setting="tunnel.hostname"]')).toBeNull();
  });

  test("of Cloudflare with a name does not start without the name", async () => {
    const { native, user } = await open(having({}), "tunnel");
    await user.click(radio("Cloudflare named tunnel"));
    expect(updates(native.calls)).toEqual([]);
    expect(text()).toContain("Starts when you’ve filled in the fields below.");
    native.answer({
      updateSettings: (changes: object) =>
        "tunnel.kind" in changes && !("tunnel.port" in changes)
          ? [{ key: "tunnel.port", why: detail("a named tunnel needs `tunnel.port`") }]
          : [],
    });
    const name = within(row("tunnel.hostname")).getByRole("textbox");
    await user.type(name, "light.example.org{Enter}");
    await vi.waitFor(() => expect(text(row("tunnel.hostname"))).toContain("Saved"));
    const port = within(row("tunnel.port")).getByRole("textbox");
    await user.clear(port);
    await user.type(port, "4781{Enter}");
    expect(updates(native.calls).at(-1)).toBe(
      'updateSettings({"tunnel.kind":"cloudflared","tunnel.port":4781})',
    );
  });

  test("with a name becomes a quick tunnel only after a confirmation", async () => {
    const { native, user } = await open("full", "tunnel");
    await user.click(radio("Cloudflare quick tunnel"));
    expect(radio("Cloudflare named tunnel").checked).toBe(true);
    await user.click(button("Cancel"));
    expect(updates(native.calls)).toEqual([]);
    await user.click(radio("Cloudflare quick tunnel"));
    await user.click(button("Switch"));
    expect(updates(native.calls)).toEqual([
      'updateSettings({"tunnel.kind":"cloudflared","tunnel.cloudflared_token":null,"tunnel.hostname":null})',
    ]);
  });

  test("by a command shows who confirms it, and starts from a preset", async () => {
    const problem = { key: "tunnel.kind", why: detail("`tunnel.kind` needs `tunnel.command`") };
    const { native, user } = await open(having({}), "tunnel");
    native.answer({ updateSettings: [problem] });
    await user.click(radio("Another program"));
    await vi.waitFor(() => expect(text()).toContain("tunnel.kind needs tunnel.command."));
    expect(text()).toContain("asks you to confirm in a separate dialog.");
    native.answer({ updateSettings: [] });
    await user.click(radio("My own server (frp)"));
    // The user enters its address: the output of the program is not searched.
    expect(updates(native.calls).at(-1)).toBe(
      `updateSettings(${JSON.stringify({
        "tunnel.kind": "command",
        "tunnel.command": ["frpc", "-c", "/home/me/frpc.toml"],
        "tunnel.pattern": null,
        "tunnel.port": 4781,
      })})`,
    );
    native.answer({ updateSettings: [problem] });
    await user.click(radio("No tunnel"));
    await user.click(radio("Another program"));
    native.answer({ updateSettings: [] });
    await user.click(radio("bore"));
    expect(updates(native.calls).at(-1)).toBe(
      `updateSettings(${JSON.stringify({
        "tunnel.kind": "command",
        "tunnel.command": ["bore", "local", "{port}", "--to", "bore.pub"],
        "tunnel.pattern": "listening at ([^ ]+:[0-9]+)",
        "tunnel.public_url": null,
      })})`,
    );
  });

  test("of frp requires the address, which frp does not print", async () => {
    const kind = { key: "tunnel.kind", why: detail("`tunnel.kind` needs `tunnel.command`") };
    const address = {
      key: "tunnel.kind",
      why: detail(
        "`tunnel.command` needs `tunnel.pattern`, which finds the public address in what it prints, or `tunnel.public_url`",
      ),
    };
    const { native, user } = await open(having({}), "tunnel");
    native.answer({ updateSettings: [kind] });
    await user.click(radio("Another program"));
    await vi.waitFor(() => expect(text()).toContain("tunnel.kind needs tunnel.command."));
    native.answer({
      updateSettings: (changes) => ("tunnel.kind" in changes ? [address] : []),
    });
    await user.click(radio("My own server (frp)"));
    await vi.waitFor(() =>
      expect(text()).toContain("which finds the public address in what it prints"),
    );
    expect(text()).not.toContain("tunnel.kind needs tunnel.command.");
    native.answer({ updateSettings: [] });
    const url = within(row("tunnel.public_url")).getByRole("textbox");
    await user.type(url, "https://light.example.org{Enter}");
    expect(updates(native.calls).at(-1)).toBe(
      `updateSettings(${JSON.stringify({
        "tunnel.kind": "command",
        "tunnel.command": ["frpc", "-c", "/home/me/frpc.toml"],
        "tunnel.pattern": null,
        "tunnel.port": 4781,
        "tunnel.public_url": "https://light.example.org",
      })})`,
    );
  });

  test("of Tailscale is permanent once its address is entered", async () => {
    const funnel = {
      "tunnel.kind": "command",
      "tunnel.command": ["tailscale", "funnel", "{port}"],
      "tunnel.pattern": "(https://[a-z0-9.-]+\\.ts\\.net)",
    };
    const card = () => text(radio("Tailscale Funnel").closest("label") as HTMLElement);
    for (const [inFile, lasts] of [
      [{}, false],
      [{ "tunnel.public_url": "https://a.ts.net" }, false],
      [funnel, false],
      [{ ...funnel, "tunnel.public_url": "https://a.ts.net" }, true],
    ] as const) {
      const { unmount } = await open(having(inFile), "tunnel");
      expect(card().includes("Permanent"), JSON.stringify(inFile)).toBe(lasts);
      unmount();
    }
  });

  test("uses a chosen program file until the kind changes", async () => {
    const { native, user } = await open(
      having({ "tunnel.kind": "cloudflared", "tunnel.program": "/opt/cloudflared" }),
      "tunnel",
    );
    native.answer({ chooseFile: "/home/mia/tools/cloudflared", updateSettings: [] });
    const program = within(row("tunnel.program"));
    expect(program.getByRole<HTMLInputElement>("textbox").value).toBe("/opt/cloudflared");
    await user.click(program.getByRole("button", { name: "Choose… Tunnel program" }));
    expect(updates(native.calls)).toEqual([
      'updateSettings({"tunnel.program":"/home/mia/tools/cloudflared"})',
    ]);
    await user.click(radio("No tunnel"));
    expect(updates(native.calls).at(-1)).toBe(
      'updateSettings({"tunnel.kind":"none","tunnel.program":null})',
    );
  });

  test("has a command with one argument per line", async () => {
    const { native, user } = await open("store", "tunnel");
    // A preset hides its command.
    await user.click(radio("Another program"));
    const words = within(row("tunnel.command")).getByRole<HTMLTextAreaElement>("textbox");
    expect(words.value).toBe("bore\nlocal\n{port}\n--to\nbore.pub");
    await user.clear(words);
    await user.type(words, "my tunnel{Enter}--door={{port}{Enter}");
    expect(words.value).toBe("my tunnel\n--door={port}\n");
    await user.tab();
    expect(updates(native.calls)).toEqual([
      'updateSettings({"tunnel.command":["my tunnel","--door={port}"]})',
    ]);
  });
});
