import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { scenes as home, lit } from "../src/testing/scenes/home";
import { scenes as reach } from "../src/testing/scenes/reach";
import { pageWith } from "../src/testing/scenes/settings";
import { scenes } from "../src/testing/scenes/welcome";
import { detail, text as words } from "../src/testing/text";
import { changes, complete, split, type Written } from "../src/welcome/tunnel";
import { button, change, open, text } from "./window";

const heading = () => screen.getByRole("heading", { level: 1 }).textContent;

describe("the welcome", () => {
  test("is shown only at the first start", async () => {
    const { unmount } = await open(scenes.first);
    expect(heading()).toBe("Leave a light on for your readers");
    expect(screen.queryByRole("navigation", { name: "Pages" })).toBeNull();
    unmount();
    for (const scene of ["unasked", "off", "good"] as const) {
      const { unmount } = await open(home[scene]);
      expect(screen.getByRole("navigation", { name: "Pages" })).toBeTruthy();
      unmount();
    }
  });

  test("shares nothing before the answer, and previews what it would share", async () => {
    const { native } = await open(scenes.first);
    await screen.findAllByText("Zed");
    expect(text()).toContain("Window titles, such as “letter-to-anna.md”");
    expect(text()).toContain("Password managers");
    expect(native.calls.filter((one) => one.startsWith("share("))).toEqual([]);
  });

  test("does not name a private app", async () => {
    await open({
      ...scenes.first,
      tryRules: {
        foreground: { names: ["KeePassXC"], title: "" },
        rule: null,
        verdict: { told: "private" },
        problems: [],
      },
    });
    expect((await screen.findAllByText("Online")).length).toBe(1);
    expect(screen.getByText("Away")).toBeTruthy();
    expect(text()).not.toContain("KeePassXC");
  });

  test("accepts either answer and continues", async () => {
    for (const [name, asked] of [
      ["Share my status", "share(true)"],
      ["Not now", "share(false)"],
    ] as const) {
      const { native, user, unmount } = await open(scenes.first);
      await user.click(button(name));
      expect(native.calls).toContain(asked);
      await vi.waitFor(() => expect(heading()).toBe("Put it online"));
      expect(document.activeElement?.textContent).toBe("Put it online");
      unmount();
    }
  });

  test("can be skipped step by step, and steps can be reopened", async () => {
    const { native, user } = await open(scenes.first);
    for (const name of ["Not now", "Skip this step", "Skip this step"])
      await user.click(button(name));
    await vi.waitFor(() => expect(heading()).toBe("Ready on this computer"));
    await user.click(button("Back"));
    await user.click(button("Pictures"));
    expect(heading()).toBe("Pictures from a folder");
    const written = native.calls.filter((one) => /share|update/.test(one));
    expect(written).toEqual(["share(false)"]);
  });

  test("watches the chosen folder", async () => {
    const { native, user } = await open(scenes.first);
    for (const name of ["Not now", "Skip this step"]) await user.click(button(name));
    await user.click(button("Choose a folder…"));
    expect(native.calls).toContain('updateSettings({"watch.folders":["/home/mia/Pictures/blog"]})');
    await screen.findByText("/home/mia/Pictures/blog");
    expect(button("Next")).toBeTruthy();
  });

  test("shows the problem of a folder, and changes nothing if none is chosen", async () => {
    const { native, user } = await open(scenes.first);
    for (const name of ["Not now", "Skip this step"]) await user.click(button(name));
    native.answer({ chooseFolder: null });
    await user.click(button("Choose a folder…"));
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
    native.answer({
      chooseFolder: "/",
      updateSettings: () => [{ key: "watch.folders", why: words("The whole disk is too much.") }],
    });
    await user.click(button("Choose a folder…"));
    await screen.findByText("The whole disk is too much.");
    expect(button("Skip this step")).toBeTruthy();
  });

  test("starts a quick tunnel, shows its state, and goes on once it is up", async () => {
    const { native, user } = await open(scenes.first);
    await user.click(button("Not now"));
    await user.click(screen.getByRole("radio", { name: /quick tunnel/ }));
    await user.click(button("Start"));
    expect(native.calls).toContain('updateSettings({"tunnel.kind":"cloudflared"})');
    change(native, { ...lit, sharing: "unasked", welcomed: false, tunnel: { state: "starting" } });
    await screen.findByText("Starting…");
    change(native, { ...lit, sharing: "unasked", welcomed: false });
    await vi.waitFor(() => expect(heading()).toBe("Pictures from a folder"));
    await user.click(button("Back"));
    await screen.findByText("Online: https://light.example.org");
    for (const name of ["Next", "Next"]) await user.click(button(name));
    expect(heading()).toBe("Your pictures are online");
    change(native, lit);
    await vi.waitFor(() => expect(heading()).toBe("You’re live"));
  });

  test("recommends the Worker, and sets it up", async () => {
    const { native, user } = await open(scenes.first);
    await user.click(button("Not now"));
    const [first] = screen.getAllByRole<HTMLInputElement>("radio");
    expect(first).toBe(screen.getByRole("radio", { name: /Cloudflare Worker \(recommended\)/ }));
    expect(first?.checked).toBe(true);
    expect(text()).toContain("need a tunnel only for uploads and status updates");
    await user.type(await screen.findByLabelText("API token"), "t0k");
    await user.click(button("Set up"));
    expect(native.calls.some((one) => one.includes('"task":"set_up","token":"t0k"'))).toBe(true);
    expect(button("Skip this step")).toBeTruthy();
    native.answer({ reach: reach.done.reach });
    native.emit("reach-changed", null);
    await screen.findByText(/Your blog’s address is/);
    for (const name of ["Next", "Skip this step"]) await user.click(button(name));
    await vi.waitFor(() => expect(heading()).toBe("Ready on this computer"));
  });

  test("shows the install command of a missing program", async () => {
    const { native, user } = await open(scenes.missing);
    await user.click(button("Not now"));
    expect(screen.getByText("brew install cloudflared")).toBeTruthy();
    await user.click(button("Copy install command"));
    expect(native.calls).toContain("copyInstallLine()");
    await user.click(button("Check again"));
    expect(native.calls).toContain("tryNow()");
  });

  test("accepts the file of a program that was not found, and shows its problems", async () => {
    const { native, user } = await open(scenes.missing);
    await user.click(button("Not now"));
    native.answer({
      chooseFile: "/opt/cloudflared",
      updateSettings: [
        {
          key: "tunnel.program",
          why: detail("/opt/cloudflared is a folder: choose the program in it"),
        },
      ],
    });
    await user.click(button("Choose program…"));
    await screen.findByText("/opt/cloudflared is a folder: choose the program in it.");
    native.answer({ chooseFile: "/opt/cf/cloudflared", updateSettings: [] });
    await user.click(button("Choose program…"));
    expect(native.calls).toContain('updateSettings({"tunnel.program":"/opt/cf/cloudflared"})');
    // The user's own server uses another program.
    await user.click(screen.getByRole("radio", { name: /My own server/ }));
    await user.type(screen.getByRole("textbox", { name: "Server" }), "me@a");
    await user.type(screen.getByRole("textbox", { name: "Public address" }), "https://a");
    await user.click(button("Start"));
    expect(native.calls.at(-2)).toContain('"tunnel.program":null');
  });

  test("ends with the snippet for the blog, and is not shown again", async () => {
    const { native, user } = await open(scenes.public);
    for (const name of ["Not now", "Next", "Next"]) await user.click(button(name));
    expect(
      (
        await screen.findByRole<HTMLTextAreaElement>("textbox", {
          name: "The code",
        })
      ).value,
    ).toContain('src="https://light.example.org/widget.js"');
    await user.click(button("Copy code"));
    expect(native.calls).toContain('copyBlogLines("html", false)');
    native.answer({ home: lit });
    await user.click(button("Open Porchlight"));
    expect(native.calls).toContain('updateSettings({"app.welcomed":true})');
    await screen.findByRole("heading", { name: "You’re online" });
  });

  test("offers start at login at its end, and does not enable it by itself", async () => {
    const { native, user } = await open(scenes.public);
    const page = pageWith([], { startsAtLogin: false, menuEntry: false });
    native.answer({ settings: page });
    for (const name of ["Not now", "Next", "Next"]) await user.click(button(name));
    const login = await screen.findByRole("switch", { name: "Start at login" });
    expect(login.getAttribute("aria-checked")).toBe("false");
    expect(native.calls).not.toContain("startAtLogin(true)");
    native.answer({ settings: { ...page, startsAtLogin: true } });
    await user.click(login);
    expect(native.calls).toContain("startAtLogin(true)");
    await vi.waitFor(() => expect(login.getAttribute("aria-checked")).toBe("true"));
    await user.click(screen.getByRole("switch", { name: "Show in applications menu" }));
    expect(native.calls).toContain("menuEntry(true)");
  });

  test("can be skipped as a whole", async () => {
    const { native, user } = await open(scenes.first);
    native.answer({ home: home.unasked.home });
    await user.click(button("Skip the rest"));
    await screen.findByRole("heading", { name: "Leave a light on for your readers?" });
    expect(native.calls.some((one) => one.startsWith("share("))).toBe(false);
  });

  test("ends even if that could not be saved, and shows the reason", async () => {
    for (const trouble of ["fails", "is refused"]) {
      const { native, user, unmount } = await open(scenes.first);
      const why = "The settings file is read-only.";
      native.answer({
        updateSettings: () => {
          if (trouble === "fails") throw new Error(why);
          return [{ key: "app.welcomed", why: words(why) }];
        },
      });
      await user.click(button("Skip the rest"));
      await screen.findByRole("navigation", { name: "Pages" });
      expect(text()).toContain(why);
      native.emit("home-changed", null);
      await new Promise((drawn) => setTimeout(drawn));
      expect(screen.getByRole("navigation", { name: "Pages" })).toBeTruthy();
      unmount();
    }
  });

  test("ignores the page shortcuts", async () => {
    const { native, user } = await open(scenes.first);
    await user.keyboard("{Control>}2o{/Control}");
    expect(heading()).toBe("Leave a light on for your readers");
    expect(native.calls).not.toContain("choosePictures()");
  });
});

describe("the settings of a tunnel", () => {
  test("are those of the preset of its program", () => {
    const made = changes({ kind: "localhostRun", host: "", port: 0, url: "", line: "" });
    expect(made).toMatchObject({ "tunnel.kind": "command", "tunnel.public_url": null });
    expect(made["tunnel.command"]).toContain("nokey@localhost.run");
  });

  test("include the entered address for Tailscale", async () => {
    const funnel: Written = { kind: "tailscale", host: "", port: 0, url: "", line: "" };
    expect(changes(funnel)["tunnel.public_url"]).toBeNull();
    expect(complete(funnel)).toBe(true);
    const url = "https://a.ts.net";
    expect(changes({ ...funnel, url })["tunnel.public_url"]).toBe(url);
    const { native, user } = await open(scenes.first);
    await user.click(button("Not now"));
    await user.click(screen.getByRole("radio", { name: /Tailscale/ }));
    await user.type(screen.getByRole("textbox", { name: "Public address" }), url);
    await user.click(button("Start"));
    const asked = native.calls.findLast((one) => one.startsWith("updateSettings(")) ?? "";
    expect(asked).toContain(`"tunnel.public_url":"${url}"`);
  });

  const written: Written = { kind: "ssh", host: " me@a ", port: 4780, url: "https://a ", line: "" };

  test("require the server and the address for an own server", () => {
    expect(complete(written)).toBe(true);
    expect(complete({ ...written, host: " " })).toBe(false);
    expect(complete({ ...written, url: "" })).toBe(false);
    expect(changes(written)).toEqual({
      "tunnel.kind": "ssh",
      "tunnel.public_url": "https://a",
      "tunnel.ssh_host": "me@a",
      "tunnel.ssh_port": 4780,
    });
  });

  test("split a command into a list of words", () => {
    expect(split(' frpc  -c "/home/me/my files/frpc.toml" {port}')).toEqual([
      "frpc",
      "-c",
      "/home/me/my files/frpc.toml",
      "{port}",
    ]);
    const command: Written = { ...written, kind: "command", line: "frpc -c x" };
    expect(changes(command)).toEqual({
      "tunnel.kind": "command",
      "tunnel.public_url": "https://a",
      "tunnel.command": ["frpc", "-c", "x"],
    });
    expect(complete({ ...command, line: "  " })).toBe(false);
  });

  test('are empty for "later"', () => {
    expect(changes({ ...written, kind: "none" })).toEqual({ "tunnel.kind": "none" });
  });
});
