import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { Home, PresencePeriod } from "../src/api/types";
import { reachOf } from "../src/devices/device";
import { clip, lanes } from "../src/presence/timeline";
import { alone, reported, several, stranger } from "../src/testing/scenes/devices";
import { scenes as home, lit } from "../src/testing/scenes/home";
import { scenes } from "../src/testing/scenes/presence";
import { edgeIn, reachable } from "../src/testing/scenes/settings";
import { wrongIn } from "./framed";
import { button, change, open, text } from "./window";

const works = reachable.edge;
const workerAlone: Partial<Home> = { tunnel: { state: "off" }, edge: works };

/** The page "Presence", with these devices. */
async function presence(devices = several, language = "en-GB", more: Partial<Home> = {}) {
  const opened = await open({ ...scenes.devices, home: { ...lit, devices, ...more } }, language);
  await opened.user.keyboard("{Control>}3{/Control}");
  await screen.findByRole("heading", { name: language === "en-GB" ? "Devices" : "设备" });
  return opened;
}

const card = (name: string) => {
  const list = screen.getByRole("list", { name: "Your devices" });
  const cards = within(list).getAllByRole("listitem");
  const found = cards.find((one) => one.textContent?.includes(name));
  if (found === undefined) throw new Error(`no card of ${name}`);
  return within(found);
};
const words = (one: ReturnType<typeof card>, pattern: RegExp) => one.getByText(pattern);
const sent = (calls: string[], command: string) =>
  calls.filter((call) => call.startsWith(`${command}(`));

describe("the cards", () => {
  test("show what readers see of each device, and its battery and last report", async () => {
    await presence();
    const own = card("This computer");
    words(own, /^Zed$/);
    words(own, /never by its host name/);
    words(own, /Chosen for your blog/);
    expect(own.queryByRole("button")).toBeNull();
    expect(own.queryByRole("switch")).toBeNull();
    const phone = card("手机");
    words(phone, /^Spotify$/);
    words(phone, /Last report 3 minutes ago · Battery 80%, charging \(not shared\)/);
    expect(phone.getByRole("switch").getAttribute("aria-checked")).toBe("true");
    words(card("平板"), /^Offline$/);
    expect(card("平板").getByRole("switch").getAttribute("aria-checked")).toBe("false");
    words(card("游戏机"), /Hasn’t reported yet/);
  });

  test("hide, rename, move and forget a device", async () => {
    const { native, user } = await presence();
    await user.click(card("手机").getByRole("switch"));
    expect(sent(native.calls, "allowDevice")).toEqual(['allowDevice("phone", false)']);

    const choose = async (name: string, item: string) => {
      await user.click(card(name).getByRole("button", { name: `More for ${name}` }));
      await user.click(screen.getByRole("menuitem", { name: item }));
    };
    await choose("手机", "Rename…");
    const field = screen.getByLabelText("Name that readers see");
    expect(document.activeElement).toBe(field);
    await user.clear(field);
    await user.type(field, "Pocket{Enter}");
    expect(sent(native.calls, "renameDevice")).toEqual(['renameDevice("phone", "Pocket")']);

    await choose("平板", "Move forward");
    expect(sent(native.calls, "orderDevices")).toEqual([
      'orderDevices(["tablet","phone","desktop"])',
    ]);
    await choose("游戏机", "Forget…");
    expect(sent(native.calls, "forgetDevice")).toEqual([]);
    await user.click(within(screen.getByRole("dialog")).getByText("Forget"));
    expect(sent(native.calls, "forgetDevice")).toEqual(['forgetDevice("desktop")']);
  });

  test("Escape leaves a name as it is", async () => {
    const { native, user } = await presence();
    await user.click(card("手机").getByRole("button"));
    await user.click(screen.getByRole("menuitem", { name: "Rename…" }));
    await user.type(screen.getByLabelText("Name that readers see"), "Pocket{Escape}");
    await user.tab();
    expect(sent(native.calls, "renameDevice")).toEqual([]);
    expect(card("手机")).toBeTruthy();
  });

  test("say that a pause, and not sharing, hold for all devices", async () => {
    await presence(several, "en-GB", { sharing: "paused" });
    expect(text()).toContain("Sharing is paused for all devices at once.");
    expect(within(document.body).getAllByText("Not shared").length).toBe(4);
    const list = screen.getByRole("list", { name: "Your devices" });
    expect(list.textContent).not.toMatch(/Spotify|Zed/);
  });
});

describe("a device that waits", () => {
  test("is an action on Home, which leads to it, and readers learn nothing of it", async () => {
    const { user } = await open("stranger");
    const line = screen.getByText("1 device waits for you").closest("[role=alert]");
    expect(line?.textContent).toContain("新手机");
    const readers = screen.getByRole("list", { name: /as readers see them/ });
    expect(readers.textContent).not.toContain("新手机");
    await user.click(within(line as HTMLElement).getByRole("button"));
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Devices"));
  });

  test("is allowed or hidden", async () => {
    const { native, user } = await presence({ ...several, all: [...several.all, stranger] });
    const waiting = within(screen.getByRole("list", { name: "1 device waits for you" }));
    waiting.getByText("They would see: Firefox");
    expect(screen.queryByRole("switch", { name: /新手机/ })).toBeNull();
    await user.click(waiting.getByRole("button", { name: /Allow/ }));
    await user.click(waiting.getByRole("button", { name: /Don’t show/ }));
    expect(sent(native.calls, "allowDevice")).toEqual([
      'allowDevice("pixel-8", true)',
      'allowDevice("pixel-8", false)',
    ]);
  });
});

test("Home shows all devices as readers see them, but no hidden one and none while paused", async () => {
  const { native } = await open("devices");
  const list = screen.getByRole("list", { name: /as readers see them/ });
  const rows = within(list).getAllByRole("listitem");
  expect(rows.map((row) => row.textContent?.replace(/\s+/g, " ").trim())).toEqual([
    "This computer Zed",
    "手机 Spotify",
  ]);
  change(native, { ...lit, devices: several, sharing: "paused" });
  await vi.waitFor(() => expect(screen.queryByRole("list", { name: /as readers/ })).toBeNull());
});

describe("adding a device", () => {
  test("makes a token, shows the fields without the secret, and turns green at the first report", async () => {
    const { native, user } = await presence(alone);
    await user.click(button("Add a device"));
    const dialog = within(screen.getByRole("dialog"));
    expect(text()).toContain("can report once you continue");
    dialog.getByText("It was reached from outside just now.");
    const name = dialog.getByRole("textbox");
    await user.clear(name);
    await user.type(name, "手机");
    await user.click(dialog.getByText("Create token"));
    expect(sent(native.calls, "addDevice")).toEqual([
      'addDevice({"name":"手机","kind":"phone","client":"live_dashboard","allowed":true})',
    ]);
    dialog.getByText("https://light.example.org");
    dialog.getByText("Secret, only copied or scanned");
    const code = () => dialog.getByRole("img") as HTMLImageElement;
    expect(code().alt).toBe("QR code with Token 密钥");
    const before = code().src;
    await user.click(dialog.getByRole("button", { name: "QR code with 服务器地址" }));
    expect(code().src).not.toBe(before);
    await user.click(dialog.getByRole("button", { name: "Copy Token 密钥" }));
    expect(sent(native.calls, "copyDeviceField")).toEqual(["copyDeviceField(1)"]);

    dialog.getByText("Waiting for its first report…");
    const devices = { ...alone, clients: true, all: [...alone.all, reported] };
    change(native, { ...lit, devices });
    await dialog.findByText("Received the first report of 手机.");
    expect(text()).toContain("Readers see: Spotify");
    await user.click(dialog.getByText("Done"));
    expect(native.calls).toContain("finishAddingDevice()");
  });

  test("says that a phone needs the tunnel where there is the Worker alone", async () => {
    const { native, user } = await presence(alone, "en-GB", workerAlone);
    await user.click(button("Add a device"));
    const dialog = within(screen.getByRole("dialog"));
    dialog.getByText(/can’t pass reports on to it\. A device also needs the tunnel/);
    expect(native.calls).not.toContain("tryNow()");
    await user.click(dialog.getByText("Set up the tunnel"));
    await screen.findByRole("heading", { name: "Settings" });
  });

  test.for(["en-GB", "zh-CN"])("has no violations, and one language, in %s", async (language) => {
    const { container, user } = await presence(alone, language);
    const english = language === "en-GB";
    await user.click(button(english ? "Add a device" : "添加设备"));
    expect(await wrongIn(container, language)).toEqual([]);
    await user.click(button(english ? "Create token" : "生成令牌"));
    expect(await wrongIn(container, language)).toEqual([]);
    const kept =
      /live-dashboard|sleepy|mx-space|Porchlight|iPhone|iPad|Token|https:\/\/[\w.]*|Zed|laptop|tea/g;
    const dialog = screen.getByRole("dialog");
    const left = (dialog.textContent ?? "").replace(kept, "").match(/[A-Za-z]{2,}/g) ?? [];
    expect(english || left).toEqual(english || []);
  });

  test("says that reports are not kept while sharing is off", async () => {
    const { user } = await presence(alone, "en-GB", { sharing: "off" });
    await user.click(button("Add a device"));
    await user.click(button("Create token"));
    expect(text()).toContain("Until it is, reports aren’t kept");
  });
});

test("an address is reached only where that was found", () => {
  const cases: [string, Partial<Home>, string][] = [
    ["the tunnel's", {}, "good"],
    ["local", { address: { ...lit.address, kind: "local" } }, "local"],
    ["http", { address: { ...lit.address, url: "http://light.example.org" } }, "insecure"],
    ["an own proxy", { tunnel: { state: "off" } }, "claimed"],
    [
      "an own proxy that leads here",
      { tunnel: { state: "off" }, address: { ...lit.address, reached: true } },
      "reached",
    ],
    ["another one", { address: { ...lit.address, url: "https://b.example" } }, "claimed"],
    ["a tunnel that starts", { tunnel: { state: "starting" } }, "checking"],
    [
      "none",
      { tunnel: { state: "stopped", why: { code: "no_permission", parameters: { text: "" } } } },
      "down",
    ],
    ["a Worker and a tunnel", { edge: works }, "good"],
    ["a Worker that the tunnel can’t serve", { edge: { ...works, plainTunnel: true } }, "worker"],
    ["a Worker alone", workerAlone, "worker"],
    ["a Worker that has not answered", { edge: edgeIn({ state: "checking" }) }, "checking"],
    ["another’s Worker", { edge: edgeIn({ state: "another" }) }, "down"],
    ["a limit", { edge: edgeIn({ state: "limit", until: 1 }) }, "down"],
    ["a Worker that fails", { edge: home.workerFails.home.edge }, "down"],
  ];
  for (const [name, changed, expected] of cases)
    expect([name, reachOf({ ...lit, ...changed }, "sleepy").text]).toEqual([name, expected]);
  const local = { ...lit, address: { ...lit.address, kind: "local" as const } };
  expect(reachOf(local, "own").text).toBe("program");
});

describe("the timeline", () => {
  const shown = { application: "Zed", introduce: "", rgba: "", online: true };
  const of = (from: number, to: number, device?: string): PresencePeriod => ({
    from,
    to,
    shown,
    ...(device === undefined ? {} : { device }),
  });

  test("keeps devices apart, this computer first", () => {
    const pieces = clip([of(0, 1, "Phone"), of(1, 2), of(2, 3), of(3, 4, "Phone")], 0, 9);
    expect(pieces.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 3],
      [3, 4],
    ]);
    expect(lanes(pieces).map(({ device, pieces }) => [device, pieces.length])).toEqual([
      [null, 1],
      ["Phone", 2],
    ]);
  });

  test("has a lane for each device today, and names the device in the week", async () => {
    const { user } = await presence();
    const lane = screen.getByRole("slider", { name: /What readers saw on .*, 手机$/ });
    screen.getByRole("slider", { name: /What readers saw on .*, This computer$/ });
    lane.focus();
    expect(lane.getAttribute("aria-valuetext")).not.toContain("手机");
    await user.click(screen.getByLabelText("7 days"));
    const today = screen.getAllByRole("slider", { name: /What readers saw on/ })[0];
    today?.focus();
    await user.keyboard("{Home}");
    const devices = new Set<boolean>();
    for (let nth = 0; nth < 4; nth++) {
      devices.add(today?.getAttribute("aria-valuetext")?.includes("手机") ?? false);
      await user.keyboard("{ArrowRight}");
    }
    expect(devices).toEqual(new Set([false, true]));
  });

  test("is one band where there is one device", async () => {
    const { user } = await open({ ...home.good, ...scenes.full });
    await user.keyboard("{Control>}3{/Control}");
    await screen.findByRole("heading", { name: "What readers saw" });
    expect(screen.getAllByRole("slider", { name: /What readers saw on/ }).length).toBe(1);
  });
});
