import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { endOf } from "../src/home/lasts";
import { colour } from "../src/home/state";
import { lit, scenes } from "../src/testing/scenes/home";
import { button, change, open, text } from "./window";

describe("the first-run question", () => {
  test("shows what would be shared, and that nothing is shared yet", async () => {
    await open("unasked");
    expect(
      screen.getByRole("heading", { name: "Leave a light on for your readers?" }),
    ).toBeTruthy();
    expect(text()).toContain("Your status isn’t shared until you say yes");
    expect(screen.getByText("What readers would see")).toBeTruthy();
  });

  test("starts sharing and lights the lamp if the user agrees", async () => {
    const { native, user } = await open("unasked");
    expect(screen.queryByRole("img", { name: "A lit porch lamp" })).toBeNull();
    await user.click(button("Share my status"));
    expect(native.calls).toContain("share(true)");
    change(native, lit);
    await screen.findByRole("img", { name: "A lit porch lamp" });
    expect(screen.queryByRole("button", { name: "Not now" })).toBeNull();
  });

  test("shares nothing if the user declines, and can be answered again", async () => {
    const { native, user } = await open("unasked");
    native.answer({
      share: (yes) => native.answer({ home: yes ? lit : scenes.off.home }),
    });
    await user.click(button("Not now"));
    await screen.findByRole("heading", { name: "The light is off" });
    await vi.waitFor(() =>
      expect(document.activeElement).toBe(
        screen.getByRole("heading", { name: "The light is off" }),
      ),
    );
    await user.click(button("Share my status"));
    expect(native.calls).toContain("share(true)");
  });

  test("stays with the reason if the answer could not be saved", async () => {
    const { native, user } = await open("unasked");
    native.failure = "The settings file is read-only.";
    await user.click(button("Share my status"));
    expect(
      (await screen.findByText(/settings file is read-only/)).closest("[role=alert]"),
    ).toBeTruthy();
    expect(button("Share my status")).toBe(document.activeElement);
    native.failure = null;
    await user.click(button("Share my status"));
    await vi.waitFor(() => expect(screen.queryByText(/read-only/)).toBeNull());
  });
});

describe("the presence card", () => {
  test("shows the app and its description in the colour that readers see", async () => {
    const { container } = await open("good");
    expect(screen.getByRole("heading", { name: "You’re online" })).toBeTruthy();
    // Shown once.
    expect(screen.getAllByText("Zed", { exact: false }).length).toBe(1);
    expect(screen.getAllByText("写代码 & tea", { exact: false }).length).toBe(1);
    const root = container.querySelector<HTMLElement>(".window");
    expect(root?.style.getPropertyValue("--presence")).toBe("233 30 99");
    expect(root?.style.getPropertyValue("--presence-alpha")).toBe("0.9");
    expect(screen.getAllByRole("img", { name: "The light is on" }).length).toBe(1);
    expect(screen.getByText("since 09:12")).toBeTruthy();
  });

  test.for([
    ["Pause for 30 min", null, 'pause("half_an_hour")'],
    ["More", "Pause until tomorrow", 'pause("until_tomorrow")'],
    ["More", "Pause until I resume", 'pause("until_resumed")'],
    ["More", "Stop sharing", "share(false)"],
  ] as const)("the menu items %s, %s call %s", async ([first, second, asked]) => {
    const { native, user } = await open("good");
    await user.click(button(first));
    if (second !== null) await user.click(await screen.findByRole("menuitem", { name: second }));
    expect(native.calls).toContain(asked);
  });

  test("shows until when sharing is paused, and resumes it", async () => {
    const { native, user } = await open("paused");
    expect(screen.getByRole("heading", { name: "Paused until 14:45" })).toBeTruthy();
    expect(text()).toContain("Readers may still see your last status for a few minutes.");
    expect(text()).toContain("Changing to: Offline");
    await user.click(button("Resume"));
    expect(native.calls).toContain("resume()");
  });

  test("shows that a pause without an end lasts until resumed", async () => {
    await open("pausedForGood");
    expect(screen.getByRole("heading", { name: "Paused until you resume" })).toBeTruthy();
  });

  test("is off before the first heartbeat and long after the last", async () => {
    const { unmount } = await open("waiting");
    expect(screen.getByRole("heading", { name: "Turning on the light…" })).toBeTruthy();
    unmount();
    const { native, user } = await open("out");
    expect(screen.getByRole("heading", { name: "The light has gone out" })).toBeTruthy();
    expect(screen.getByRole("figure").textContent).toContain("Offline");
    expect(text()).toContain("token was not accepted. If you send");
    await user.click(button("Try now"));
    expect(native.calls).toContain("tryNow()");
  });

  test("shows that the user is away, and why", async () => {
    await open("away");
    expect(screen.getByRole("heading", { name: "You’re away" })).toBeTruthy();
    expect(screen.getByText("since 09:12")).toBeTruthy();
    expect(text()).toContain("Readers see that you’re away.");
    expect(text()).toContain("You haven’t used the keyboard or mouse for a while.");
  });

  test("announces that the next heartbeat reports the user as away", async () => {
    const { presence } = scenes.away.home;
    await open({ home: { ...lit, presence } });
    expect(text()).toContain("Changing to: Away · Zed · 写代码 & tea");
  });

  test("is off if the user is away with a private app in the foreground", async () => {
    await open("hiddenAway");
    expect(screen.getByRole("heading", { name: "You’re away" })).toBeTruthy();
    expect(screen.queryByRole("img", { name: "A lit porch lamp" })).toBeNull();
    expect(text()).not.toContain("Changing to:");
  });

  test("shows that the foreground app is private, and what readers see instead", async () => {
    await open("hidden");
    expect(text()).toContain(
      "You’re in a private app. With the next update readers only see that you’re online.",
    );
    expect(text()).toContain("Changing to: Online");
  });

  test("shows which sensors are unavailable, and that there is no tray", async () => {
    await open("unavailable");
    expect(text()).toContain("Porchlight can’t see which app you’re using.");
    expect(text()).toContain("Your desktop shows no tray icon.");
  });

  test('shows only "Online" if heartbeats have no fields', async () => {
    const light = { ...lit.light, application: "", introduce: "", online: true, rgba: "" };
    await open({ home: { ...lit, light } });
    expect(screen.getByRole("heading", { name: "You’re online" })).toBeTruthy();
    expect(screen.getByText("Online")).toBeTruthy();
  });

  test("shows the heartbeat that waits to be sent, also while away", async () => {
    const { native } = await open("out");
    expect(text()).toContain("Waiting to send: Zed · 写代码 & tea");
    const home = scenes.out.home;
    const preview = { application: "Zed", introduce: "", rgba: "", online: false };
    change(native, { ...home, presence: { ...home.presence, preview } });
    await screen.findByText("Waiting to send: Away · Zed");
  });

  test("shows that readers cannot see the status while the tunnel is down", async () => {
    const { native } = await open("tunnelDown");
    expect(text()).toContain("This doesn’t reach your blog right now");
    const { tunnel } = scenes.tunnelDown.home;
    // Without a public address, this computer's address is used.
    const address = { ...lit.address, kind: "local" } as const;
    change(native, { ...lit, tunnel, address });
    await screen.findByText("Local address");
    expect(text()).toContain("This doesn’t reach your blog right now");
    change(native, { ...lit, tunnel: { state: "off" }, address });
    await screen.findByText("Your blog can’t reach Porchlight yet, so readers don’t see this.");
  });

  test("follows the events of the backend", async () => {
    const { native } = await open("good");
    change(native, { ...lit, light: { ...lit.light, application: "Blender" } });
    await screen.findByText("Blender");
  });
});

describe("a custom status", () => {
  test("is set in the chosen colour, as in the preview", async () => {
    const { native, user } = await open("good");
    await user.click(button("Set a status…"));
    const dialog = within(screen.getByRole("dialog", { name: "Set a status" }));
    const [application, introduce] = dialog.getAllByRole("textbox");
    if (application === undefined || introduce === undefined) throw new Error("no fields");
    expect(application).toBe(document.activeElement);
    expect((dialog.getByRole("button", { name: "Set status" }) as HTMLButtonElement).disabled).toBe(
      true,
    );
    await user.type(application, "Out for a walk");
    await user.type(introduce, "Back for tea");
    await user.click(dialog.getByRole("radio", { name: "Teal" }));
    expect(dialog.queryByRole("slider")).toBeNull();
    await user.click(dialog.getByRole("radio", { name: "Custom" }));
    await fireEvent.input(dialog.getByLabelText("Colour", { selector: "input" }), {
      target: { value: "#336699" },
    });
    await fireEvent.input(dialog.getByRole("slider"), { target: { value: "0.5" } });
    expect(dialog.getByRole("figure").textContent).toContain("Out for a walk");
    expect((dialog.getByRole("button", { name: "Set status" }) as HTMLButtonElement).disabled).toBe(
      false,
    );
    const form = application.closest("form");
    if (form === null) throw new Error("no form");
    // As Enter in a field does.
    await fireEvent.submit(form);
    expect(native.calls).toContain(
      'fixStatus({"application":"Out for a walk","introduce":"Back for tea","rgba":"51,102,153,0.5","until":null})',
    );
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(document.activeElement).toBe(button("Set a status…"));
  });

  test("can be cleared", async () => {
    const { native, user } = await open("fixed");
    expect(text()).toMatch(/Custom status until \d/);
    await user.click(button("Change status…"));
    await user.click(button("Clear status"));
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    // The same status again, with its end.
    const again = `fixStatus(${JSON.stringify(scenes.fixed.home.presence.fixed)})`;
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await vi.waitFor(() => expect(native.calls.filter((one) => one === again).length).toBe(1));
    await user.click(button("More"));
    await user.click(screen.getByRole("menuitem", { name: "Clear status" }));
    expect(native.calls.filter((one) => one === "fixStatus(null)").length).toBe(2);
    await screen.findByText("Status cleared");
    await user.keyboard("{Control>}z{/Control}");
    await vi.waitFor(() => expect(native.calls.filter((one) => one === again).length).toBe(2));
    expect(screen.queryByText("Status cleared")).toBeNull();
  });

  test("keeps its end time when it is edited", async () => {
    const { native, user } = await open("fixed");
    await user.click(button("Change status…"));
    const ends = screen.getByLabelText("Show");
    expect((ends as HTMLSelectElement).value).toBe("kept");
    await user.click(button("Set status"));
    const end = Date.UTC(2026, 10, 20, 15, 0);
    expect(native.calls.findLast((one) => one.startsWith("fixStatus("))).toContain(
      `"until":${end}}`,
    );
  });

  test("can be filled in from a recent status, with an emoji and an end time", async () => {
    const { native, user } = await open("fixed");
    await user.click(button("Change status…"));
    await user.click(button("🍜 Lunch"));
    await user.click(button("Begin with ☕"));
    await user.selectOptions(screen.getByLabelText("Show"), "For 30 minutes");
    const before = Date.now();
    const form = screen.getByLabelText("Status").closest("form");
    if (form === null) throw new Error("no form");
    // As Enter in a field does.
    await fireEvent.submit(form);
    const asked = native.calls.findLast((one) => one.startsWith("fixStatus(")) ?? "";
    const status = JSON.parse(asked.slice("fixStatus(".length, -1));
    expect(status).toMatchObject({ application: "☕ Lunch", introduce: "", rgba: "200,90,40,1" });
    expect(status.until - before).toBeGreaterThanOrEqual(30 * 60_000);
    expect(status.until - before).toBeLessThan(31 * 60_000);
  });

  test('with the duration "today" ends at local midnight', () => {
    const noon = new Date(2026, 10, 20, 12).getTime();
    expect(endOf("today", noon, null)).toBe(new Date(2026, 10, 21).getTime());
    expect(endOf("hour", noon, null)).toBe(noon + 3_600_000);
    expect(endOf("forever", noon, 1)).toBeNull();
  });

  test("is not lost if it could not be saved", async () => {
    const { native, user } = await open("good");
    await user.click(button("Set a status…"));
    native.failure = "The settings file is read-only.";
    await user.keyboard("Out");
    await user.click(button("Set status"));
    // Content behind an open dialog is inert.
    const dialog = screen.getByRole("dialog");
    await within(dialog).findByText("The settings file is read-only.");
    expect(screen.getAllByText("The settings file is read-only.").length).toBe(1);
    expect(screen.getByDisplayValue("Out")).toBeTruthy();
    await user.click(button("Cancel"));
    expect(screen.getByText("The settings file is read-only.")).toBeTruthy();
  });

  test("has single-line fields only", async () => {
    const { native, user } = await open("good");
    await user.click(button("Set a status…"));
    await user.type(screen.getByLabelText("Status"), "Out");
    const line = screen.getByLabelText("Details");
    expect(line.tagName).toBe("INPUT");
    await user.type(line, "Back for tea");
    await user.click(button("Set status"));
    expect(native.calls).toContain(
      'fixStatus({"application":"Out","introduce":"Back for tea","rgba":"","until":null})',
    );
  });
});

describe("a colour", () => {
  test("is parsed with or without spaces", () => {
    expect(colour("233, 30, 99, 0.9")).toEqual({ rgb: "233 30 99", alpha: 0.9 });
  });

  test("is null if it is empty or not four numbers", () => {
    for (const wrong of ["", "1,2,3", "a,b,c,1", "1,2,3,", "1,2,3,4,5"])
      expect(colour(wrong)).toBeNull();
  });
});
