import { clearMocks, mockConvertFileSrc, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, test } from "vitest";
import { Trouble } from "../src/api/interface";
import { native } from "../src/native";
import { hash } from "../src/testing/scenes";

afterEach(clearMocks);

test("each command goes out under its name, with its parameters", async () => {
  const asked: unknown[] = [];
  mockIPC((command, parameters) => {
    asked.push([command, parameters ?? {}]);
  });
  await native.home();
  await native.uploads();
  await native.share(true);
  await native.pause(false);
  await native.choosePictures();
  await native.clearUploads();
  await native.copyLink(hash(1));
  await native.copyAddress();
  expect(asked).toEqual([
    ["home", {}],
    ["uploads", {}],
    ["share", { share: true }],
    ["pause", { paused: false }],
    ["choose_pictures", {}],
    ["clear_uploads", {}],
    ["copy_link", { hash: hash(1) }],
    ["copy_address", {}],
  ]);
});

test("a command that fails says the sentence it failed with", async () => {
  mockIPC(() => {
    throw "The settings file is read-only.";
  });
  await expect(native.share(true)).rejects.toThrow(new Trouble("The settings file is read-only."));
});

test("pictures are on the private scheme of the system", () => {
  mockConvertFileSrc("linux");
  expect(native.pictureUrl(hash(1), 320)).toBe(`picture://localhost/${hash(1)}?w=320`);
  mockConvertFileSrc("windows");
  expect(native.pictureUrl(hash(1), 320)).toBe(`http://picture.localhost/${hash(1)}?w=320`);
});
