// "Always reachable" in the page "settings".

import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { alert, section } from "../src/shell/foot-lines";
import type { Scene } from "../src/testing/fake-native";
import { edgeUrl, scenes, well, worker } from "../src/testing/scenes/reach";
import { reachable } from "../src/testing/scenes/settings";
import { detail } from "../src/testing/text";
import { createLocale } from "../src/words/locale";
import { englishLeft, wrongIn } from "./framed";
import { open as openSettings, row, text } from "./settings-place";

const button = (name: string | RegExp) => screen.getByRole("button", { name });

async function open(scene: Scene, language?: string) {
  const opened = await openSettings(scene, "reachable", language);
  await vi.waitFor(() => expect(opened.native.calls).toContain("reach()"));
  await new Promise((drawn) => setTimeout(drawn));
  return opened;
}

const live = () => text(document.querySelector(".live") as Element);
const ways = () => [...document.querySelectorAll<HTMLDetailsElement>(".reachable > details")];

describe("always reachable", () => {
  test.for([
    ["first", "Not set up yet Without a Worker, readers get nothing"],
    ["checking", "Connecting to the Worker… This takes a few seconds."],
    ["reachable", "The Worker is online Readers have everything, as of 14:19."],
    ["another", "The Worker belongs to another Porchlight Readers see the pictures and the status"],
    ["limit", "Today’s limit is reached Cloudflare’s free plan allows no more until 21 Nov"],
    [
      "fails",
      "The Worker gets no updates Since 12:51: The connection was refused. Porchlight tries",
    ],
    ["clock", "The Worker gets no updates Since 12:51: This computer’s clock is more than five"],
  ] as const)("says in one line what state the Worker is in: %s", async ([name, line]) => {
    await open(scenes[name]);
    expect(live()).toContain(line);
    expect(document.querySelectorAll(".live button").length).toBe(
      ["reachable", "another"].includes(name) ? 1 : 0,
    );
  });

  test("follows the Worker", async () => {
    const { native } = await open(scenes.checking);
    native.answer({ reach: reachable });
    native.emit("home-changed", null);
    await screen.findByText(/Readers have everything/);
  });

  test("takes the Worker over", async () => {
    const { native, user } = await open(scenes.another);
    await user.click(button("Take over"));
    expect(native.calls).toContain("takeOverWorker()");
  });

  test("offers one way, and two that are folded", async () => {
    const { user } = await open(scenes.first);
    expect(text(document.querySelector(".setup") as Element)).toContain("Set up at Cloudflare");
    expect(ways().map((way) => [text(way.querySelector("summary") as Element), way.open])).toEqual([
      ["Deploy the Worker yourself", false],
      ["Keep pictures in your own S3 storage", false],
    ]);
    await user.click(screen.getByText("Keep pictures in your own S3 storage"));
    await user.click(button("Set up storage"));
    expect(row("storage.kind")).toBeTruthy();
  });

  test("unfolds the ways that are in use", async () => {
    await open(scenes.reachable);
    expect(ways().map((way) => way.open)).toEqual([true, true]);
  });

  test("leaves them folded with a Worker at Cloudflare", async () => {
    await open(scenes.deployed);
    expect(ways().map((way) => way.open)).toEqual([false, false]);
  });

  test("tests the store, and shows the exact fix for a failure", async () => {
    const { native, user } = await open(scenes.store);
    await user.click(button("Test the storage"));
    await screen.findByText("The storage works.");
    expect(text()).toContain("pages of other sites can’t read it");
    expect(text()).toContain("under CORS policy");
    expect(text(ways()[1])).toContain("Only needed if scripts of your blog read pictures.");
    expect(text(ways()[1])).toContain('"AllowedMethods": ["GET", "HEAD"]');
    await user.click(within(ways()[1] as HTMLElement).getByRole("button", { name: "Copy line" }));
    expect(native.calls).toContain('copyForEdge("cors")');
  });

  test("passes without CORS, and not without anything else", async () => {
    const { native, user } = await open(scenes.store);
    await user.click(button("Test the storage"));
    await screen.findByText("The storage works.");
    const trouble = detail("the object storage refuses it");
    native.answer({
      testStore: well.map((check) => (check.step === "type" ? { ...check, trouble } : check)),
    });
    await user.click(button("Test the storage"));
    await screen.findByText("Not ready yet.");
  });

  test("writes the Worker's files, and copies its key without showing it", async () => {
    const { native, user } = await open(scenes.reachable);
    await user.click(button("Save setup files…"));
    await screen.findByText("Saved in /home/mira/light-edge");
    const own = text(ways()[0]);
    expect(own).toContain("npx wrangler deploy");
    expect(own).toContain("workerd serve workerd.capnp");
    expect(own).toMatch(/ADDRESS ?https:\/\/light\.example\.org/);
    await user.click(button("Copy key"));
    expect(native.calls).toContain('copyForEdge("secret")');
  });

  test("copies no key where there is none", async () => {
    await open(scenes.first);
    expect(text(ways()[0])).toMatch(/EDGE_SECRET ?Save the files first/);
    expect(screen.queryByRole("button", { name: "Copy key" })).toBeNull();
  });

  test.for([
    ["to the object storage", "notes", {}, "s3"],
    ["to the Worker", "deployed", scenes.notes.reach.edge, "edge"],
  ] as const)("moves pictures of this disk %s", async ([, name, edge, to]) => {
    const { reach } = scenes[name];
    const { native, user } = await open({
      ...scenes[name],
      reach: { ...reach, edge: { ...reach.edge, ...edge } },
    });
    expect(text()).toContain("214 pictures are still on this disk.");
    await user.click(button("Move to storage"));
    expect(native.calls).toContain(`moveImages("${to}")`);
  });

  test("leads to the storage where pictures are kept on this disk", async () => {
    const { user } = await open(scenes.onDisk);
    expect(text()).toContain("1 picture is still on this disk.");
    expect(screen.queryByRole("button", { name: "Move to storage" })).toBeNull();
    await user.click(screen.getAllByRole("button", { name: "Set up storage" })[0] as Element);
    expect(row("storage.kind")).toBeTruthy();
  });

  test("says that the Worker can’t use the tunnel, and where workers.dev is blocked", async () => {
    const { unmount } = await open(scenes.notes);
    expect(text()).toContain("The tunnel’s address isn’t https");
    unmount();
    await open(scenes.onDisk);
    expect(text(ways()[0])).toContain("can’t be reached from mainland China");
  });

  test.for(Object.keys(scenes) as (keyof typeof scenes)[])(
    "is accessible and fully translated: %s",
    async (name) => {
      const { container } = await open(scenes[name], "zh-CN");
      expect(await wrongIn(container, "zh-CN")).toEqual([]);
      const kept =
        /The keyring did not take the token, so it is forgotten|light\.example\.org|Porchlight|Worker|Cloudflare|Garage|Global API Key|Origin CA|Invalid API Token, code|Blog|Work|light|\bID\b|\bGB\b|porchlight edge init|worker\.js|workerd serve|Node\.js|npx .*|https?(:\S*)?|\bIP\b|[A-Z_]{3,}|porchlight|CF-Connecting-IP|workers\.dev|workerd(\.capnp)?|\bedge\.\w+|settings\.toml|\/[\w/-]+/g;
      const inReach = englishLeft(kept).filter((word) =>
        document.querySelector(".reachable")?.textContent?.includes(word),
      );
      expect(inReach).toEqual([]);
    },
  );
});

const field = (name: string | RegExp) => screen.getByLabelText<HTMLInputElement>(name);
const setup = (more: object) => ({ ...scenes.first.reach, setup: { ...idle, ...more } });
const idle = scenes.first.reach.setup;

describe("the set-up at Cloudflare", () => {
  test("takes a token alone, in a password field, and starts with it", async () => {
    const { native, user } = await open(scenes.first);
    await user.click(button("Open Cloudflare’s page"));
    expect(native.calls).toContain("openTokenPage()");
    expect(button("Set up").hasAttribute("disabled")).toBe(true);
    expect(field("API token").type).toBe("password");
    expect(text()).toContain("can’t be reached from mainland China");
    expect(screen.queryByLabelText("Name at workers.dev")).toBeNull();
    await user.type(field("API token"), "t0k");
    await user.click(button("Set up"));
    expect(native.calls).toContain(
      'setUpEdge({"task":"set_up","token":"t0k","keepToken":false,"account":"","domain":"","subdomain":"","r2":false})',
    );
  });

  test("sends a domain, and keeps the token or uses R2 only on request", async () => {
    const { native, user } = await open(scenes.first);
    await user.type(field("API token"), "t0k");
    const keep = screen.getByRole("switch", { name: "Keep the token in the keyring" });
    expect(keep.getAttribute("aria-checked")).toBe("false");
    await user.click(keep);
    await user.click(screen.getByRole("switch", { name: "Keep pictures in R2" }));
    await user.type(field("Your own domain (optional)"), "light.example.org{Enter}");
    const asked = native.calls.filter((one) => one.startsWith("setUpEdge("));
    expect(asked.length).toBe(1);
    expect(asked[0]).toContain('"keepToken":true');
    expect(asked[0]).toContain('"r2":true');
    expect(asked[0]).toContain('"domain":"light.example.org"');
  });

  test("shows its progress, and why it still waits", async () => {
    const { native, user } = await open(scenes.uploading);
    expect(text()).toContain("Setting up…");
    const now = () => text(document.querySelector("[aria-current=step]") ?? undefined);
    expect(now()).toBe("Upload the Worker");
    expect(screen.queryByRole("button", { name: "Stop waiting" })).toBeNull();
    native.answer({ reach: scenes.waiting.reach });
    native.emit("reach-changed", null);
    await screen.findByText(`Waiting for ${edgeUrl}. A new name takes a few minutes.`);
    expect(now()).toBe("Wait for the address");
    native.answer({ reach: scenes.notYet.reach });
    native.emit("reach-changed", null);
    await screen.findByText(/answers with error 404\. Porchlight keeps checking/);
    await user.click(button("Stop waiting"));
    expect(native.calls).toContain("stopEdgeSetup()");
  });

  test("asks for a name at workers.dev only where there is none, and keeps the token", async () => {
    const { native, user } = await open(scenes.first);
    await user.type(field("API token"), "t0k");
    for (const { reach } of [scenes.uploading, scenes.needsName]) {
      native.answer({ reach });
      native.emit("reach-changed", null);
      await vi.waitFor(() => expect(text()).toMatch(/Setting up|choose one\./));
    }
    await user.type(await screen.findByLabelText("Name at workers.dev"), "blog");
    await user.click(button("Set up"));
    expect(native.calls.findLast((one) => one.startsWith("setUpEdge("))).toContain(
      '"token":"t0k","keepToken":false,"account":"","domain":"","subdomain":"blog"',
    );
  });

  test("offers the accounts of the token", async () => {
    const { native, user } = await open(scenes.accounts);
    await user.type(field("API token"), "t0k");
    await user.selectOptions(screen.getByRole("combobox", { name: "Account" }), "4567");
    await user.click(button("Set up"));
    expect(native.calls.findLast((one) => one.startsWith("setUpEdge("))).toContain(
      '"account":"4567"',
    );
  });

  test.for([
    [{ code: "cloudflare_name_taken" }, "is taken: choose another one", "已被占用"],
    [
      { code: "cloudflare_token", parameters: { why: "code 1000" } },
      "Cloudflare does not accept the token (code 1000)",
      "不接受这个令牌（code 1000）",
    ],
    [
      { code: "cloudflare_permission", parameters: { why: "code 10000" } },
      "Workers Scripts: Edit",
      "缺少权限",
    ],
    [{ code: "cloudflare_r2_off" }, "R2 is not switched on", "没有开通 R2"],
  ] as const)("says what to do: %o", async ([why, english, chinese]) => {
    for (const [language, sentence] of [
      ["en-GB", english],
      ["zh-CN", chinese],
    ] as const) {
      const work = { state: "failed", task: "set_up", step: "verify", why, accounts: [] } as const;
      const { unmount } = await open({ ...scenes.first, reach: setup({ work }) }, language);
      expect(text(document.querySelector(".setup [role=alert]") as Element)).toContain(sentence);
      unmount();
    }
  });

  test("says that the day’s limit is why the address is not there yet", async () => {
    const why = { code: "edge_day_spent", parameters: { until: "00:00 UTC" } } as const;
    const work = { ...scenes.waiting.reach.setup.work, why };
    await open({ ...scenes.first, reach: setup({ work }) });
    expect(text()).toContain("it works again from 00:00 UTC");
    expect(text()).toContain("keeps checking in the background");
  });

  test("ends with the address, and the move that follows", async () => {
    const { native, user } = await open(scenes.done);
    expect(text()).toContain(`Your blog’s address is ${edgeUrl}.`);
    expect(text()).toContain("New pictures go there now.");
    await user.click(button("Move to your Worker"));
    expect(native.calls).toContain('moveImages("edge")');
    expect(text()).toContain("The keyring did not take the token");
    expect(text()).toContain("you need a tunnel only for uploads and status updates");
    expect(screen.queryByLabelText("API token")).toBeNull();
  });

  test("offers a newer Worker once, and asks for a token where none is kept", async () => {
    const { native, user } = await open(scenes.newer);
    expect(text()).toContain("Update the Worker from 0.1.0 to 0.2.0?");
    await user.click(button("Update now"));
    await user.type(field("API token"), "t0k");
    expect(screen.queryByLabelText("Your own domain (optional)")).toBeNull();
    await user.click(button("Update now"));
    expect(native.calls.findLast((one) => one.startsWith("setUpEdge("))).toContain(
      '"task":"update","token":"t0k"',
    );
    await user.click(button("Cancel"));
    const put = {
      ...scenes.newer.reach.setup,
      deployed: { ...worker, newer: "0.2.0", later: true },
    };
    native.answer({ reach: { ...scenes.newer.reach, setup: put } });
    await user.click(button("Later"));
    expect(native.calls).toContain("putOffEdgeUpdate()");
    await vi.waitFor(() => expect(text()).not.toContain("Update the Worker from"));
    expect(button("Update now")).toBeTruthy();
  });

  test("is where an outdated Worker leads to", () => {
    const outdated = { what: { of: "worker_outdated" }, place: "settings" } as const;
    expect(section(outdated)).toBe("reachable");
    for (const language of ["en-GB", "zh-CN"])
      expect(alert(outdated.what, createLocale(language).words)).toContain("Worker");
  });

  test("uses the token of the keyring, and forgets it on request", async () => {
    const { native, user } = await open(scenes.deployed);
    for (const [name, task] of [
      ["Make a new key", "new_key"],
      ["Remove…", "remove"],
    ] as const) {
      await user.click(button(name));
      expect(native.calls.findLast((one) => one.startsWith("setUpEdge("))).toContain(
        `{"task":"${task}","token":""`,
      );
    }
    await user.click(button("Forget the token"));
    expect(native.calls).toContain("forgetEdgeToken()");
    await screen.findByText("Token forgotten");
  });

  test("brings the pictures back before a removal", async () => {
    const { native, user } = await open(scenes.holdsPictures);
    expect(text()).toContain("Pictures that only the Worker keeps: 214.");
    await user.click(button("Move to this disk"));
    expect(native.calls).toContain('moveImages("disk")');
  });
});
