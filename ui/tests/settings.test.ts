import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { SettingProblem, SettingValue } from "../src/api/types";
import { bytes, fitting, parseNumber, seconds, written } from "../src/settings/units";
import { scenes } from "../src/testing/scenes/settings";
import { text as words } from "../src/testing/text";
import { field, kept, open, row, text } from "./settings-place";

type Changes = Record<string, SettingValue>;

const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("a setting", () => {
  test("with a switch is written at once", async () => {
    const { native, user } = await open(kept({}), "system");
    await user.click(field("system.show_host"));
    expect(native.calls).toContain('updateSettings({"system.show_host":true})');
    await vi.waitFor(() =>
      expect(field("system.show_host").getAttribute("aria-checked")).toBe("true"),
    );
  });

  test("with a text field is written only when the field is left", async () => {
    const { native, user } = await open(kept({}), "game");
    await user.type(field("game.steam_id"), "76561197960287930");
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
    await user.tab();
    expect(native.calls).toContain('updateSettings({"game.steam_id":"76561197960287930"})');
    await vi.waitFor(() => expect(text(row("game.steam_id"))).toContain("Saved"));
    expect(native.calls.filter((one) => one.startsWith("updateSettings(")).length).toBe(1);
  });

  test("is checked while typing, with problems beside the field", async () => {
    const why = "server.listen is an address and a port";
    const scene = kept({}, (all) =>
      all["server.listen"] === "here" ? [{ key: "server.listen", why: words(why) }] : [],
    );
    const { native } = await open(scene, "service");
    for (const value of ["h", "he", "her", "here"]) {
      await fireEvent.input(field("server.listen"), { target: { value } });
      await new Promise((later) => setTimeout(later));
    }
    await vi.waitFor(() => expect(text(row("server.listen"))).toContain(why));
    expect(field("server.listen").getAttribute("aria-invalid")).toBe("true");
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
    // One check for all keys typed at once, not one per key.
    expect(native.calls.filter((one) => one.startsWith("checkSettings(")).length).toBe(1);
  });

  test("ignores the result of a check of older input", async () => {
    const answers: ((problems: SettingProblem[]) => void)[] = [];
    const { user, native } = await open(
      {
        ...scenes.full,
        checkSettings: () => new Promise<SettingProblem[]>((resolve) => answers.push(resolve)),
      },
      "game",
    );
    await user.type(field("game.region"), "x");
    await vi.waitFor(() => expect(answers.length).toBe(1));
    await user.type(field("game.region"), "y");
    await vi.waitFor(() => expect(answers.length).toBe(2));
    answers[1]?.([]);
    answers[0]?.([{ key: "game.region", why: words("two letters") }]);
    await vi.waitFor(() => expect(native.calls.length).toBeGreaterThan(3));
    await new Promise((drawn) => setTimeout(drawn));
    expect(text(row("game.region"))).not.toContain("two letters");
  });

  test("stays as typed if it is rejected, until it is discarded", async () => {
    const scene = kept({}, (all) =>
      all["game.region"] === "xyz" ? [{ key: "game.region", why: words("two letters") }] : [],
    );
    const { native, user } = await open(scene, "game");
    await user.type(field("game.region"), "xyz{Enter}");
    await vi.waitFor(() => expect(text(row("game.region"))).toContain("Not saved yet"));
    // Leaving the field submits nothing again.
    await user.tab();
    expect(native.calls.filter((one) => one.startsWith("updateSettings(")).length).toBe(1);
    expect(field("game.region").value).toBe("xyz");
    expect(screen.getByRole("img", { name: "Not saved yet" })).toBeTruthy();
    await user.click(button("Undo the change to “Store country”"));
    expect(field("game.region").value).toBe("");
    expect(text(row("game.region"))).not.toContain("two letters");
  });

  test("is restored with an error if it could not be written", async () => {
    const { native, user } = await open(kept({}), "system");
    native.failure = "The settings file is read-only.";
    await user.click(field("system.show_host"));
    await screen.findByText("The settings file is read-only.");
    expect(field("system.show_host").getAttribute("aria-checked")).toBe("false");
  });

  test("can be reset to its default", async () => {
    const { native, user } = await open(kept({ "images.quality": 85 }), "images");
    expect(text(row("images.quality"))).toContain("Default: 80");
    expect(within(row("images.delivery")).queryByRole("button", { name: /^Reset/ })).toBeNull();
    await user.click(button("Reset “Quality” to its default"));
    expect(native.calls).toContain('updateSettings({"images.quality":null})');
    await vi.waitFor(() => expect(field("images.quality").value).toBe("80"));
  });

  test("is locked if it is fixed by the environment or the command line, and shows which", async () => {
    const { unmount } = await open("full", "service");
    expect(field("server.listen").disabled).toBe(true);
    expect(text(row("server.listen"))).toContain(
      "Fixed by the environment variable PORCHLIGHT_SERVER_LISTEN",
    );
    unmount();
    await open("full", "images");
    expect(field("images.max_pixels").disabled).toBe(true);
    expect(text(row("images.max_pixels"))).toContain("--set images.max_pixels=…");
  });
});

describe("settings that depend on each other", () => {
  const store = (all: Changes): SettingProblem[] =>
    all["storage.kind"] === "s3" && all["storage.bucket"] === undefined
      ? [{ key: "storage.bucket", why: words("an object store needs a bucket") }]
      : [];

  test("are held back until all are filled in, and then written together", async () => {
    const { native, user } = await open(kept({}, store), "storage");
    await user.click(screen.getByRole("radio", { name: "Object storage (S3)" }));
    await vi.waitFor(() =>
      expect(text(row("storage.kind"))).toContain("an object store needs a bucket"),
    );
    expect(text(row("storage.kind"))).toContain("Not saved yet");
    await user.type(field("storage.bucket"), "pictures{Enter}");
    expect(native.calls).toContain(
      'updateSettings({"storage.kind":"s3","storage.bucket":"pictures"})',
    );
    await vi.waitFor(() => expect(text(row("storage.kind"))).not.toContain("Not saved yet"));
    expect(button("Move to object storage")).toBeTruthy();
  });

  test("do not block a valid one while another is held back", async () => {
    const { native, user } = await open(kept({}, store), "storage");
    await user.click(screen.getByRole("radio", { name: "Object storage (S3)" }));
    await vi.waitFor(() => expect(text(row("storage.kind"))).toContain("Not saved yet"));
    await user.type(field("storage.region"), "eu{Enter}");
    await vi.waitFor(() =>
      expect(native.calls).toContain('updateSettings({"storage.region":"eu"})'),
    );
    await vi.waitFor(() => expect(text(row("storage.region"))).toContain("Saved"));
    expect(text(row("storage.kind"))).toContain("Not saved yet");
  });
});

describe("a secret", () => {
  test("is never shown, only whether it is set", async () => {
    const { native, user, container } = await open(kept({ "game.steam_api_key": true }), "game");
    expect(text(row("game.steam_api_key"))).toContain("Set");
    expect(row("game.steam_api_key").querySelector("input")).toBeNull();
    await user.click(button("Replace: Steam Web API key"));
    const input = field("game.steam_api_key");
    expect(document.activeElement).toBe(input);
    expect([input.type, input.value, input.autocomplete]).toEqual(["password", "", "off"]);
    await user.type(input, "0123456789ABCDEF");
    await user.click(within(row("game.steam_api_key")).getByRole("button", { name: "Save" }));
    expect(native.calls).toContain('updateSettings({"game.steam_api_key":"0123456789ABCDEF"})');
    await vi.waitFor(() => expect(text(row("game.steam_api_key"))).toContain("Saved"));
    expect(container.innerHTML).not.toContain("0123456789ABCDEF");
  });

  test("is not written when its field is left or cancelled", async () => {
    const { native, user } = await open(kept({}), "ip");
    await user.click(button("Add: ipinfo.io token"));
    await user.type(field("ip.ipinfo_token"), "abc");
    await user.click(within(row("ip.ipinfo_token")).getByRole("button", { name: "Cancel" }));
    expect(text(row("ip.ipinfo_token"))).toContain("Not set");
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
  });

  test("is removed after a confirmation", async () => {
    const { native, user } = await open(kept({ "picgo.secret": true }), "editors");
    await user.click(button("Remove: Secret"));
    await user.click(button("Cancel"));
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
    await user.click(button("Remove: Secret"));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(native.calls).toContain('updateSettings({"picgo.secret":null})');
    await vi.waitFor(() => expect(text(row("picgo.secret"))).toContain("Not set"));
  });
});

describe("a number", () => {
  test("is shown in the largest fitting unit and written exactly", async () => {
    const { native, user } = await open(kept({}), "images");
    expect(field("images.max_upload_bytes").value).toBe("50");
    await user.clear(field("images.max_upload_bytes"));
    await user.type(field("images.max_upload_bytes"), "12.5{Enter}");
    expect(native.calls).toContain('updateSettings({"images.max_upload_bytes":13107200})');
    await vi.waitFor(() => expect(field("images.max_upload_bytes").value).toBe("12.5"));
  });

  test("is converted to another unit without writing it", async () => {
    const { native, user } = await open(kept({}), "sharing");
    expect(field("presence.idle_seconds").value).toBe("5");
    const unit = within(row("presence.idle_seconds")).getByRole("combobox");
    await user.selectOptions(unit, "seconds");
    expect(field("presence.idle_seconds").value).toBe("300");
    await user.tab();
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
  });

  test("is rejected without a request if it is invalid or out of bounds", async () => {
    const { native, user } = await open(kept({}), "images");
    await user.type(field("images.quality"), "x{Enter}");
    expect(text(row("images.quality"))).toContain("Enter a number.");
    await user.clear(field("images.quality"));
    await user.type(field("images.quality"), "101{Enter}");
    expect(text(row("images.quality"))).toContain("Enter a number from 1 to 100.");
    expect(field("images.quality").value).toBe("101");
    expect(native.calls.some((one) => one.startsWith("updateSettings("))).toBe(false);
  });

  test("is parsed and formatted without loss", () => {
    expect(fitting(52_428_800, bytes)?.name).toBe("mib");
    expect(fitting(1_500, bytes)?.name).toBe("bytes");
    expect(fitting(0, seconds)?.name).toBe("seconds");
    expect(written(450, seconds[1])).toBe("7.5");
    expect(parseNumber("7,5", seconds[1])).toBe(450);
    expect(parseNumber("1 000", undefined)).toBe(1_000);
    expect(parseNumber("-1", undefined)).toBeNull();
  });
});

describe("lists and files", () => {
  test("folders are added with the system dialog and can be removed", async () => {
    const scene = kept({ "watch.folders": ["/a"] });
    const { native, user } = await open(scene, "folders");
    // The other one is for folders of posts.
    const addButtons = () => screen.getAllByRole("button", { name: "Add folder…" });
    const addWatched = () => addButtons()[0] as HTMLElement;
    native.answer({ chooseFolder: "/b" });
    await user.click(addWatched());
    expect(native.calls).toContain('updateSettings({"watch.folders":["/a","/b"]})');
    await user.click(await screen.findByRole("button", { name: "Remove /a" }));
    expect(native.calls).toContain('updateSettings({"watch.folders":["/b"]})');
    native.answer({ chooseFolder: null });
    const before = native.calls.length;
    await user.click(addWatched());
    expect(native.calls.slice(before)).toEqual(["chooseFolder()"]);
  });

  test("a file is chosen with the system dialog", async () => {
    const { native, user } = await open(kept({}), "ip");
    native.answer({ chooseFile: "/data/city.mmdb" });
    await user.click(within(row("ip.mmdb")).getByRole("button", { name: /^Choose/ }));
    expect(native.calls).toContain('updateSettings({"ip.mmdb":"/data/city.mmdb"})');
  });

  test("the link preview matches each format and a custom one", async () => {
    const { native, user } = await open(kept({}), "links");
    await user.click(screen.getByRole("radio", { name: "Markdown" }));
    expect(native.calls).toContain('updateSettings({"links.template":"markdown"})');
    await vi.waitFor(() => expect(text(row("links.template"))).toContain("![](https://"));
    await user.click(screen.getByRole("radio", { name: "My format" }));
    const own = screen.getByRole<HTMLInputElement>("textbox", { name: /^Your own text/ });
    expect(own.value).toBe("![]({url})");
    await user.type(own, " :)");
    expect(text(row("links.template"))).toMatch(/!\[\]\(https:\S+\) :\)/);
  });
});

describe("the settings page", () => {
  test("moves through its groups with the arrow keys", async () => {
    const { user } = await open("full", "app");
    screen.getByRole("tab", { name: "App" }).focus();
    await user.keyboard("{ArrowDown}");
    expect(screen.getByRole("heading", { name: "Backup & repair" })).toBeTruthy();
    await user.keyboard("{End}");
    expect(document.activeElement?.textContent?.trim()).toBe("Access tokens");
  });

  test("shows the reason if it cannot be read, and can be retried", async () => {
    const { native, user } = await open("lost");
    expect(text()).toMatch(/The settings file .* cannot be read: no permission/);
    native.answer({ settings: scenes.full.settings });
    await user.click(button("Try again"));
    await screen.findByRole("heading", { name: "App" });
  });

  test("removes its listeners when it is left", async () => {
    const { native, unmount } = await open("full");
    expect(native.listeners).toBe(2);
    unmount();
    await vi.waitFor(() => expect(native.listeners).toBe(0));
  });

  test("can start the app at login only where the system supports it", async () => {
    const { native, user, unmount } = await open("full");
    await user.click(screen.getByRole("switch", { name: "Start at login" }));
    expect(native.calls).toContain("startAtLogin(false)");
    unmount();
    await open("first");
    expect(screen.getByRole<HTMLButtonElement>("switch", { name: "Start at login" }).disabled).toBe(
      true,
    );
    expect(screen.queryByRole("switch", { name: "Show in applications menu" })).toBeNull();
  });

  test("speaks of Explorer on Windows, where the setup brings the entry in the start menu", async () => {
    vi.spyOn(navigator, "userAgent", "get").mockReturnValue("Mozilla/5.0 (Windows NT 10.0)");
    const { native, user } = await open("full");
    await user.click(screen.getByRole("switch", { name: "Upload from Explorer" }));
    expect(native.calls.filter((call) => call.startsWith("menuEntry"))).toHaveLength(1);
    expect(screen.queryByRole("switch", { name: "Show in applications menu" })).toBeNull();
    vi.restoreAllMocks();
  });
});
