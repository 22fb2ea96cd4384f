import { clearMocks, mockConvertFileSrc, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, test } from "vitest";
import { native } from "../src/native";
import { hash } from "../src/testing/scenes/home";

afterEach(clearMocks);

test("each command is invoked by its Rust name with its parameters", async () => {
  const invoked: unknown[] = [];
  mockIPC((command, parameters) => {
    invoked.push([command, parameters ?? {}]);
  });
  await native.home();
  await native.share(true);
  await native.pause("until_tomorrow");
  await native.fixStatus(null);
  await native.choosePictures();
  await native.retryUpload(7);
  await native.copyLinks([hash(1)], "markdown");
  await native.presenceHistory(1, 2);
  await native.statistics([1, 2, 3]);
  await native.updateSettings({ "app.welcomed": true });
  await native.newToken("Typora", "upload");
  expect(invoked).toEqual([
    ["home", {}],
    ["share", { share: true }],
    ["pause", { wanted: "until_tomorrow" }],
    ["fix_status", { status: null }],
    ["choose_pictures", {}],
    ["retry_upload", { id: 7 }],
    ["copy_links", { hashes: [hash(1)], form: "markdown" }],
    ["presence_history", { from: 1, to: 2 }],
    ["statistics", { edges: [1, 2, 3] }],
    ["update_settings", { changes: { "app.welcomed": true } }],
    ["new_token", { name: "Typora", scope: "upload" }],
  ]);
});

test.for([
  [{ code: "busy" }, { code: "busy" }],
  ["missing required key share", "missing required key share"],
] as const)("a command that fails with %o rejects with that reason", async ([thrown, why]) => {
  mockIPC(() => {
    throw thrown;
  });
  await expect(native.share(true)).rejects.toMatchObject({ why });
});

test("picture URLs use the private scheme of the platform", () => {
  mockConvertFileSrc("linux");
  expect(native.pictureUrl(hash(1), 320)).toBe(`picture://localhost/${hash(1)}?w=320`);
  mockConvertFileSrc("windows");
  expect(native.pictureUrl(hash(1), 320)).toBe(`http://picture.localhost/${hash(1)}?w=320`);
});
