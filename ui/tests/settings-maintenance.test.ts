// Watched folders, tokens, editors, and the maintenance of the data folder in the page "settings".

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { Trouble } from "../src/api/interface";
import type { MaintenanceGlance, Work, WorkReport } from "../src/api/types";
import { scenes } from "../src/testing/scenes/settings";
import { detail } from "../src/testing/text";
import { kept, open, text } from "./settings-place";

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const radio = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });

const report = (more: Partial<WorkReport>): WorkReport => ({
  kind: "check",
  good: 1_204,
  wrong: [],
  mended: 0,
  file: null,
  secrets: [],
  alreadyHere: 0,
  cancelled: false,
  adopted: null,
  ...more,
});

describe("watched folders", () => {
  test("can be paused and resumed", async () => {
    const { native, user } = await open("full", "folders");
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    expect(native.calls).toContain("pauseWatching(true)");
    native.answer({ home: scenes.paused.home });
    native.emit("home-changed", null);
    await user.click(await screen.findByRole("button", { name: "Resume" }));
    expect(native.calls).toContain("pauseWatching(false)");
  });

  test("cannot be paused if there are none", async () => {
    await open("first", "folders");
    expect(screen.queryByRole("button", { name: "Pause" })).toBeNull();
  });
});

describe("tokens", () => {
  test("show their name, scope, creation time and last use", async () => {
    await open("full", "tokens");
    const [, ...rows] = within(screen.getByRole("table")).getAllByRole("row");
    expect(rows.map((one) => [...one.children].slice(0, 4).map((cell) => text(cell)))).toEqual([
      ["手机", "Full access", "19 Nov 2026", "never"],
      ["Typora", "Upload", "17 Nov 2026", "2 hours ago"],
      ["heartbeat", "Status updates", "22 Aug 2026", "12 seconds ago"],
      ["admin", "Full access", "22 Aug 2026", "never"],
    ]);
  });

  test("are created with a name and a scope, and never shown", async () => {
    const { native, user } = await open("full", "tokens");
    await user.click(button("New token…"));
    const make = button("Create and copy") as HTMLButtonElement;
    expect(make.disabled).toBe(true);
    await user.type(screen.getByRole("textbox", { name: "Name" }), "phone");
    await user.click(radio("Upload"));
    await user.click(make);
    expect(native.calls).toContain('newToken("phone", "upload")');
    await screen.findByText("Token copied. It’s shown only once, so paste it now.");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("are revoked after a confirmation", async () => {
    const { native, user } = await open("full", "tokens");
    await user.click(button("Revoke “Typora”"));
    await user.click(button("Cancel"));
    expect(native.calls.some((one) => one.startsWith("revokeToken("))).toBe(false);
    await user.click(button("Revoke “手机”"));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Revoke" }));
    expect(native.calls.some((one) => one.startsWith("revokeToken("))).toBe(true);
  });
});

describe("editors", () => {
  test("are set up by file or clipboard, and the page shows which", async () => {
    const { native, user } = await open("full", "editors");
    native.answer({ setUpEditor: { file: "/home/mira/up.sxcu", token: "ShareX" } });
    await user.click(button("Set up ShareX"));
    await screen.findByText("Saved as /home/mira/up.sxcu, with the token “ShareX”.");
    native.answer({ setUpEditor: { file: null, token: "curl" } });
    await user.click(button("Set up curl"));
    await screen.findByText("Copied, with the token “curl”. Paste it now.");
    expect(native.calls).toContain('setUpEditor("share_x")');
  });

  test("for another image host have the server address and a token while its API is on", async () => {
    const { native, user } = await open("full", "editors");
    expect(screen.queryByRole("button", { name: "Set up Chevereto" })).toBeNull();
    await screen.findAllByText("https://light.example.org");
    await user.click(button("Server address"));
    expect(native.calls).toContain("copyAddress()");
    native.answer({ setUpEditor: { file: null, token: "Lsky Pro" } });
    await user.click(button("Set up Lsky Pro"));
    await screen.findByText("Copied, with the token “Lsky Pro”. Paste it now.");
    expect(native.calls).toContain('setUpEditor("lsky")');
  });
});

describe("the listener for editors", () => {
  test("has its address copied by the backend, and its secret can be turned off", async () => {
    const { native, user } = await open(kept({ "picgo.enabled": true }), "editors");
    await user.click(button("Copy address"));
    expect(native.calls).toContain("copyEditorAddress()");
    await screen.findByText("Address copied");
    await user.click(button("Turn off the secret…"));
    expect(native.calls).toContain('updateSettings({"picgo.secret":""})');
  });

  test("has no address while it is off", async () => {
    await open(kept({}), "editors");
    expect(screen.queryByRole("button", { name: "Copy address" })).toBeNull();
  });
});

describe("the maintenance of the data folder", () => {
  test("shows its progress, blocks other tasks, and shows the result", async () => {
    const { native, user } = await open("full", "maintenance");
    let finish = (_: WorkReport) => {};
    native.answer({
      checkImages: () => new Promise<WorkReport>((resolve) => (finish = resolve)),
    });
    await user.click(button("Check all pictures"));
    expect(native.calls).toContain("checkImages(false)");
    native.emit("work-changed", {
      kind: "check",
      done: 301,
      of: 1_206,
      cancelling: false,
      cancellable: true,
    });
    await screen.findByText("301 of 1,206");
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("25");
    expect((button("Save backup…") as HTMLButtonElement).disabled).toBe(true);
    vi.setSystemTime(Date.now() + 2_000);
    native.emit("work-changed", {
      kind: "check",
      done: 603,
      of: 1_206,
      cancelling: false,
      cancellable: true,
    });
    await screen.findByText("603 of 1,206 · about 4 s left");
    native.emit("work-changed", null);
    finish(
      report({
        wrong: [detail("ab12….webp is not what was stored"), detail("cd34….webp is missing")],
      }),
    );
    await screen.findByText("1,204 pictures OK. 2 problems found:");
    expect(text()).toContain("cd34….webp is missing");
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  test("shows a task that another window started, and its result", async () => {
    const work: Work = { kind: "backup", done: 3, of: 12, cancelling: false, cancellable: true };
    const scene = { ...scenes.full, maintenance: { work, reports: [] } };
    const { native } = await open(scene, "maintenance");
    await screen.findByText("3 of 12");
    expect((button("Check all pictures") as HTMLButtonElement).disabled).toBe(true);
    native.emit("work-changed", { ...work, done: 11 });
    await screen.findByText("11 of 12");
    const done = report({ kind: "backup", good: 12, file: "/home/mira/porch.tar" });
    native.answer({ maintenance: { work: null, reports: [done] } });
    native.emit("work-changed", null);
    await screen.findByText(/12 pictures saved in \/home\/mira\/porch\.tar\./);
    expect((button("Check all pictures") as HTMLButtonElement).disabled).toBe(false);
  });

  test("shows a repair and a restore in their rows", async () => {
    const { native } = await open("full", "maintenance");
    native.emit("work-changed", {
      kind: "repair",
      done: 1,
      of: 2,
      cancelling: false,
      cancellable: true,
    });
    await screen.findByText("Checking and repairing");
    native.emit("work-changed", {
      kind: "restore",
      done: 1,
      of: 2,
      cancelling: false,
      cancellable: true,
    });
    await screen.findByText("Restoring a backup");
    expect(screen.queryByText("Checking and repairing")).toBeNull();
    // Once it replaces what is there, it cannot be cancelled.
    expect(button("Cancel")).toBeTruthy();
    const work = {
      kind: "restore",
      done: 1,
      of: 2,
      cancelling: false,
      cancellable: false,
    } as const;
    native.emit("work-changed", work);
    await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull());
    const cancelled = report({ kind: "restore", cancelled: true });
    native.answer({ maintenance: { work: null, reports: [cancelled] } });
    native.emit("work-changed", null);
    await screen.findByText("Cancelled. Nothing was restored.");
  });

  test("does not affect the running task of another row if it is rejected", async () => {
    const { native, user } = await open("full", "maintenance");
    native.answer({
      checkImages: () => {
        native.emit("work-changed", {
          kind: "move",
          done: 3,
          of: 9,
          cancelling: false,
          cancellable: true,
        });
        throw new Trouble({ code: "busy" });
      },
    });
    await user.click(button("Check all pictures"));
    await screen.findByRole("alert");
    expect((button("Check all pictures") as HTMLButtonElement).disabled).toBe(true);
  });

  test("imports pictures from another server, and reports duplicates and failures", async () => {
    const { native, user } = await open("full", "maintenance");
    expect((button("Import…") as HTMLButtonElement).disabled).toBe(true);
    const wrong = [
      {
        code: "about",
        parameters: { what: "ab12", why: detail("it answers 404") },
      },
    ] as const;
    const done = { kind: "import", good: 8, alreadyHere: 3 } as const;
    native.answer({ importImages: report({ ...done, wrong: [...wrong] }) });
    const from = screen.getByRole("textbox", { name: "Address of the other server" });
    await user.type(from, "https://old.example.blog");
    await user.click(button("Import…"));
    expect(native.calls).toContain('importImages("https://old.example.blog")');
    await screen.findByText("8 pictures imported; 3 already here. 1 problem found:");
    expect(text()).toContain("ab12: it answers 404");
    native.answer({
      importImages: report({ kind: "import", good: 2, cancelled: true }),
    });
    await user.click(button("Import…"));
    await screen.findByText("Cancelled after 2 pictures. Import again to continue.");
  });

  test("is not overwritten by an answer that is older than an event", async () => {
    let answer = (_: MaintenanceGlance) => {};
    const maintenance = () => new Promise<MaintenanceGlance>((resolve) => (answer = resolve));
    const { native } = await open({ ...scenes.full, maintenance }, "maintenance");
    native.emit("work-changed", {
      kind: "check",
      done: 8,
      of: 9,
      cancelling: false,
      cancellable: true,
    });
    answer({
      work: { kind: "check", done: 1, of: 9, cancelling: false, cancellable: true },
      reports: [],
    });
    await screen.findByText("8 of 9");
    expect(screen.queryByText("1 of 9")).toBeNull();
  });

  test("includes secrets in a backup only on request, and lists them", async () => {
    const { native, user } = await open("full", "maintenance");
    native.answer({
      backUp: (withSecrets: boolean) =>
        report({
          kind: "backup",
          file: "/home/mira/porch.tar",
          secrets: withSecrets ? ["game.steam_api_key"] : [],
        }),
    });
    await user.click(button("Save backup…"));
    await screen.findByText(/saved in \/home\/mira\/porch\.tar\. It includes no secrets\./);
    await user.click(screen.getByRole("switch", { name: "Include secrets" }));
    await user.click(button("Save backup…"));
    await screen.findByText(/It includes these secrets: game\.steam_api_key\./);
    expect(native.calls.filter((one) => one.startsWith("backUp("))).toEqual([
      "backUp(false)",
      "backUp(true)",
    ]);
  });

  test("leaves the question about a restore to the dialog of the system", async () => {
    const { native, user } = await open("full", "maintenance");
    await user.click(button("Restore backup…"));
    expect(native.calls).toContain("restoreBackup()");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("moves the pictures to the current storage", async () => {
    const { native, user } = await open("store", "storage");
    native.answer({ moveImages: report({ kind: "move", good: 1 }) });
    await user.click(button("Move to object storage"));
    expect(native.calls).toContain('moveImages("s3")');
    await screen.findByText("1 picture moved.");
  });

  test("copies the diagnostics for a problem report", async () => {
    const { native, user } = await open("full", "app");
    await user.click(button("Copy diagnostics"));
    expect(native.calls).toContain("copyDiagnostics()");
    await screen.findByText("Diagnostics copied");
  });
});
