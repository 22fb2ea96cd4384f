import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { Trouble } from "../src/api/interface";
import { scenes as home, lit } from "../src/testing/scenes/home";
import { pageWith } from "../src/testing/scenes/settings";
import { scenes } from "../src/testing/scenes/welcome";
import { text as words } from "../src/testing/text";
import { changes, complete, split, type Written } from "../src/welcome/tunnel";
import { button, change, open, text } from "./window";

const heading = () => screen.getByRole("heading", { level: 1 }).textContent;

describe("the welcome", () => {
  test("is there at the first start, and only then", async () => {
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

  test("reports nothing before the answer, and shows what it would be", async () => {
    const { native } = await open(scenes.first);
    await screen.findAllByText("Zed");
    expect(text()).toContain("Window titles, such as “letter-to-anna.md”");
    expect(text()).toContain("Password managers");
    expect(native.asked.filter((one) => one.startsWith("home.share"))).toEqual([]);
  });

  test("names no program that is kept private", async () => {
    await open({
      ...scenes.first,
      presence: {
        ...scenes.first.presence,
        tryRules: {
          foreground: { names: ["KeePassXC"], title: "" },
          rule: null,
          verdict: { told: "private" },
          problems: [],
        },
      },
    });
    expect((await screen.findAllByText("Online")).length).toBe(1);
    expect(screen.getByText("Away")).toBeTruthy();
    expect(text()).not.toContain("KeePassXC");
  });

  test("takes either answer, and goes on", async () => {
    for (const [name, asked] of [
      ["Share my status", "home.share(true)"],
      ["Not now", "home.share(false)"],
    ] as const) {
      const { native, user, unmount } = await open(scenes.first);
      await user.click(button(name));
      expect(native.asked).toContain(asked);
      await vi.waitFor(() => expect(heading()).toBe("Pictures from a folder"));
      expect(document.activeElement?.textContent).toBe("Pictures from a folder");
      unmount();
    }
  });

  test("can be skipped step by step, and gone back in", async () => {
    const { native, user } = await open(scenes.first);
    for (const name of ["Not now", "Skip this step", "Skip this step"])
      await user.click(button(name));
    await vi.waitFor(() => expect(heading()).toBe("Ready on this computer"));
    await user.click(button("Back"));
    await user.click(button("Pictures"));
    expect(heading()).toBe("Pictures from a folder");
    const told = native.asked.filter((one) => /share|update/.test(one));
    expect(told).toEqual(["home.share(false)"]);
  });

  test("watches the folder that is chosen", async () => {
    const { native, user } = await open(scenes.first);
    await user.click(button("Not now"));
    await user.click(button("Choose a folder…"));
    expect(native.asked).toContain(
      'settings.update({"watch.folders":["/home/mia/Pictures/blog"]})',
    );
    await screen.findByText("/home/mia/Pictures/blog");
    expect(button("Next")).toBeTruthy();
  });

  test("says what is wrong with a folder, and changes nothing when none is chosen", async () => {
    const { native, user } = await open(scenes.first);
    await user.click(button("Not now"));
    native.answer("settings", { chooseFolder: null });
    await user.click(button("Choose a folder…"));
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
    native.answer("settings", {
      chooseFolder: "/",
      update: () => [{ key: "watch.folders", why: words("The whole disk is too much.") }],
    });
    await user.click(button("Choose a folder…"));
    await screen.findByText("The whole disk is too much.");
    expect(button("Skip this step")).toBeTruthy();
  });

  test("starts a quick tunnel and follows it until it stands", async () => {
    const { native, user } = await open(scenes.first);
    await user.click(button("Not now"));
    await user.click(button("Skip this step"));
    await user.click(button("Start"));
    expect(native.asked).toContain('settings.update({"tunnel.kind":"cloudflared"})');
    change(native, { ...lit, sharing: "unasked", welcomed: false, tunnel: { state: "starting" } });
    await screen.findByText("Starting…");
    change(native, { ...lit, sharing: "unasked", welcomed: false });
    await screen.findByText("Online: https://light.example.org");
    await user.click(button("Next"));
    expect(heading()).toBe("Your pictures are online");
    change(native, lit);
    await vi.waitFor(() => expect(heading()).toBe("You’re live"));
  });

  test("gives the line that installs a program that is missing", async () => {
    const { native, user } = await open(scenes.missing);
    await user.click(button("Not now"));
    await user.click(button("Skip this step"));
    expect(screen.getByText("brew install cloudflared")).toBeTruthy();
    await user.click(button("Copy install command"));
    expect(native.asked).toContain("home.copyInstallLine()");
    await user.click(button("Check again"));
    expect(native.asked).toContain("home.tryNow()");
  });

  test("installs a program that the package manager has, and says what went wrong", async () => {
    const { native, user } = await open(scenes.installable);
    await user.click(button("Not now"));
    await user.click(button("Skip this step"));
    let answer = () => {};
    native.answer("home", {
      installTunnelProgram: () => new Promise<void>((resolve) => (answer = resolve)),
    });
    await user.click(button("Install it for me"));
    expect((button("Installing…") as HTMLButtonElement).disabled).toBe(true);
    answer();
    await screen.findByText("Installed");
    native.answer("home", {
      installTunnelProgram: () => Promise.reject(new Trouble({ code: "install_dismissed" })),
    });
    await user.click(await screen.findByRole("button", { name: "Install it for me" }));
    await screen.findByText("Nothing was installed, since the password was not given.");
    await screen.findByRole("button", { name: "Install it for me" });
  });

  test("takes the file of a program that is not found, and says what is wrong with it", async () => {
    const { native, user } = await open(scenes.missing);
    await user.click(button("Not now"));
    await user.click(button("Skip this step"));
    native.answer("settings", {
      chooseFile: "/opt/cloudflared",
      update: [
        {
          key: "tunnel.program",
          why: { code: "program_is_folder", parameters: { path: "/opt/cloudflared" } },
        },
      ],
    });
    await user.click(button("Choose program…"));
    await screen.findByText("/opt/cloudflared is a folder: choose the program in it.");
    native.answer("settings", { chooseFile: "/opt/cf/cloudflared", update: [] });
    await user.click(button("Choose program…"));
    expect(native.asked).toContain('settings.update({"tunnel.program":"/opt/cf/cloudflared"})');
    // A server's program is another one.
    await user.click(screen.getByRole("radio", { name: /My own server/ }));
    await user.type(screen.getByRole("textbox", { name: "Server" }), "me@a");
    await user.type(screen.getByRole("textbox", { name: "Public address" }), "https://a");
    await user.click(button("Start"));
    expect(native.asked.at(-2)).toContain('"tunnel.program":null');
  });

  test("ends with the lines for the blog, and is not shown again", async () => {
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
    expect(native.asked).toContain('home.copyBlogLines("html", false)');
    native.answer("home", { read: lit });
    await user.click(button("Open Porchlight"));
    expect(native.asked).toContain('settings.update({"app.welcomed":true})');
    await screen.findByRole("heading", { name: "You’re online" });
  });

  test("asks at its end whether to start at login, and starts nothing by itself", async () => {
    const { native, user } = await open(scenes.public);
    const page = pageWith([], { startsAtLogin: false, menuEntry: false });
    native.answer("settings", { read: page });
    for (const name of ["Not now", "Next", "Next"]) await user.click(button(name));
    const login = await screen.findByRole("switch", { name: "Start at login" });
    expect(login.getAttribute("aria-checked")).toBe("false");
    expect(native.asked).not.toContain("settings.startAtLogin(true)");
    native.answer("settings", { read: { ...page, startsAtLogin: true } });
    await user.click(login);
    expect(native.asked).toContain("settings.startAtLogin(true)");
    await vi.waitFor(() => expect(login.getAttribute("aria-checked")).toBe("true"));
    await user.click(screen.getByRole("switch", { name: "Show in applications menu" }));
    expect(native.asked).toContain("settings.menuEntry(true)");
  });

  test("restarts the app where a setting waits for it, and is over then", async () => {
    const { native, user } = await open(scenes.restart);
    for (const name of ["Not now", "Skip this step", "Skip this step"])
      await user.click(button(name));
    await user.click(button("Restart now"));
    await vi.waitFor(() => expect(native.asked).toContain("settings.restart()"));
    const [welcomed, restarted] = [
      'settings.update({"app.welcomed":true})',
      "settings.restart()",
    ].map((one) => native.asked.indexOf(one));
    expect(welcomed).toBeGreaterThan(-1);
    expect(restarted).toBeGreaterThan(welcomed ?? 0);
  });

  test("can be skipped as a whole", async () => {
    const { native, user } = await open(scenes.first);
    native.answer("home", { read: home.unasked.home.read });
    await user.click(button("Skip the rest"));
    await screen.findByRole("heading", { name: "Leave a light on for your readers?" });
    expect(native.asked.some((one) => one.startsWith("home.share"))).toBe(false);
  });

  test("ends even when that could not be kept, and says why", async () => {
    for (const trouble of ["fails", "is refused"]) {
      const { native, user, unmount } = await open(scenes.first);
      const why = "The settings file is read-only.";
      native.answer("settings", {
        update: () => {
          if (trouble === "fails") throw new Error(why);
          return [{ key: "app.welcomed", why: words(why) }];
        },
      });
      await user.click(button("Skip the rest"));
      await screen.findByRole("navigation", { name: "Pages" });
      expect(text()).toContain(why);
      native.tell("home-changed", null);
      await new Promise((drawn) => setTimeout(drawn));
      expect(screen.getByRole("navigation", { name: "Pages" })).toBeTruthy();
      unmount();
    }
  });

  test("keeps the shortcuts of the places to itself", async () => {
    const { native, user } = await open(scenes.first);
    await user.keyboard("{Control>}2o{/Control}");
    expect(heading()).toBe("Leave a light on for your readers");
    expect(native.asked).not.toContain("uploads.choosePictures()");
  });
});

describe("a tunnel", () => {
  test("of a program with a preset is made by that", () => {
    const made = changes({ kind: "localhostRun", host: "", port: 0, url: "", line: "" });
    expect(made).toMatchObject({ "tunnel.kind": "command", "tunnel.public_url": null });
    expect(made["tunnel.command"]).toContain("nokey@localhost.run");
  });

  test("of Tailscale has the address that the owner enters", async () => {
    const funnel: Written = { kind: "tailscale", host: "", port: 0, url: "", line: "" };
    expect(changes(funnel)["tunnel.public_url"]).toBeNull();
    expect(complete(funnel)).toBe(true);
    const url = "https://a.ts.net";
    expect(changes({ ...funnel, url })["tunnel.public_url"]).toBe(url);
    const { native, user } = await open(scenes.first);
    for (const name of ["Not now", "Skip this step"]) await user.click(button(name));
    await user.click(screen.getByRole("radio", { name: /Tailscale/ }));
    await user.type(screen.getByRole("textbox", { name: "Public address" }), url);
    await user.click(button("Start"));
    const asked = native.asked.findLast((one) => one.startsWith("settings.update")) ?? "";
    expect(asked).toContain(`"tunnel.public_url":"${url}"`);
  });

  const written: Written = { kind: "ssh", host: " me@a ", port: 4780, url: "https://a ", line: "" };

  test("of a server needs the server and the address", () => {
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

  test("of a command is a list of words", () => {
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

  test("for later is none", () => {
    expect(changes({ ...written, kind: "none" })).toEqual({ "tunnel.kind": "none" });
  });
});
