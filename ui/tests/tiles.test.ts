import { screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { Home } from "../src/api/types";
import { health } from "../src/home/health";
import * as tiles from "../src/home/tiles";
import { lit, NOW, scenes } from "../src/testing/scenes/home";
import { detail, text as words } from "../src/testing/text";
import { createLocale } from "../src/words/locale";
import { button, change, open, text } from "./window";

const locale = createLocale("en-GB");
const tile = (name: string) => within(screen.getByRole("region", { name }));

describe("the tiles", () => {
  test("show no action if all is well", async () => {
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
  ] as const)("in %s, %s: the action %s opens %s", async ([scene, name, action, place]) => {
    const { user } = await open(scene);
    await user.click(tile(name).getByRole("button", { name: action }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(place);
  });

  test("copy the install command of a missing program", async () => {
    const { native, user } = await open("trouble");
    expect(tile("Tunnel").getByText("brew install cloudflared")).toBeTruthy();
    await user.click(tile("Tunnel").getByRole("button", { name: "Copy install command" }));
    expect(native.calls).toContain("copyInstallLine()");
    await screen.findByText("Install command copied");
  });

  test("show the problem of a chosen program, not how to install it", () => {
    const why = detail("there is no file /opt/cloudflared");
    const chosen = {
      state: "missing",
      program: "/opt/cloudflared",
      why,
      install: "x",
    } as const;
    expect(tiles.tunnel({ ...lit, tunnel: chosen }, locale, 0)).toMatchObject({
      severity: "bad",
      state: "The tunnel program couldn’t start",
      detail: why,
      action: { by: { to: "settings", section: "tunnel" } },
    });
  });

  test("retry a tunnel that is not reachable", async () => {
    const { native, user } = await open("tunnelDown");
    expect(
      tile("Tunnel").getByText("https://light.example.org answers with error 530."),
    ).toBeTruthy();
    await user.click(tile("Tunnel").getByRole("button", { name: "Try now" }));
    expect(native.calls).toContain("tryNow()");
  });

  test.for([
    ["Service", /^127\.0\.0\.1:4780 is in use by another program/],
    ["Tunnel", /^127\.0\.0\.1:4781 is in use by another program/],
  ] as const)("retry a %s that cannot listen, and show why", async ([name, why]) => {
    const trouble = scenes.trouble.home;
    const taken = { code: "port_in_use", parameters: { address: "127.0.0.1:4781" } } as const;
    const tunnel = { state: "stopped" as const, why: taken };
    const { native, user } = await open({ home: { ...trouble, tunnel } });
    expect(tile(name).getByText(why)).toBeTruthy();
    await user.click(tile(name).getByRole("button", { name: "Try now" }));
    expect(native.calls).toContain("tryNow()");
  });

  const watching = (change: Partial<Home["watching"]>) =>
    tiles.watching({ ...lit, watching: { ...lit.watching, ...change } }, locale);

  test("show alerts of the watched folders first", () => {
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
      action: { label: "Resume", by: "resume_watching" },
    });
  });

  test("resume paused watched folders", async () => {
    const { native, user } = await open("paused");
    change(native, { ...lit, watching: { ...lit.watching, paused: true } });
    await user.click(await tile("Watched folder").findByRole("button", { name: "Resume" }));
    expect(native.calls).toContain("pauseWatching(false)");
  });

  test("leave alerts that do not fit to the lines above the presence card", async () => {
    const { native, user } = await open("trouble");
    expect(tile("Watched folders").getByText("A folder is missing")).toBeTruthy();
    expect(text()).not.toContain("couldn’t be uploaded");
    await user.click(button("Show 2 more"));
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
    expect(native.calls).toContain("tryNow()");
    await user.click(line("3 files couldn’t be uploaded").getByRole("button", { name: "View" }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Pictures");
  });

  test("show the game, or why it is not shown", () => {
    const game = (change: Partial<Home["game"]>) =>
      tiles.game({ ...lit, game: { ...lit.game, ...change } }, locale).state;
    expect(game({ status: "在游戏中", game: "Hades II" })).toBe("Playing Hades II");
    expect(game({ hidden: "paused", game: "Hades II" })).toBe("Hidden: sharing is paused");
    expect(game({ status: "离线" })).toBe("Offline");
    expect(game({ trouble: words("refused"), source: null })).toBe("Currently unavailable");
  });

  test("show the day of a tunnel that is up since an earlier day", () => {
    const home = {
      ...lit,
      tunnel: { ...lit.tunnel, state: "up", since: NOW - 86_400_000 },
    } as Home;
    expect(tiles.tunnel(home, locale, NOW).state).toContain("19 Nov 2026");
  });
});

describe("the alert lines", () => {
  test("show that the upload server for editors failed", async () => {
    const { user } = await open("trouble");
    await user.click(button("Show 2 more"));
    expect(text()).toContain("Editors can’t upload right now.");
    expect(text()).toContain("Port 36677 can’t be used (the port is in use). PicGo");
  });
});

describe("the address", () => {
  test("can be copied", async () => {
    const { native, user } = await open("good");
    await user.click(button("Copy address"));
    expect(native.calls).toContain("copyAddress()");
    await screen.findByText("Address copied");
  });

  test("is marked if it is temporary, with a link to a permanent one", async () => {
    const address = { ...lit.address, kind: "temporary" } as const;
    const { user } = await open({ ...scenes.good, home: { ...lit, address } });
    expect(screen.getByText("Temporary")).toBeTruthy();
    await user.click(button("Copy address"));
    await screen.findByText("Address copied. This address changes when Porchlight restarts.");
    await user.click(button("Get a permanent address"));
    expect(button("Settings").getAttribute("aria-current")).toBe("page");
  });

  test("shows whether it is reachable from the internet", () => {
    const healthText = (home: Home) => health(home, locale.words).text;
    expect(healthText(lit)).toBe("Reachable from the internet, 42 ms");
    expect(healthText(scenes.empty.home)).toBe("Readers can’t reach it.");
    expect(healthText(scenes.tunnelDown.home)).toBe("Not reachable from the internet right now");
    expect(healthText({ ...lit, tunnel: { state: "off" } })).toBe(
      "Public address from Settings, not checked",
    );
  });

  test("has a QR code, unless only this computer can reach it", async () => {
    const { user, unmount } = await open("good");
    await user.click(button("Show QR code"));
    expect(screen.getByRole("img", { name: "QR code for https://light.example.org" })).toBeTruthy();
    unmount();
    await open("empty");
    expect(screen.queryByRole("button", { name: /QR code/ })).toBeNull();
  });
});
