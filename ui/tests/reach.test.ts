// "Always reachable" in the page "settings".

import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { alert, section } from "../src/shell/foot-lines";
import type { Scene } from "../src/testing/fake-native";
import { edgeUrl, scenes, well, worker } from "../src/testing/scenes/reach";
import { reachable } from "../src/testing/scenes/settings";
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

const step = (nth: number) => document.querySelectorAll(".steps > li")[nth] as HTMLElement;

describe("always reachable", () => {
  test("shows that it works, the address, and the age of the snapshot", async () => {
    const { native } = await open(scenes.reachable);
    expect(text()).toContain("The Worker answers, and it reaches this computer.");
    expect(text()).toContain("Snapshot: written 12 seconds ago");
    expect(text()).toContain("84 ms");
    expect(screen.getAllByRole("img", { name: /: Done$/ }).length).toBe(3);
    native.answer({ reach: { ...reachable, edge: { state: "checking" } } });
    native.emit("home-changed", null);
    await screen.findByText("Checking the Worker…");
  });

  test("starts with the storage", async () => {
    const { user } = await open(scenes.first);
    await user.click(screen.getByText("Other ways: R2 or S3, or your own server"));
    await user.click(button("Set up storage"));
    expect(row("storage.kind")).toBeTruthy();
  });

  test("tests the store, and shows the exact fix for a failure", async () => {
    const { native, user } = await open(scenes.store);
    await user.click(button("Test the storage"));
    await screen.findByText("Not ready yet.");
    expect(text()).toContain("pages of other sites can’t read it");
    expect(text()).toContain("under CORS policy");
    expect(text(step(0))).toContain('"AllowedMethods": ["GET", "HEAD"]');
    await user.click(button("Copy line"));
    expect(native.calls).toContain('copyForEdge("cors")');
    native.answer({ testStore: well });
    await user.click(button("Test the storage"));
    await screen.findByText("The storage works.");
  });

  test("does not require CORS if a Worker answers the blog", async () => {
    const { user } = await open({ ...scenes.reachable, testStore: scenes.store.testStore });
    await user.click(button("Test the storage"));
    await screen.findByText("The storage works.");
    expect(text()).toContain("Not needed: your blog reads the status through the Worker.");
  });

  test("writes the Worker's files, and copies its key without showing it", async () => {
    const { native, user } = await open(scenes.reachable);
    await user.click(button("Save setup files…"));
    await screen.findByText("Saved in /home/mira/light-edge");
    expect(text(step(1))).toContain("npx wrangler deploy");
    await user.click(screen.getByText("I don’t have Node.js"));
    expect(text(step(1))).toContain("https://pictures.example.org");
    await user.click(button("Copy key"));
    expect(native.calls).toContain('copyForEdge("secret")');
  });

  test("probes again on request", async () => {
    const { native, user } = await open(scenes.fails);
    expect(text()).toContain("check its variables STORAGE_URL and PREFIX");
    await user.click(button("Check again"));
    expect(native.calls).toContain("probeEdge()");
    expect(button("Check again").hasAttribute("disabled")).toBe(true);
    const edge = { state: "service", roundTrip: 9, checked: Date.now() } as const;
    native.answer({ reach: { ...reachable, edge } });
    native.emit("home-changed", null);
    await vi.waitFor(() => expect(button("Check again").hasAttribute("disabled")).toBe(false));
  });

  test("shows failures with their remedies", async () => {
    const { native, user } = await open(scenes.troubles);
    expect(text()).toContain("214 pictures are still on this disk.");
    expect(text()).toContain("isn’t https");
    expect(text()).toContain("The storage can’t be reached.");
    await user.click(button("Replace it with mine"));
    expect(native.calls).toContain("takeOverSnapshot()");
    await user.click(button("Move to storage"));
    expect(native.calls).toContain('moveImages("s3")');
  });

  test("shows the limit of the free plan with three alternatives, and the limits of workers.dev", async () => {
    await open(scenes.limit);
    expect(text()).toContain("100,000 requests a day");
    expect(document.querySelectorAll(".ways li").length).toBe(3);
    expect(text()).toContain("can’t be reached from mainland China");
  });

  test("moves pictures to the Worker where new ones go there", async () => {
    const { native, user } = await open({
      ...scenes.deployed,
      reach: { ...scenes.deployed.reach, snapshot: scenes.troubles.reach.snapshot },
    });
    await user.click(button("Move to storage"));
    expect(native.calls).toContain('moveImages("edge")');
  });

  test.for(Object.keys(scenes) as (keyof typeof scenes)[])(
    "is accessible and fully translated: %s",
    async (name) => {
      const { container } = await open(scenes[name], "zh-CN");
      expect(await wrongIn(container, "zh-CN")).toEqual([]);
      const kept =
        /The keyring did not take the token, so it is forgotten|The storage can’t be reached|light\.example\.org|Porchlight|Worker|Cloudflare|Garage|Global API Key|Origin CA|Invalid API Token, code|Blog|Work|light|\bID\b|\bGB\b|porchlight edge init|Node\.js|npx .*|https?(:\S*)?|\bIP\b|[A-Z_]{3,}|porchlight|CF-Connecting-IP|workers\.dev|workerd(\.capnp)?|\b(edge|publish)\.\w+|settings\.toml|\/[\w/-]+/g;
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
const others = document.getElementsByTagName("details");

describe("the set-up at Cloudflare", () => {
  test("takes a token alone, in a password field, and starts with it", async () => {
    const { native, user } = await open(scenes.first);
    expect(others[0]?.open).toBe(false);
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
