import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { SettingProblem, SettingValue } from "../src/api/types";
import { bytes, fitting, meant, seconds, written } from "../src/settings/units";
import { scenes } from "../src/testing/scenes/settings";
import { text as words } from "../src/testing/text";
import { field, kept, open, row, text } from "./settings-place";

type Changes = Record<string, SettingValue>;

const button = (name: string | RegExp) => screen.getByRole("button", { name });

describe("a setting", () => {
  test("that is a switch is written at once", async () => {
    const { native, user } = await open(kept({}), "system");
    await user.click(field("system.show_host"));
    expect(native.asked).toContain('settings.update({"system.show_host":true})');
    await vi.waitFor(() =>
      expect(field("system.show_host").getAttribute("aria-checked")).toBe("true"),
    );
  });

  test("that is typed is written when it is left, not before", async () => {
    const { native, user } = await open(kept({}), "game");
    await user.type(field("game.steam_id"), "76561197960287930");
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
    await user.tab();
    expect(native.asked).toContain('settings.update({"game.steam_id":"76561197960287930"})');
    await vi.waitFor(() => expect(text(row("game.steam_id"))).toContain("Saved"));
    expect(native.asked.filter((one) => one.startsWith("settings.update")).length).toBe(1);
  });

  test("is checked while it is typed, and says beside the field what is wrong", async () => {
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
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
    // One question for what was typed in one go, not one a letter.
    expect(native.asked.filter((one) => one.startsWith("settings.check")).length).toBe(1);
  });

  test("is not marked by the answer to what was typed before", async () => {
    const answers: ((problems: SettingProblem[]) => void)[] = [];
    const { user, native } = await open(
      {
        ...scenes.full,
        settings: {
          ...scenes.full.settings,
          check: () => new Promise<SettingProblem[]>((resolve) => answers.push(resolve)),
        },
      },
      "game",
    );
    await user.type(field("game.region"), "x");
    await vi.waitFor(() => expect(answers.length).toBe(1));
    await user.type(field("game.region"), "y");
    await vi.waitFor(() => expect(answers.length).toBe(2));
    answers[1]?.([]);
    answers[0]?.([{ key: "game.region", why: words("two letters") }]);
    await vi.waitFor(() => expect(native.asked.length).toBeGreaterThan(3));
    await new Promise((drawn) => setTimeout(drawn));
    expect(text(row("game.region"))).not.toContain("two letters");
  });

  test("that is refused stays as it was typed, until it is undone", async () => {
    const scene = kept({}, (all) =>
      all["game.region"] === "xyz" ? [{ key: "game.region", why: words("two letters") }] : [],
    );
    const { native, user } = await open(scene, "game");
    await user.type(field("game.region"), "xyz{Enter}");
    await vi.waitFor(() => expect(text(row("game.region"))).toContain("Not saved yet"));
    // Leaving the field means nothing new.
    await user.tab();
    expect(native.asked.filter((one) => one.startsWith("settings.update")).length).toBe(1);
    expect(field("game.region").value).toBe("xyz");
    expect(screen.getByRole("img", { name: "Not saved yet" })).toBeTruthy();
    await user.click(button("Undo the change to “Store country”"));
    expect(field("game.region").value).toBe("");
    expect(text(row("game.region"))).not.toContain("two letters");
  });

  test("that could not be written says so, and is as before", async () => {
    const { native, user } = await open(kept({}), "system");
    native.failure = "The settings file is read-only.";
    await user.click(field("system.show_host"));
    await screen.findByText("The settings file is read-only.");
    expect(field("system.show_host").getAttribute("aria-checked")).toBe("false");
  });

  test("goes back to its default", async () => {
    const { native, user } = await open(kept({ "images.quality": 85 }), "images");
    expect(text(row("images.quality"))).toContain("Default: 80");
    expect(within(row("images.delivery")).queryByRole("button", { name: /^Reset/ })).toBeNull();
    await user.click(button("Reset “Quality” to its default"));
    expect(native.asked).toContain('settings.update({"images.quality":null})');
    await vi.waitFor(() => expect(field("images.quality").value).toBe("80"));
  });

  test("that was fixed at the start is locked, and says by whom", async () => {
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

  test("says when it counts from the next start", async () => {
    await open("full", "service");
    expect(text(row("server.greeting"))).toContain("Applies after a restart");
  });
});

describe("settings that need one another", () => {
  const store = (all: Changes): SettingProblem[] =>
    all["storage.kind"] === "s3" && all["storage.bucket"] === undefined
      ? [{ key: "storage.bucket", why: words("an object store needs a bucket") }]
      : [];

  test("wait until all of them are there, and are then written together", async () => {
    const { native, user } = await open(kept({}, store), "storage");
    await user.click(screen.getByRole("radio", { name: "Object storage (S3)" }));
    await vi.waitFor(() =>
      expect(text(row("storage.kind"))).toContain("an object store needs a bucket"),
    );
    expect(text(row("storage.kind"))).toContain("Not saved yet");
    await user.type(field("storage.bucket"), "pictures{Enter}");
    expect(native.asked).toContain(
      'settings.update({"storage.kind":"s3","storage.bucket":"pictures"})',
    );
    await vi.waitFor(() => expect(text(row("storage.kind"))).not.toContain("Not saved yet"));
    expect(button("Move to object storage")).toBeTruthy();
  });

  test("do not keep a good one from being written while another waits", async () => {
    const { native, user } = await open(kept({}, store), "storage");
    await user.click(screen.getByRole("radio", { name: "Object storage (S3)" }));
    await vi.waitFor(() => expect(text(row("storage.kind"))).toContain("Not saved yet"));
    await user.type(field("storage.region"), "eu{Enter}");
    await vi.waitFor(() =>
      expect(native.asked).toContain('settings.update({"storage.region":"eu"})'),
    );
    await vi.waitFor(() => expect(text(row("storage.region"))).toContain("Saved"));
    expect(text(row("storage.kind"))).toContain("Not saved yet");
  });
});

describe("a secret", () => {
  test("shows only that it is set, whatever is done with it", async () => {
    const { native, user, container } = await open(kept({ "game.steam_api_key": true }), "game");
    expect(text(row("game.steam_api_key"))).toContain("Set");
    expect(row("game.steam_api_key").querySelector("input")).toBeNull();
    await user.click(button("Replace: Steam Web API key"));
    const input = field("game.steam_api_key");
    expect(document.activeElement).toBe(input);
    expect([input.type, input.value, input.autocomplete]).toEqual(["password", "", "off"]);
    await user.type(input, "0123456789ABCDEF");
    await user.click(within(row("game.steam_api_key")).getByRole("button", { name: "Save" }));
    expect(native.asked).toContain('settings.update({"game.steam_api_key":"0123456789ABCDEF"})');
    await vi.waitFor(() => expect(text(row("game.steam_api_key"))).toContain("Saved"));
    expect(container.innerHTML).not.toContain("0123456789ABCDEF");
  });

  test("is not written when its field is left or given up", async () => {
    const { native, user } = await open(kept({}), "ip");
    await user.click(button("Add: ipinfo.io token"));
    await user.type(field("ip.ipinfo_token"), "abc");
    await user.click(within(row("ip.ipinfo_token")).getByRole("button", { name: "Cancel" }));
    expect(text(row("ip.ipinfo_token"))).toContain("Not set");
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
  });

  test("is removed after a question", async () => {
    const { native, user } = await open(kept({ "picgo.secret": true }), "editors");
    await user.click(button("Remove: Secret"));
    await user.click(button("Cancel"));
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
    await user.click(button("Remove: Secret"));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Remove" }));
    expect(native.asked).toContain('settings.update({"picgo.secret":null})');
    await vi.waitFor(() => expect(text(row("picgo.secret"))).toContain("Not set"));
  });
});

describe("a number", () => {
  test("stands in the unit that it is whole in, and is written exactly", async () => {
    const { native, user } = await open(kept({}), "images");
    expect(field("images.max_upload_bytes").value).toBe("50");
    await user.clear(field("images.max_upload_bytes"));
    await user.type(field("images.max_upload_bytes"), "12.5{Enter}");
    expect(native.asked).toContain('settings.update({"images.max_upload_bytes":13107200})');
    await vi.waitFor(() => expect(field("images.max_upload_bytes").value).toBe("12.5"));
  });

  test("is the same in another unit, and nothing is written for that", async () => {
    const { native, user } = await open(kept({}), "sharing");
    expect(field("presence.idle_seconds").value).toBe("5");
    const unit = within(row("presence.idle_seconds")).getByRole("combobox");
    await user.selectOptions(unit, "seconds");
    expect(field("presence.idle_seconds").value).toBe("300");
    await user.tab();
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
  });

  test("that is none, or out of bounds, is refused without asking", async () => {
    const { native, user } = await open(kept({}), "images");
    await user.type(field("images.quality"), "x{Enter}");
    expect(text(row("images.quality"))).toContain("Enter a number.");
    await user.clear(field("images.quality"));
    await user.type(field("images.quality"), "101{Enter}");
    expect(text(row("images.quality"))).toContain("Enter a number from 1 to 100.");
    expect(field("images.quality").value).toBe("101");
    expect(native.asked.some((one) => one.startsWith("settings.update"))).toBe(false);
  });

  test("is read and written without loss", () => {
    expect(fitting(52_428_800, bytes)?.name).toBe("mib");
    expect(fitting(1_500, bytes)?.name).toBe("bytes");
    expect(fitting(0, seconds)?.name).toBe("seconds");
    expect(written(450, seconds[1])).toBe("7.5");
    expect(meant("7,5", seconds[1])).toBe(450);
    expect(meant("1 000", undefined)).toBe(1_000);
    expect(meant("-1", undefined)).toBeNull();
  });
});

describe("lists and files", () => {
  test("folders are chosen in the system's dialog and taken out again", async () => {
    const scene = kept({ "watch.folders": ["/a"] });
    const { native, user } = await open(scene, "folders");
    native.answer("settings", { chooseFolder: "/b" });
    await user.click(button("Add folder…"));
    expect(native.asked).toContain('settings.update({"watch.folders":["/a","/b"]})');
    await user.click(await screen.findByRole("button", { name: "Remove /a" }));
    expect(native.asked).toContain('settings.update({"watch.folders":["/b"]})');
    native.answer("settings", { chooseFolder: null });
    const before = native.asked.length;
    await user.click(button("Add folder…"));
    expect(native.asked.slice(before)).toEqual(["settings.chooseFolder()"]);
  });

  test("a file is chosen, too", async () => {
    const { native, user } = await open(kept({}), "ip");
    native.answer("settings", { chooseFile: "/data/city.mmdb" });
    await user.click(within(row("ip.mmdb")).getByRole("button", { name: /^Choose/ }));
    expect(native.asked).toContain('settings.update({"ip.mmdb":"/data/city.mmdb"})');
  });

  test("a link is shown as it will be, in each form and in one's own", async () => {
    const { native, user } = await open(kept({}), "links");
    await user.click(screen.getByRole("radio", { name: "Markdown" }));
    expect(native.asked).toContain('settings.update({"links.template":"markdown"})');
    await vi.waitFor(() => expect(text(row("links.template"))).toContain("![](https://"));
    await user.click(screen.getByRole("radio", { name: "My format" }));
    const own = screen.getByRole<HTMLInputElement>("textbox", { name: /^Your own text/ });
    expect(own.value).toBe("![]({url})");
    await user.type(own, " :)");
    expect(text(row("links.template"))).toMatch(/!\[\]\(https:\S+\) :\)/);
  });
});

describe("the place", () => {
  test("goes through its groups by the arrow keys", async () => {
    const { user } = await open("full", "app");
    screen.getByRole("tab", { name: "App" }).focus();
    await user.keyboard("{ArrowDown}");
    expect(screen.getByRole("heading", { name: "Backup & repair" })).toBeTruthy();
    await user.keyboard("{End}");
    expect(document.activeElement?.textContent?.trim()).toBe("Access tokens");
  });

  test("offers a new start when one is needed", async () => {
    const { native, user } = await open("full");
    expect(screen.queryByRole("button", { name: "Restart now" })).toBeNull();
    native.answer("settings", { read: scenes.restart.settings.read });
    native.tell("settings-changed", null);
    await user.click(await screen.findByRole("button", { name: "Restart now" }));
    expect(native.asked).toContain("settings.restart()");
  });

  test("that cannot be read says why, and tries again", async () => {
    const { native, user } = await open("lost");
    expect(text()).toMatch(/The settings file .* cannot be read: no permission/);
    native.answer("settings", { read: scenes.full.settings.read });
    await user.click(button("Try again"));
    await screen.findByRole("heading", { name: "App" });
  });

  test("listens no longer when it is left", async () => {
    const { native, unmount } = await open("full");
    expect(native.listeners).toBe(2);
    unmount();
    await vi.waitFor(() => expect(native.listeners).toBe(0));
  });

  test("starts the app at login, where that is known", async () => {
    const { native, user, unmount } = await open("full");
    await user.click(screen.getByRole("switch", { name: "Start at login" }));
    expect(native.asked).toContain("settings.startAtLogin(false)");
    unmount();
    await open("first");
    expect(screen.getByRole<HTMLButtonElement>("switch", { name: "Start at login" }).disabled).toBe(
      true,
    );
    expect(screen.queryByRole("switch", { name: "Show in applications menu" })).toBeNull();
  });
});
