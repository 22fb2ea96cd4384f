import { screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { Home } from "../src/api/types";
import { drawn } from "../src/home/code";
import { health } from "../src/home/health";
import * as tiles from "../src/home/tiles";
import { lit, NOW, scenes } from "../src/testing/scenes/home";
import { text as words } from "../src/testing/text";
import { speak } from "../src/words/locale";
import { button, change, open, text } from "./window";

const locale = speak("en-GB");
const tile = (name: string) => within(screen.getByRole("region", { name }));

describe("the tiles", () => {
  test("say that all is well, and offer nothing then", async () => {
    await open("good");
    expect(tile("Service").getByText("Running on port 4780")).toBeTruthy();
    expect(tile("Tunnel").getByText("Connected since 08:20")).toBeTruthy();
    expect(tile("Watched folder").getByText("New pictures upload automatically")).toBeTruthy();
    expect(tile("Steam").getByText("Not playing")).toBeTruthy();
    for (const name of ["Service", "Tunnel", "Watched folder", "Steam"])
      expect(tile(name).queryByRole("button")).toBeNull();
  });

  test.for([
    ["empty", "Tunnel", "Set up", "Settings"],
    ["empty", "Watched folder", "Choose a folder", "Settings"],
    ["on", "Watched folder", "View", "Pictures"],
    ["trouble", "Steam", "View", "Game"],
    ["empty", "Steam", "Set up", "Game"],
  ] as const)("in %s, %s: %s leads to %s", async ([scene, name, action, place]) => {
    const { user } = await open(scene);
    await user.click(tile(name).getByRole("button", { name: action }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(place);
  });

  test("copy the line that installs what is missing", async () => {
    const { native, user } = await open("trouble");
    expect(tile("Tunnel").getByText("brew install cloudflared")).toBeTruthy();
    await user.click(tile("Tunnel").getByRole("button", { name: "Copy install command" }));
    expect(native.asked).toContain("home.copyInstallLine()");
    await screen.findByText("Install command copied");
  });

  test("install a program that the package manager has", async () => {
    const { native, user } = await open("trouble");
    const missing = { state: "missing", program: "ssh", why: null, install: "x" } as const;
    change(native, { ...lit, tunnel: { ...missing, installable: true } });
    await user.click(await tile("Tunnel").findByRole("button", { name: "Install it for me" }));
    expect(native.asked).toContain("home.installTunnelProgram()");
    await screen.findByText("Installed");
  });

  test("say what is wrong with the program that was chosen, not how to install it", () => {
    const why = { code: "no_file", parameters: { path: "/opt/cloudflared" } } as const;
    const chosen = {
      state: "missing",
      program: "/opt/cloudflared",
      why,
      install: "x",
      installable: false,
    } as const;
    expect(tiles.tunnel({ ...lit, tunnel: chosen }, locale, 0)).toMatchObject({
      severity: "bad",
      state: "The tunnel program couldn’t start",
      detail: why,
      mend: { by: { to: "settings", section: "tunnel" } },
    });
  });

  test("try a tunnel again that leads nowhere", async () => {
    const { native, user } = await open("tunnelDown");
    expect(
      tile("Tunnel").getByText("https://light.example.org answers with error 530."),
    ).toBeTruthy();
    await user.click(tile("Tunnel").getByRole("button", { name: "Try now" }));
    expect(native.asked).toContain("home.tryNow()");
  });

  test.for([
    ["Service", /^127\.0\.0\.1:4780 is in use by another program/],
    ["Tunnel", /^127\.0\.0\.1:4781 is in use by another program/],
  ] as const)("try a %s again that cannot listen, and say why", async ([name, why]) => {
    const trouble = scenes.trouble.home.read;
    const taken = { code: "port_in_use", parameters: { address: "127.0.0.1:4781" } } as const;
    const tunnel = { state: "stopped" as const, why: taken };
    const { native, user } = await open({ home: { read: { ...trouble, tunnel } } });
    expect(tile(name).getByText(why)).toBeTruthy();
    await user.click(tile(name).getByRole("button", { name: "Try now" }));
    expect(native.asked).toContain("home.tryNow()");
  });

  const watching = (change: Partial<Home["watching"]>) =>
    tiles.watching({ ...lit, watching: { ...lit.watching, ...change } }, locale);

  test("say of the watched folders what needs the owner first", () => {
    const missing = { folder: "/mnt/camera", state: "missing" as const, why: null };
    const all = { setAside: 2, trouble: words("no way"), waiting: 3, paused: true };
    expect(watching({ ...all, folders: [missing] })).toMatchObject({
      state: "A folder is missing",
      detail: "/mnt/camera",
    });
    expect(watching(all)).toMatchObject({ state: "3 files waiting", detail: words("no way") });
    expect(watching({ ...all, trouble: null }).state).toBe("Paused");
    expect(watching({ ...all, trouble: null, paused: false }).state).toBe(
      "2 files couldn’t be uploaded",
    );
    expect(watching({ ...all, trouble: null, paused: false, folders: [] }).state).toBe(
      "2 files couldn’t be uploaded",
    );
    expect(watching({ underWay: ["a.png", "b.png"], waiting: 3 }).state).toBe(
      "Uploading a.png and 4 more",
    );
    expect(watching({ paused: true })).toMatchObject({
      state: "Paused",
      mend: { label: "Resume", by: "resume_watching" },
    });
  });

  test("have watched folders go on where they are paused", async () => {
    const { native, user } = await open("paused");
    change(native, { ...lit, watching: { ...lit.watching, paused: true } });
    await user.click(await tile("Watched folder").findByRole("button", { name: "Resume" }));
    expect(native.asked).toContain("home.pauseWatching(false)");
  });

  test("leave what they have no room for to the lines above the light", async () => {
    const { native, user } = await open("trouble");
    expect(tile("Watched folders").getByText("A folder is missing")).toBeTruthy();
    expect(text()).not.toContain("couldn’t be uploaded");
    await user.click(button("Show 3 more"));
    expect(text()).toContain(
      "14 files waiting The service at https://light.example.org does not answer (the connection was refused). Porchlight will try again.",
    );
    expect(text()).toContain("3 files couldn’t be uploaded");
    const line = (words: string) => {
      const found = screen.getByText(words).closest<HTMLElement>("[role=alert]");
      if (found === null) throw new Error(`no line ${words}`);
      return within(found);
    };
    await user.click(line("14 files waiting").getByRole("button", { name: "Try now" }));
    expect(native.asked).toContain("home.tryNow()");
    await user.click(line("3 files couldn’t be uploaded").getByRole("button", { name: "View" }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Pictures");
  });

  test("say of the game what is told, and why it is not", () => {
    const game = (change: Partial<Home["game"]>) =>
      tiles.game({ ...lit, game: { ...lit.game, ...change } }, locale).state;
    expect(game({ status: "在游戏中", game: "Hades II" })).toBe("Playing Hades II");
    expect(game({ hidden: "paused", game: "Hades II" })).toBe("Hidden: sharing is paused");
    expect(game({ status: "离线" })).toBe("Offline");
    expect(game({ trouble: words("refused"), source: null })).toBe("Currently unavailable");
  });

  test("name the day of a tunnel that has been up since another one", () => {
    const home = {
      ...lit,
      tunnel: { ...lit.tunnel, state: "up", since: NOW - 86_400_000 },
    } as Home;
    expect(tiles.tunnel(home, locale, NOW).state).toContain("19 Nov 2026");
  });
});

describe("the lines", () => {
  test("restart the app where settings wait for it", async () => {
    const { native, user } = await open("unavailable");
    await user.click(button("Restart now"));
    expect(native.asked).toContain("settings.restart()");
  });

  test("say that the upload server for editors is in trouble", async () => {
    const { user } = await open("trouble");
    await user.click(button("Show 3 more"));
    expect(text()).toContain("Editors can’t upload right now.");
    expect(text()).toContain("Port 36677 can’t be used (the port is in use). PicGo");
  });
});

describe("the address", () => {
  test("is copied", async () => {
    const { native, user } = await open("good");
    await user.click(button("Copy address"));
    expect(native.asked).toContain("home.copyAddress()");
    await screen.findByText("Address copied");
  });

  test("says when it does not last, and leads to one that does", async () => {
    const address = { ...lit.address, kind: "temporary" } as const;
    const { user } = await open({ ...scenes.good, home: { read: { ...lit, address } } });
    expect(screen.getByText("Temporary")).toBeTruthy();
    await user.click(button("Copy address"));
    await screen.findByText("Address copied. This address changes when Porchlight restarts.");
    await user.click(button("Get a permanent address"));
    expect(button("Settings").getAttribute("aria-current")).toBe("page");
  });

  test("says whether the world can reach it", () => {
    const said = (home: Home) => health(home, locale.words).text;
    expect(said(lit)).toBe("Reachable from the internet, 42 ms");
    expect(said(scenes.empty.home.read)).toBe("Readers can’t reach it.");
    expect(said(scenes.tunnelDown.home.read)).toBe("Not reachable from the internet right now");
    expect(said({ ...lit, tunnel: { state: "off" } })).toBe(
      "Public address from Settings, not checked",
    );
  });

  test("is a code for a phone, unless only this computer can reach it", async () => {
    const { user, unmount } = await open("good");
    await user.click(button("Show QR code"));
    expect(screen.getByRole("img", { name: "QR code for https://light.example.org" })).toBeTruthy();
    unmount();
    await open("empty");
    expect(screen.queryByRole("button", { name: /QR code/ })).toBeNull();
  });

  test("has the three finders of a code, and four modules of quiet around it", () => {
    const { size, path } = drawn("https://light.example.org");
    // Version 2: 25 modules a side.
    expect(size).toBe(25 + 8);
    const dark = new Set(path.match(/M\d+ \d+/g));
    for (const [x, y] of [
      [4, 4],
      [size - 11, 4],
      [4, size - 11],
    ] as const) {
      for (let n = 0; n < 7; n++) {
        expect(dark.has(`M${x + n} ${y}`)).toBe(true);
        expect(dark.has(`M${x} ${y + n}`)).toBe(true);
      }
      expect(dark.has(`M${x + 1} ${y + 1}`)).toBe(false);
    }
    expect([...dark].some((one) => /^M[0-3] | [0-3]$/.test(one))).toBe(false);
  });
});
