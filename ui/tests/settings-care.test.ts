// Watched folders, the tunnel, tokens, editors, and the care of the data folder in the place "settings".

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { CareGlance, Work, WorkReport } from "../src/api/types";
import { pageWith, scenes, settingsWith } from "../src/testing/scenes/settings";
import { open, row, text } from "./settings-place";

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const radio = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });
const updates = (asked: string[]) => asked.filter((one) => one.startsWith("settings.update"));

/** The scene with these settings in the file. */
const having = (inFile: Parameters<typeof settingsWith>[0]) => ({
  ...scenes.full,
  settings: { ...scenes.full.settings, read: pageWith(settingsWith(inFile)) },
});

const report = (more: Partial<WorkReport>): WorkReport => ({
  kind: "check",
  good: 1_204,
  wrong: [],
  mended: 0,
  file: null,
  secrets: [],
  ...more,
});

describe("watched folders", () => {
  test("are paused and go on again", async () => {
    const { native, user } = await open("full", "folders");
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    expect(native.asked).toContain("home.pauseWatching(true)");
    native.answer("home", { read: scenes.paused.home.read });
    native.tell("home-changed", null);
    await user.click(await screen.findByRole("button", { name: "Resume" }));
    expect(native.asked).toContain("home.pauseWatching(false)");
  });

  test("that are none are not paused", async () => {
    await open("first", "folders");
    expect(screen.queryByRole("button", { name: "Pause" })).toBeNull();
  });
});

describe("the tunnel", () => {
  test("says how it stands, and shows only what its kind needs", async () => {
    const { unmount } = await open("full", "tunnel");
    expect(text()).toContain("Up https://light.example.org 42 ms from outside");
    expect(radio("Cloudflare, named").checked).toBe(true);
    expect(row("tunnel.hostname")).toBeTruthy();
    expect(document.querySelector('[data-setting="tunnel.ssh_host"]')).toBeNull();
    unmount();
    await open("store", "tunnel");
    expect(text()).toContain("bore: could not connect to bore.pub:7835");
    expect(radio("Another program").checked).toBe(true);
    expect(document.querySelector('[data-setting="tunnel.hostname"]')).toBeNull();
  });

  test("of Cloudflare with a name does not start without it", async () => {
    const { native, user } = await open(having({}), "tunnel");
    await user.click(radio("Cloudflare, named"));
    expect(updates(native.asked)).toEqual([]);
    expect(text()).toContain("It starts as soon as what it needs below is filled in.");
    native.answer("settings", {
      update: (changes: object) =>
        "tunnel.kind" in changes && !("tunnel.port" in changes)
          ? [{ key: "tunnel.port", why: "a named tunnel needs `tunnel.port`" }]
          : [],
    });
    const name = within(row("tunnel.hostname")).getByRole("textbox");
    await user.type(name, "light.example.org{Enter}");
    await vi.waitFor(() => expect(text(row("tunnel.hostname"))).toContain("Saved"));
    const port = within(row("tunnel.port")).getByRole("textbox");
    await user.clear(port);
    await user.type(port, "4781{Enter}");
    expect(updates(native.asked).at(-1)).toBe(
      'settings.update({"tunnel.kind":"cloudflared","tunnel.port":4781})',
    );
  });

  test("with a name becomes a quick one only after a question", async () => {
    const { native, user } = await open("full", "tunnel");
    await user.click(radio("Cloudflare, quick"));
    expect(radio("Cloudflare, named").checked).toBe(true);
    await user.click(button("Cancel"));
    expect(updates(native.asked)).toEqual([]);
    await user.click(radio("Cloudflare, quick"));
    await user.click(button("Forget them"));
    expect(updates(native.asked)).toEqual([
      'settings.update({"tunnel.kind":"cloudflared","tunnel.cloudflared_token":null,"tunnel.hostname":null})',
    ]);
  });

  test("by a command says who confirms it, and begins with a known one", async () => {
    const problem = { key: "tunnel.command", why: "`tunnel.command` is missing" };
    const { native, user } = await open(having({}), "tunnel");
    native.answer("settings", { update: [problem] });
    await user.click(radio("Another program"));
    await vi.waitFor(() => expect(text()).toContain(problem.why));
    expect(text()).toContain("This page cannot answer that for you.");
    native.answer("settings", { update: [] });
    await user.click(button("frp"));
    // Its address is where the owner says: what another one prints is not looked for.
    expect(updates(native.asked).at(-1)).toBe(
      `settings.update(${JSON.stringify({
        "tunnel.kind": "command",
        "tunnel.command": ["frpc", "-c", "/home/me/frpc.toml"],
        "tunnel.pattern": null,
        "tunnel.port": 4781,
      })})`,
    );
    native.answer("settings", { update: [problem] });
    await user.click(radio("No tunnel"));
    await user.click(radio("Another program"));
    native.answer("settings", { update: [] });
    await user.click(button("bore"));
    expect(updates(native.asked).at(-1)).toBe(
      `settings.update(${JSON.stringify({
        "tunnel.kind": "command",
        "tunnel.command": ["bore", "local", "{port}", "--to", "bore.pub"],
        "tunnel.pattern": "listening at ([^ ]+:[0-9]+)",
      })})`,
    );
  });

  test("of frp waits for the address that frp does not print", async () => {
    const kind = { key: "tunnel.kind", why: "`tunnel.kind` needs `tunnel.command`" };
    const address = {
      key: "tunnel.kind",
      why: "`tunnel.command` needs `tunnel.pattern`, which finds the public address in what it prints, or `tunnel.public_url`",
    };
    const { native, user } = await open(having({}), "tunnel");
    native.answer("settings", { update: [kind] });
    await user.click(radio("Another program"));
    await vi.waitFor(() => expect(text()).toContain(kind.why));
    native.answer("settings", {
      update: (changes) => ("tunnel.kind" in changes ? [address] : []),
    });
    await user.click(button("frp"));
    await vi.waitFor(() => expect(text()).toContain(address.why));
    expect(text()).not.toContain(kind.why);
    native.answer("settings", { update: [] });
    const url = within(row("tunnel.public_url")).getByRole("textbox");
    await user.type(url, "https://light.example.org{Enter}");
    expect(updates(native.asked).at(-1)).toBe(
      'settings.update({"tunnel.kind":"command","tunnel.public_url":"https://light.example.org"})',
    );
  });

  test("takes a program that is chosen, and forgets it with its kind", async () => {
    const { native, user } = await open(
      having({ "tunnel.kind": "cloudflared", "tunnel.program": "/opt/cloudflared" }),
      "tunnel",
    );
    native.answer("settings", { chooseFile: "/home/mia/tools/cloudflared", update: [] });
    const program = within(row("tunnel.program"));
    expect(program.getByRole<HTMLInputElement>("textbox").value).toBe("/opt/cloudflared");
    await user.click(program.getByRole("button", { name: "Choose… Its program" }));
    expect(updates(native.asked)).toEqual([
      'settings.update({"tunnel.program":"/home/mia/tools/cloudflared"})',
    ]);
    await user.click(radio("No tunnel"));
    expect(updates(native.asked).at(-1)).toBe(
      'settings.update({"tunnel.kind":"none","tunnel.program":null})',
    );
  });

  test("has a command that is typed word by word", async () => {
    const { native, user } = await open("store", "tunnel");
    const words = within(row("tunnel.command")).getByRole<HTMLTextAreaElement>("textbox");
    expect(words.value).toBe("bore\nlocal\n{port}\n--to\nbore.pub");
    await user.clear(words);
    await user.type(words, "my tunnel{Enter}--door={{port}{Enter}");
    expect(words.value).toBe("my tunnel\n--door={port}\n");
    await user.tab();
    expect(updates(native.asked)).toEqual([
      'settings.update({"tunnel.command":["my tunnel","--door={port}"]})',
    ]);
  });
});

describe("tokens", () => {
  test("have a name, a scope in words, and when they were made and used", async () => {
    await open("full", "tokens");
    const [, ...rows] = within(screen.getByRole("table")).getAllByRole("row");
    expect(rows.map((one) => [...one.children].slice(0, 4).map((cell) => text(cell)))).toEqual([
      ["手机", "Everything", "19 Nov 2026", "never"],
      ["Typora", "Upload", "17 Nov 2026", "2 hours ago"],
      ["heartbeat Porchlight’s own", "Heartbeat", "22 Aug 2026", "12 seconds ago"],
      ["admin Porchlight’s own", "Everything", "22 Aug 2026", "never"],
    ]);
    expect(text()).toContain("Porchlight’s own tokens are in the system’s keyring.");
  });

  test("are made with a name and a scope, and never shown", async () => {
    const { native, user } = await open("full", "tokens");
    await user.click(button("New token…"));
    const make = button("Make it and copy it") as HTMLButtonElement;
    expect(make.disabled).toBe(true);
    await user.type(screen.getByRole("textbox", { name: "Name" }), "phone");
    await user.click(radio("Upload"));
    await user.click(make);
    expect(native.asked).toContain('settings.newToken("phone", "upload")');
    await screen.findByText("It is on the clipboard, once: paste it now");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("are revoked after a question, the program's own not from here", async () => {
    const { native, user } = await open("full", "tokens");
    await user.click(button("Revoke “Typora”"));
    await user.click(button("Cancel"));
    expect(native.asked.some((one) => one.startsWith("settings.revokeToken"))).toBe(false);
    await user.click(button("Revoke “手机”"));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Revoke" }));
    expect(native.asked.some((one) => one.startsWith("settings.revokeToken"))).toBe(true);
    expect(screen.queryByRole("button", { name: "Revoke “admin”" })).toBeNull();
    const own = screen.getByRole("rowheader", { name: /admin/ }).closest("tr");
    expect(text(own as Element)).toContain("In use here");
  });
});

describe("editors", () => {
  test("are told where their file is, or that it is on the clipboard", async () => {
    const { native, user } = await open("full", "editors");
    native.answer("settings", { setUpEditor: { file: "/home/mira/up.sxcu", token: "ShareX" } });
    await user.click(button("Set up ShareX"));
    await screen.findByText("Saved as /home/mira/up.sxcu, with the token “ShareX”.");
    native.answer("settings", { setUpEditor: { file: null, token: "curl" } });
    await user.click(button("Set up curl"));
    await screen.findByText("It is on the clipboard, with the token “curl”: paste it now.");
    expect(native.asked).toContain('settings.setUpEditor("share_x")');
  });
});

describe("the care of the data folder", () => {
  test("shows how far it has come, lets nothing else begin, and reports", async () => {
    const { native, user } = await open("full", "care");
    let finish = (_: WorkReport) => {};
    native.answer("settings", {
      checkImages: () => new Promise<WorkReport>((resolve) => (finish = resolve)),
    });
    await user.click(button("Check all pictures"));
    expect(native.asked).toContain("settings.checkImages(false)");
    native.tell("work-changed", { kind: "check", done: 301, of: 1_206 });
    await screen.findByText("301 of 1,206");
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("25");
    expect((button("Save a backup…") as HTMLButtonElement).disabled).toBe(true);
    native.tell("work-changed", null);
    finish(report({ wrong: ["ab12….webp is damaged", "cd34….webp is missing"] }));
    await screen.findByText("1,204 pictures are as they should be. 2 things were found:");
    expect(text()).toContain("cd34….webp is missing");
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  test("shows work that another window began, and what comes of it", async () => {
    const work: Work = { kind: "backup", done: 3, of: 12 };
    const settings = { ...scenes.full.settings, care: { work, reports: [] } };
    const { native } = await open({ ...scenes.full, settings }, "care");
    await screen.findByText("3 of 12");
    expect((button("Check all pictures") as HTMLButtonElement).disabled).toBe(true);
    native.tell("work-changed", { ...work, done: 11 });
    await screen.findByText("11 of 12");
    const done = report({ kind: "backup", good: 12, file: "/home/mira/porch.tar" });
    native.answer("settings", { care: { work: null, reports: [done] } });
    native.tell("work-changed", null);
    await screen.findByText(/12 pictures saved in \/home\/mira\/porch\.tar\./);
    expect((button("Check all pictures") as HTMLButtonElement).disabled).toBe(false);
  });

  test("shows a repair, and a backup that is brought back, each in its row", async () => {
    const { native } = await open("full", "care");
    native.tell("work-changed", { kind: "repair", done: 1, of: 2 });
    await screen.findByText("Checking and mending");
    native.tell("work-changed", { kind: "restore", done: 1, of: 2 });
    await screen.findByText("Reading the backup");
    expect(screen.queryByText("Checking and mending")).toBeNull();
  });

  test("keeps what was told over what was asked for before", async () => {
    let answer = (_: CareGlance) => {};
    const care = () => new Promise<CareGlance>((resolve) => (answer = resolve));
    const settings = { ...scenes.full.settings, care };
    const { native } = await open({ ...scenes.full, settings }, "care");
    native.tell("work-changed", { kind: "check", done: 8, of: 9 });
    answer({ work: { kind: "check", done: 1, of: 9 }, reports: [] });
    await screen.findByText("8 of 9");
    expect(screen.queryByText("1 of 9")).toBeNull();
  });

  test("saves a backup with secrets only when it was asked to, and names them", async () => {
    const { native, user } = await open("full", "care");
    native.answer("settings", {
      backup: (withSecrets: boolean) =>
        report({
          kind: "backup",
          file: "/home/mira/porch.tar",
          secrets: withSecrets ? ["game.steam_api_key"] : [],
        }),
    });
    await user.click(button("Save a backup…"));
    await screen.findByText(/saved in \/home\/mira\/porch\.tar\. No secret is in it\./);
    await user.click(screen.getByRole("switch", { name: "With secrets" }));
    await user.click(button("Save a backup…"));
    await screen.findByText(/These secrets are in it: game\.steam_api_key\./);
    expect(native.asked.filter((one) => one.startsWith("settings.backup"))).toEqual([
      "settings.backup(false)",
      "settings.backup(true)",
    ]);
  });

  test("goes back to a backup only after a warning", async () => {
    const { native, user } = await open("full", "care");
    await user.click(button("Restore a backup…"));
    expect(text(screen.getByRole("dialog"))).toContain("is replaced by what is in it");
    expect(native.asked).not.toContain("settings.restore()");
    await user.click(button("Choose a backup…"));
    expect(native.asked).toContain("settings.restore()");
  });

  test("moves the pictures to where new ones go", async () => {
    const { native, user } = await open("store", "storage");
    native.answer("settings", { moveImages: report({ kind: "move", good: 1 }) });
    await user.click(button("Move to the object store"));
    expect(native.asked).toContain('settings.moveImages("s3")');
    await screen.findByText("1 picture moved.");
  });

  test("copies what a report of trouble needs", async () => {
    const { native, user } = await open("full", "care");
    await user.click(button("Copy diagnostics"));
    expect(native.asked).toContain("settings.copyDiagnostics()");
    await screen.findByText("The report is on the clipboard");
  });
});

describe("the log", () => {
  const lines = () => within(screen.getByRole("listbox")).queryAllByRole("option");

  test("shows what is loud enough and has the wanted text", async () => {
    const { user } = await open("full", "care");
    await vi.waitFor(() => expect(lines().length).toBe(33));
    await user.selectOptions(screen.getByRole("combobox", { name: "How much" }), "ERROR");
    expect(lines().every((line) => text(line).includes("ERROR"))).toBe(true);
    await user.selectOptions(screen.getByRole("combobox", { name: "How much" }), "DEBUG");
    expect(lines().length).toBe(40);
    await user.type(screen.getByRole("textbox", { name: "Only lines with" }), "HEIC");
    expect(lines().length).toBe(7);
    await user.type(screen.getByRole("textbox", { name: "Only lines with" }), "!");
    expect(text()).toContain("No line fits.");
  });

  test("asks for a thousand lines at most, again when there are more and it is followed", async () => {
    const { native, user, unmount } = await open("full", "care");
    const asked = () => native.asked.filter((one) => one === "settings.log(1000)").length;
    expect(asked()).toBe(1);
    native.tell("log-changed", null);
    expect(asked()).toBe(2);
    const follow = screen.getByRole("switch", { name: "Follow" });
    await user.click(follow);
    expect(follow.getAttribute("aria-checked")).toBe("false");
    native.tell("log-changed", null);
    expect(asked()).toBe(2);
    await user.click(follow);
    expect(asked()).toBe(3);
    unmount();
    await vi.waitFor(() => expect(native.listeners).toBe(0));
    native.tell("log-changed", null);
    expect(asked()).toBe(3);
  });

  test("says when in the time of the owner's clock, with the day where that is another", async () => {
    const log = [
      { at: "2026-11-18T12:00:07.123456Z", level: "INFO", text: "yesterday" },
      { at: "2026-11-20T14:05:07.5Z", level: "INFO", text: "today" },
      { at: "", level: "INFO", text: "no time" },
    ];
    await open({ ...scenes.full, settings: { ...scenes.full.settings, log } }, "care");
    await vi.waitFor(() => expect(lines().length).toBe(3));
    const at = (n: number) => text(lines()[n]?.querySelector(".at") as Element);
    const clock = (moment: string) =>
      new Date(moment).toLocaleTimeString("en-GB", {
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      });
    expect(at(1)).toBe(clock("2026-11-20T14:05:07.5Z"));
    expect(at(0)).toBe(`18 Nov, ${clock("2026-11-18T12:00:07Z")}`);
    expect(at(2)).toBe("");
    expect(lines()[1]?.querySelector(".at")?.getAttribute("title")).toBe("2026-11-20T14:05:07.5Z");
  });

  test("has a line copied that was chosen by the keyboard", async () => {
    const { user } = await open("full", "care");
    await vi.waitFor(() => expect(lines().length).toBe(33));
    screen.getByRole("listbox").focus();
    await user.keyboard("{End}{ArrowUp}");
    expect(lines()[31]?.getAttribute("aria-selected")).toBe("true");
    await user.click(button("Copy the line"));
    await screen.findByText("The line is on the clipboard");
    expect(await navigator.clipboard.readText()).toBe(
      "2026-11-20T14:37:07Z INFO tunnel: up at https://light.example.org",
    );
  });
});
