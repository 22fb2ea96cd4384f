import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { RuleText, Trial } from "../src/api/types";
import Presence from "../src/presence/Presence.svelte";
import { FakeNative, type Scene } from "../src/testing/fake-native";
import { scenes } from "../src/testing/scenes/presence";
import { text as words } from "../src/testing/text";
import { drawn, englishLeft, NOW, open, wrongIn } from "./framed";

type Name = keyof typeof scenes;
const names = Object.keys(scenes) as Name[];

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const rows = () =>
  within(screen.getByRole("list", { name: /Your rules/ })).getAllByRole("listitem");
const written = (native: FakeNative) =>
  native.calls.filter((asked) => asked.startsWith("setRules("));
const tries = (native: FakeNative) => native.calls.filter((asked) => asked.startsWith("tryRules("));
const tried = (native: FakeNative) => vi.waitFor(() => expect(tries(native).length).toBe(2));

describe.for(["en", "zh-CN"])("in %s", (language) => {
  test.for(names)("axe reports no violations in %s", async (name) => {
    const { container } = await open(Presence, scenes[name], language);
    expect(await wrongIn(container, language)).toEqual([]);
  });
});

test("an away user is shown as away, whatever app the heartbeat contains", async () => {
  const { container } = await open(Presence, scenes.away);
  const reader = container.querySelector("figure");
  expect(reader?.querySelector("b")?.textContent?.trim()).toBe("Away");
  expect(reader?.textContent).toContain("the last app, Zed, too");
  expect(reader?.classList.contains("lit")).toBe(false);
});

test("axe reports no violations in a rule that is being edited", async () => {
  const { container, user } = await open(Presence, scenes.wrong);
  await user.click(button(/zed/));
  expect(screen.getByLabelText("App")).toBeTruthy();
  expect(await wrongIn(container, "en")).toEqual([]);
});

test.for(names)("the Chinese window has no English words in %s", async (name) => {
  const { user } = await open(Presence, scenes[name], "zh-CN");
  const rule = screen.queryByRole("button", { name: /^4/ });
  if (rule !== null) await user.click(rule);
  const kept =
    /laptop|focus45@porchlight\.app|Porchlight|zed-editor|Zed|dev\.\S+|zed|tea|Firefox|firefox|librewolf|Terminal|Spotify|Obsidian|[Ss]team|\/\(\?i\)payslip|porchlight — rules\.rs|\{title\}|Alt|Broken|keepassxc|Passwords\.kdbx/g;
  const reasons =
    /Porchlight’s database failed: [\w ,]+|The session bus cannot be asked \(the bus has gone away\)|wlr-foreign-toplevel-management|Wayland|GNOME|https:\/\/light\.example\.org|it is not closed|\b(1password|bitwarden|org\.gnome\.seahorse\.Application|bank|paypal|alipay|private browsing|incognito|inprivate|gnome-screensaver|i3lock|swaylock|xscreensaver)\b/g;
  const left = englishLeft(new RegExp(`${reasons.source}|${kept.source}`, "g"));
  expect(left).toEqual([]);
});

describe("the history", () => {
  test("lists apps with their times, the longest first, then the time away", async () => {
    await open(Presence, scenes.full);
    const list = screen.getByRole("list", { name: "Today by app" });
    const text = within(list)
      .getAllByRole("listitem")
      .map((row) => row.textContent?.replace(/\s+/g, " ").trim());
    expect(text.map((row) => row?.replace(/\d.*| under.*/, "").trim())).toEqual([
      "Zed",
      "Firefox",
      "Terminal",
      "Spotify",
      "Away",
    ]);
    expect(text[0]).toMatch(/^Zed ?3 h 54 min$/);
  });

  test("renames an app by its rule, or by a new first rule", async () => {
    const { user, native } = await open(Presence, scenes.full);
    await user.click(
      within(screen.getByRole("list", { name: "Today by app" })).getByText("Spotify"),
    );
    await user.click(button("Rename…"));
    expect(screen.queryByRole("group", { name: "Spotify" })).toBeNull();
    const name = document.activeElement as HTMLInputElement;
    expect(name.dataset.field).toBe("name");
    await user.keyboard("Music");
    await user.click(button("Save rules"));
    expect(written(native)[0]).toMatch(/\[\{"program":"Spotify".*?"name":"Music".*?"hide":false/);
  });

  test("hides an app that was clicked in a band at once", async () => {
    const { user, native } = await open(Presence, scenes.full);
    const band = screen.getByRole("slider", { name: /What readers saw on/ });
    band.focus();
    await user.keyboard("{Home}{Enter}");
    await user.click(
      within(screen.getByRole("group", { name: "Firefox" })).getByText("Hide this app"),
    );
    await vi.waitFor(() => expect(written(native).length).toBe(1));
    expect(written(native)[0]).toMatch(/"program":"Firefox".*"hide":true/);
    expect(screen.getByRole("list", { name: "Today by app" })).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await vi.waitFor(() => expect(written(native).length).toBe(2));
    expect(written(native)[1]).not.toContain("Firefox");
  });

  test("hides an app by its program names, and reports if no program matches", async () => {
    const own = "/^(?i:spotify|Spotify Music)$/";
    for (const program of [own, null]) {
      const { user, native, unmount } = await open(Presence, {
        ...scenes.full,
        programOf: program,
      });
      await user.click(
        within(screen.getByRole("list", { name: "Today by app" })).getByText("Spotify"),
      );
      await user.click(button("Hide this app"));
      await screen.findByText(
        program === null
          ? /^The rule for Spotify is saved, but no app here has that name now/
          : /^Spotify is hidden from readers/,
      );
      const names = JSON.stringify(program ?? "Spotify");
      expect(written(native)[0]).toContain(`[{"program":${names},`);
      unmount();
    }
  });

  test("does not undo hiding an app after newer changes, and shows why", async () => {
    const { user, native } = await open(Presence, scenes.full);
    await user.click(
      within(screen.getByRole("list", { name: "Today by app" })).getByText("Spotify"),
    );
    await user.click(button("Hide this app"));
    const undo = await screen.findByRole("button", { name: "Undo" });
    await user.click(button("Delete rule 2"));
    await user.click(undo);
    await screen.findByText(/^The rules have changed since/);
    expect(written(native).length).toBe(1);
    expect(button("Save rules")).toBeTruthy();
  });

  test("describes each period while moving with the arrow keys", async () => {
    const { user } = await open(Presence, scenes.full);
    const band = screen.getByRole("slider", { name: /What readers saw on/ });
    band.focus();
    await user.keyboard("{Home}");
    expect(band.getAttribute("aria-valuetext")).toMatch(/^Firefox, 看网页, .* to .*, 34 min$/);
    await user.keyboard("{ArrowRight}");
    expect(band.getAttribute("aria-valuetext")).toMatch(/^Zed, 写代码/);
    await user.keyboard("{End}");
    expect(band.getAttribute("aria-valuetext")).toMatch(/^Away, /);
    // There is no next period.
    await user.keyboard("{ArrowRight}");
    expect(band.getAttribute("aria-valuetext")).toMatch(/^Away, /);
  });

  test("shows seven bands for the week, with a label on an empty one", async () => {
    const { user } = await open(Presence, scenes.full);
    await user.click(screen.getByRole("radio", { name: "7 days" }));
    expect(screen.getAllByRole("slider")).toHaveLength(6);
    expect(screen.getByRole("img", { name: /Nothing shared yet$/ })).toBeTruthy();
    const list = screen.getByRole("list", { name: "Last 7 days by app" });
    // Time online without an app is no app, and stands behind all of them.
    const rows = within(list).getAllByRole("listitem");
    expect(rows.at(-2)?.textContent).toContain("Online, no app shown");
    expect(within(list).queryByRole("button", { name: /Online/ })).toBeNull();
  });

  test("marks time away by hatching, not by colour alone", async () => {
    const { container } = await open(Presence, scenes.full);
    expect(container.querySelectorAll(".pieces .away").length).toBe(2);
  });
});

describe("the rules", () => {
  test("show which one matches, and what readers would see", async () => {
    await open(Presence, scenes.full);
    expect(rows()[1]?.textContent).toContain("matches now");
    expect(screen.getByText("With rule 2, readers would see")).toBeTruthy();
  });

  test("are moved by button and by Alt with an arrow key, and keep the focus", async () => {
    const { user, native } = await open(Presence, scenes.full);
    await user.click(button("Move rule 2 up"));
    await drawn();
    expect(rows()[0]?.textContent).toContain("zed");
    // At the top its button is disabled: its main button takes the focus.
    expect(document.activeElement?.textContent).toContain("zed");
    await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await drawn();
    expect(rows()[1]?.textContent).toContain("zed");
    expect(document.activeElement?.textContent).toContain("zed");
    expect(written(native)).toEqual([]);
  });

  test("can be added, duplicated and removed, and are written only on save", async () => {
    const { user, native } = await open(Presence, scenes.full);
    await user.click(button("Duplicate rule 2"));
    expect(rows()).toHaveLength(5);
    expect(rows()[2]?.textContent).toContain("zed");
    await user.click(button("Delete rule 1"));
    expect(rows()).toHaveLength(4);
    await user.click(button("Add rule"));
    expect(rows()).toHaveLength(5);
    await user.type(screen.getByLabelText("App"), "mpv");
    expect(written(native)).toEqual([]);
    await user.click(button("Save rules"));
    await drawn();
    const sent = JSON.parse(written(native)[0]?.slice("setRules(".length, -1) ?? "");
    expect(sent.map(({ program }: RuleText) => program)).toEqual([
      "zed",
      "zed",
      "/^(firefox|librewolf)$/",
      "steam",
      "mpv",
    ]);
    // An empty field is sent as null.
    expect(sent[4]).toEqual({
      program: "mpv",
      title: null,
      name: null,
      introduce: null,
      rgba: null,
      hide: false,
    });
    expect(screen.queryByText(/unsaved changes/)).toBeNull();
  });

  test("offer a new one for the foreground app if none matches", async () => {
    const { user } = await open(Presence, {
      ...scenes.full,
      tryRules: {
        foreground: { names: ["mpv"], title: "" },
        rule: null,
        verdict: { told: "shown", application: "mpv", introduce: "", rgba: "" },
        problems: [],
      },
    });
    await user.click(button("Add rule for mpv"));
    await drawn();
    expect(document.activeElement).toBe(screen.getByLabelText("App"));
    expect((screen.getByLabelText("App") as HTMLInputElement).value).toBe("mpv");
  });

  test("are tested after a pause in typing, with problems beside the rule", async () => {
    const { user, native } = await open(Presence, scenes.full);
    await user.click(button(/^4.*steam/));
    await user.clear(screen.getByLabelText("App"));
    await user.type(screen.getByLabelText("App"), "/(/");
    await tried(native);
    await drawn();
    expect(within(rows()[3] as HTMLElement).getByRole("alert").textContent).toContain(
      "it is not closed",
    );
    expect(rows()[1]?.textContent).not.toContain("it is not closed");
  });

  test("use only the answer to the newest test", async () => {
    const answers: ((trial: Trial) => void)[] = [];
    const { user, native } = await open(Presence, {
      ...scenes.full,
      tryRules: () => new Promise<Trial>((answer) => answers.push(answer)),
    });
    const result = (application: string): Trial => ({
      foreground: { names: ["zed"], title: "" },
      rule: 1,
      verdict: { told: "shown", application, introduce: "", rgba: "" },
      problems: [],
    });
    await user.click(button(/^2.*zed/));
    await user.type(screen.getByLabelText("Show as"), "!");
    await tried(native);
    answers[1]?.(result("the newest"));
    await drawn();
    answers[0]?.(result("an old one"));
    await drawn();
    expect(screen.getByText("the newest")).toBeTruthy();
    expect(screen.queryByText("an old one")).toBeNull();
  });

  test("stay as typed if they are rejected, with the reason beside them", async () => {
    const { user } = await open(Presence, {
      ...scenes.full,
      setRules: [{ rule: 3, why: words("no colour") }],
    });
    await user.click(button("Move rule 1 down"));
    await user.click(button("Save rules"));
    await drawn();
    expect(within(rows()[3] as HTMLElement).getByText("no colour")).toBeTruthy();
    expect(screen.getByText(/unsaved changes/)).toBeTruthy();
    expect(screen.getByText("Couldn’t save. Fix the rules marked in red.")).toBeTruthy();
  });

  test("keep unsaved edits on other pages and when the saved rules change", async () => {
    const native = new FakeNative(scenes.full as Scene);
    const first = await open(Presence, native);
    await first.user.click(button("Delete rule 4"));
    first.unmount();
    await drawn();
    expect(native.listeners).toBe(0);
    const { user } = await open(Presence, native);
    expect(rows()).toHaveLength(3);
    native.answer({ presence: { ...(await native.presence()), rules: [] } });
    native.emit("settings-changed", null);
    await drawn();
    expect(rows()).toHaveLength(3);
    await user.click(button("Discard"));
    expect(screen.queryByRole("list", { name: /Your rules/ })).toBeNull();
  });

  test("can be saved when edited at a second visit", async () => {
    const native = new FakeNative(scenes.full as Scene);
    (await open(Presence, native)).unmount();
    await drawn();
    const { user } = await open(Presence, native);
    await user.click(button("Delete rule 4"));
    expect(button("Save rules")).toBeTruthy();
    await user.click(button("Save rules"));
    await drawn();
    expect(screen.queryByText(/unsaved changes/)).toBeNull();
  });

  test("follow the saved rules while there are no edits", async () => {
    const { native } = await open(Presence, scenes.full);
    native.answer({ presence: { ...(await native.presence()), rules: [] } });
    native.emit("presence-changed", null);
    await drawn();
    expect(screen.getByText(/No rules yet/)).toBeTruthy();
  });

  test("set a colour with its opacity, and reset it", async () => {
    const { user, native } = await open(Presence, scenes.full);
    await user.click(button(/^2.*zed/));
    const strength = screen.getByRole("slider", { name: /Opacity/ }) as HTMLInputElement;
    strength.value = "0.5";
    strength.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
    expect((screen.getByLabelText("Colour") as HTMLInputElement).value).toBe("8,76,207,0.5");
    await user.click(button("Use the app’s own"));
    await user.click(button("Save rules"));
    await drawn();
    expect(written(native)[0]).toContain('"introduce":"写代码 & tea","rgba":null');
  });
});

test("a private app is shown as private, whatever the rules", async () => {
  await open(Presence, scenes.private);
  expect(screen.getByText("This app is always private")).toBeTruthy();
});

test("a pause shows its end, and that nothing is shared", async () => {
  await open(Presence, scenes.paused);
  expect(screen.getByText(/^Paused until 20 Nov 2026/)).toBeTruthy();
  expect(screen.getByText("Sharing is paused.")).toBeTruthy();
  expect(button("Resume on Home")).toBeTruthy();
});

test("an unavailable sensor is shown with a workaround", async () => {
  await open(Presence, scenes.lacking);
  expect(screen.getByText(/^Porchlight can’t see which app you’re using/)).toBeTruthy();
  expect(screen.getByText(/custom status on Home/)).toBeTruthy();
  // The system's message is in the details.
  const why = screen.getByText(/wlr-foreign-toplevel-management/);
  const details = why.closest("details");
  expect(details?.open).toBe(false);
  expect(details?.querySelector("summary")?.textContent).toMatch(/^Details: Porchlight can’t see/);
});

test("GNOME’s extension is turned on by one button", async () => {
  const { native, user } = await open(Presence, scenes.gnome);
  expect(screen.getByText("GNOME needs one switch")).toBeTruthy();
  await user.click(button("Turn on"));
  expect(native.calls).toContain("turnOnGnomeExtension()");
  expect(await screen.findByText("The extension is on.")).toBeTruthy();
});

test("the page says when GNOME needs a new login, and offers nothing to press then", async () => {
  await open(Presence, scenes.gnomeLogin);
  expect(screen.getByText(/Log out and in again/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Turn on" })).toBeNull();
});

test("where GNOME’s extension is not installed, the reason is in sight", async () => {
  await open(Presence, scenes.gnomeLacksIt);
  expect(screen.getByText(/^Porchlight can’t see which app you’re using/)).toBeTruthy();
  const line = screen.getByText(/which Porchlight’s packages install; it isn’t installed here/);
  expect(line.closest("details")).toBeNull();
  expect(screen.queryByRole("button", { name: "Turn on" })).toBeNull();
});

test("the week is requested from local midnight", async () => {
  const { native } = await open(Presence, scenes.full);
  const [asked] = native.calls.filter((one) => one.startsWith("presenceHistory("));
  const [from = 0, to = 0] = (asked ?? "").match(/\d+/g)?.map(Number) ?? [];
  expect(new Date(from).getHours()).toBe(0);
  expect(to).toBe(NOW);
});

test("navigating to the rules focuses them, even if the page is already open", async () => {
  const { navigation } = await open(Presence, scenes.full);
  expect(document.activeElement).toBe(document.body);
  navigation.to("presence", "rules");
  await drawn();
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Rules" }));
  expect(navigation.section).toBeNull();
});
