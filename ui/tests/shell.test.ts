import { readFileSync } from "node:fs";
import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { Alert, FileProblem, WorkReport } from "../src/api/types";
import sideBar from "../src/shell/SideBar.svelte?raw";
import { lit, scenes } from "../src/testing/scenes/home";
import { wrongFile } from "../src/testing/scenes/settings";
import { createLocale } from "../src/words/locale";
import { button, change, open } from "./window";

const place = () => screen.getByRole("heading", { level: 1 }).textContent;
const current = () =>
  within(screen.getByRole("navigation", { name: "Pages" })).getByRole("button", {
    current: "page",
  }).textContent;

describe("the side bar", () => {
  test("opens a page and focuses its heading", async () => {
    const { user } = await open("good");
    await user.click(button("Statistics"));
    expect(current()).toContain("Statistics");
    expect(place()).toBe("Statistics");
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Statistics"));
  });

  test("does not take the focus when the window opens", async () => {
    await open("good");
    expect(document.activeElement).toBe(document.body);
  });

  test("shows dots for the service and the tunnel, and alerts", async () => {
    const { native } = await open("good");
    const foot = within(screen.getByRole("region", { name: "System status" }));
    expect(foot.getByText("Service running").className).toContain("visually-hidden");
    expect(foot.getByText("Tunnel connected").className).toContain("visually-hidden");
    // The tile shows the port, and the address line the round-trip time.
    expect(screen.getAllByText(/4780/).length).toBe(1);
    expect(screen.getAllByText(/42 ms/).length).toBe(1);
    expect(foot.queryByRole("button")).toBeNull();
    change(native, scenes.trouble.home);
    await foot.findByText("Service not running");
    expect(foot.getByText("Tunnel not installed")).toBeTruthy();
    const button = foot.getByRole("button", { name: "6 actions needed" });
    expect(button.title).toContain("Watched folder not found: /mnt/camera\n");
  });

  test("shows maintenance progress on every page, and opens its row", async () => {
    const { native, user } = await open("good");
    const foot = within(screen.getByRole("region", { name: "System status" }));
    let finish = (_: WorkReport) => {};
    native.answer({
      checkImages: () => new Promise<WorkReport>((resolve) => (finish = resolve)),
    });
    await user.click(button("Settings"));
    await user.click(await screen.findByRole("tab", { name: "Backup & repair" }));
    await user.click(button("Check all pictures"));
    native.emit("work-changed", {
      kind: "check",
      done: 412,
      of: 2_417,
      cancelling: false,
      cancellable: true,
    });
    await user.click(button("Statistics"));
    const line = await foot.findByRole("button", { name: /^Checking pictures: 412 of 2,417/ });
    expect(within(line).getByRole("progressbar").getAttribute("aria-valuenow")).toBe("17");
    await user.click(line);
    expect(screen.getByRole("tab", { selected: true }).textContent).toContain("Backup & repair");
    await user.click(button("Cancel"));
    expect(native.calls).toContain("cancelWork()");
    native.emit("work-changed", {
      kind: "check",
      done: 413,
      of: 2_417,
      cancelling: true,
      cancellable: true,
    });
    await screen.findByRole("button", { name: "Cancelling…" });
    const none = { wrong: [], mended: 0, file: null, secrets: [], alreadyHere: 0, adopted: null };
    finish({ ...none, kind: "check", good: 413, cancelled: true });
    await screen.findByText("Cancelled after 413 pictures.");
    expect(foot.queryByRole("progressbar")).toBeNull();
  });

  test("does not repeat a single alert", async () => {
    const { native } = await open("good");
    const foot = within(screen.getByRole("region", { name: "System status" }));
    const address = { ...lit.address, port: null };
    const alerts = [{ what: { of: "service" }, place: "home" }] as const;
    change(native, { ...lit, address, alerts: [...alerts] });
    await foot.findByRole("button", { name: "The service is not running" });
    expect(foot.queryByText("Service not running")).toBeNull();
    expect(foot.getByText("Tunnel connected")).toBeTruthy();
  });

  test("opens the files that were set aside", async () => {
    const { user } = await open("on");
    await user.click(button("Not uploaded from watched folders: 1"));
    expect(place()).toBe("Pictures");
  });

  test("shows the number of files being uploaded", async () => {
    const file = { id: 1, name: "a.png", size: 1 };
    const { native } = await open({
      ...scenes.good,
      uploads: [{ ...file, state: "waiting" }],
    });
    await screen.findByText("Uploading 1 file");
    native.emit("uploads-changed", [
      { ...file, state: "waiting" },
      { ...file, id: 2, state: "working", permille: 5 },
      { ...file, id: 3, state: "failed", trouble: "broken" },
    ]);
    await screen.findByText("Uploading 2 files");
    native.emit("uploads-changed", []);
    await vi.waitFor(() => expect(screen.queryByText(/on their way/)).toBeNull());
  });

  test("has a bulb in the presence colour, lit only while readers see it", async () => {
    const { native } = await open("good");
    expect(screen.getByRole("img", { name: "The light is on" })).toBeTruthy();
    change(native, scenes.off.home);
    await screen.findByRole("img", { name: "The light is off" });
  });
});

describe("an alert", () => {
  const alerts: [Alert, string, string][] = [
    [{ what: { of: "service" }, place: "home" }, "The service is not running", "服务未运行"],
    [
      { what: { of: "heartbeats" }, place: "home" },
      "Status updates aren’t getting through",
      "状态更新发送失败",
    ],
    [
      { what: { of: "tunnel_missing", program: "bore" }, place: "home" },
      "bore is not installed",
      "未安装 bore",
    ],
    [
      { what: { of: "tunnel_stopped" }, place: "home" },
      "The tunnel couldn’t start",
      "隧道无法启动",
    ],
    [{ what: { of: "tunnel_down" }, place: "home" }, "The tunnel is disconnected", "隧道已断开"],
    [
      { what: { of: "folder_missing", folder: "/p" }, place: "home" },
      "Watched folder not found: /p",
      "找不到监视的文件夹：/p",
    ],
    [
      { what: { of: "upload_queue" }, place: "home" },
      "Watched folders can’t upload",
      "监视的文件夹无法上传",
    ],
    [{ what: { of: "editors" }, place: "home" }, "Editors can’t upload", "编辑器无法上传"],
    [
      { what: { of: "failed_uploads", count: 1 }, place: "images" },
      "Failed uploads: 1",
      "上传失败：1",
    ],
    [
      { what: { of: "set_aside", count: 3 }, place: "images" },
      "Not uploaded from watched folders: 3",
      "监视的文件夹中未能上传：3",
    ],
    [
      { what: { of: "settings_file", problem: wrongFile[0] as FileProblem }, place: "settings" },
      "There’s a mistake in settings.toml",
      "settings.toml 中有错误",
    ],
  ];

  test.for(alerts)("is shown in both languages and opens its page: %o", async (case_) => {
    const [alert, english, chinese] = case_;
    const scene = { home: { ...lit, alerts: [alert] }, uploads: [] };
    const first = await open(scene, "zh-CN");
    expect(button(chinese)).toBeTruthy();
    first.unmount();
    const { user } = await open(scene);
    await user.click(button("Game"));
    await user.click(button(english));
    expect(place()).toBe(createLocale("en").words.places[alert.place]);
  });
});

test("a narrow side bar keeps the page names for screen readers", () => {
  expect(sideBar).toContain('<span class="hidden-when-narrow">{words.places[place]}</span>');
  const shared = readFileSync("src/base.css", "utf8");
  const narrow = shared.slice(shared.indexOf("@media (max-width: 999px)"));
  const rule = /\.hidden-when-narrow\s*\{([^}]*)\}/.exec(narrow)?.[1];
  expect(rule).toContain("clip-path: inset(50%)");
  expect(rule).not.toContain("display: none");
});

describe("global shortcuts", () => {
  test("open each page by its number, and the settings", async () => {
    const { user } = await open("good");
    const names = ["Home", "Pictures", "Presence", "Game", "Statistics", "Settings"];
    for (const [index, name] of names.entries()) {
      await user.keyboard(`{Control>}[Digit${index + 1}]{/Control}`);
      expect(current()).toContain(name);
    }
    await user.keyboard("{Control>}1{/Control}");
    expect(place()).toBe("Home");
    await user.keyboard("{Control>},{/Control}");
    expect(place()).toBe("Settings");
  });

  test("add pictures, and paste them outside of text fields", async () => {
    const { native, user } = await open("good");
    await user.keyboard("{Control>}o{/Control}");
    expect(native.calls).toContain("choosePictures()");
    await user.keyboard("{Control>}v{/Control}");
    expect(native.calls.filter((one) => one === "pastePictures()").length).toBe(1);
    const field = document.body.appendChild(document.createElement("input"));
    field.focus();
    await user.keyboard("{Control>}v{/Control}?");
    field.remove();
    expect(native.calls.filter((one) => one === "pastePictures()").length).toBe(1);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test.for(["?", "{Control>}/{/Control}"])("list every shortcut on %s", async (pressed) => {
    const { native, user } = await open("good");
    button("Game").focus();
    await user.keyboard(pressed);
    const sheet = within(screen.getByRole("dialog", { name: "Keyboard shortcuts" }));
    const keys = (what: string) =>
      [...(sheet.getByText(what, { selector: "dt" }).closest("div")?.querySelectorAll("kbd") ?? [])]
        .map((key) => key.textContent)
        .join(" ");
    expect(keys("Go to Presence")).toBe("Ctrl 3");
    expect(keys("Search (also in Settings)")).toBe("Ctrl F");
    expect(keys("Select or deselect")).toBe("Space");
    expect(keys("Extend the selection")).toBe("Shift ← ↑ → ↓");
    expect(keys("Select all")).toBe("Ctrl A");
    expect(keys("View large")).toBe("Enter");
    expect(keys("Delete")).toBe("Delete");
    expect(keys("Undo")).toBe("Ctrl Z");
    expect(keys("Move a rule")).toBe("Alt ↑ ↓");
    // An open dialog gets all keys.
    await user.keyboard("{Control>}o{/Control}");
    expect(native.calls).not.toContain("choosePictures()");
    await user.click(sheet.getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(document.activeElement).toBe(button("Game"));
  });

  test("ignore other keys", async () => {
    const { native, user } = await open("good");
    const before = native.calls.length;
    await user.keyboard("1ov,/{Alt>}1{/Alt}{Control>}x7{/Control}");
    expect(place()).toBe("Home");
    expect(native.calls.length).toBe(before);
  });
});

describe("a dialog", () => {
  test("closes on cancel and on a click outside", async () => {
    const { user } = await open("good");
    for (const close of [
      (dialog: HTMLElement) => fireEvent(dialog, new Event("cancel", { cancelable: true })),
      (dialog: HTMLElement) => fireEvent.mouseDown(dialog),
    ]) {
      await user.keyboard("?");
      await close(screen.getByRole("dialog"));
      await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    }
  });
});

describe("a menu", () => {
  test("is navigated by arrow keys, and restores the focus", async () => {
    const { native, user } = await open("good");
    const more = button("More");
    more.focus();
    await user.keyboard("{ArrowDown}");
    const focused = () => document.activeElement?.textContent?.trim();
    await vi.waitFor(() => expect(focused()).toBe("Pause until tomorrow"));
    await user.keyboard("{ArrowUp}");
    expect(focused()).toBe("Stop sharing");
    await user.keyboard("{Home}{ArrowDown}");
    expect(focused()).toBe("Pause until I resume");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(more);
    const atFirst = ["uploads()", "requestedPage()", "maintenance()"];
    expect(native.calls.filter((one) => !atFirst.includes(one))).toEqual(["home()"]);
  });
});

describe("events of the backend", () => {
  test("show a page", async () => {
    const { native } = await open("good");
    native.emit("show-place", "presence");
    await vi.waitFor(() => expect(place()).toBe("Presence"));
  });

  test("show the page that was requested before the window listened", async () => {
    const { native } = await open({ ...scenes.good, requestedPage: "images" });
    await vi.waitFor(() => expect(place()).toBe("Pictures"));
    expect(native.calls.filter((one) => one === "requestedPage()")).toHaveLength(1);
  });

  test("open the status dialog from the tray", async () => {
    await open({ ...scenes.good, requestedPage: "status" });
    await screen.findByRole("dialog", { name: "Set a status" });
  });

  test("show the drop target while files are dragged over the window", async () => {
    const { native } = await open("good");
    native.emit("drop-hover", true);
    await screen.findByText("Drop to upload");
    native.emit("drop-hover", false);
    await vi.waitFor(() => expect(screen.queryByText("Drop to upload")).toBeNull());
  });

  test("show the drop target above open dialogs", async () => {
    const shown = vi.fn();
    const before = HTMLElement.prototype.showPopover;
    HTMLElement.prototype.showPopover = shown;
    const { native, user } = await open("good");
    await user.keyboard("?");
    native.emit("drop-hover", true);
    const veil = (await screen.findByText("Drop to upload")).closest("[popover]");
    expect(veil?.getAttribute("popover")).toBe("manual");
    expect(shown.mock.contexts).toEqual([veil]);
    HTMLElement.prototype.showPopover = before;
  });

  test("keep the focus at the page heading when the language changes", async () => {
    const { native, user } = await open("good");
    await user.click(button("Settings"));
    await screen.findByRole("heading", { level: 1, name: "Settings" });
    native.answer({
      appearance: { theme: "system", language: "zh", systemLanguage: "en-GB" },
    });
    native.emit("settings-changed", null);
    const heading = await screen.findByRole("heading", { level: 1, name: "设置" });
    await vi.waitFor(() => expect(document.activeElement).toBe(heading));
  });

  test("switch the language at once and keep the page", async () => {
    const { native, user } = await open("good");
    await user.click(button("Game"));
    native.answer({
      appearance: { theme: "system", language: "zh", systemLanguage: "en-GB" },
    });
    native.emit("settings-changed", null);
    await screen.findByRole("heading", { level: 1, name: "游戏" });
    expect(document.documentElement.lang).toBe("zh-CN");
  });

  test("switch the theme at once without rebuilding the window", async () => {
    const { native } = await open("good");
    const before = screen.getByRole("main");
    const { theme } = document.documentElement.dataset;
    expect(theme).toBeUndefined();
    for (const [wanted, painted] of [
      ["dark", "dark"],
      ["light", "light"],
      ["system", undefined],
    ] as const) {
      native.answer({
        appearance: { theme: wanted, language: "system", systemLanguage: "en-GB" },
      });
      native.emit("settings-changed", null);
      await vi.waitFor(() => expect(document.documentElement.dataset.theme).toBe(painted));
    }
    expect(screen.getByRole("main")).toBe(before);
  });
});
