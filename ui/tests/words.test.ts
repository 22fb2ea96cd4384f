import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { NOW, type SceneName, scenes } from "../src/testing/scenes";
import { speak } from "../src/words/tongue";
import { button, open, text } from "./window";

describe("the language", () => {
  test("is Chinese where the system asks for it, and English elsewhere", () => {
    expect(speak("zh-CN").words.pause).toBe("暂停");
    expect(speak("zh-Hans-SG").words.pause).toBe("暂停");
    expect(speak("en-GB").words.pause).toBe("Pause");
    expect(speak("de-DE").words.pause).toBe("Pause");
  });

  test("is Chinese throughout", async () => {
    const { native, user } = await open("first", "zh-CN");
    expect(screen.getByRole("heading", { name: "要为读者留一盏灯吗？" })).toBeTruthy();
    await user.click(button("分享"));
    expect(native.asked).toContain("share:true");
  });

  // Names, addresses and units stay as they are.
  const kept =
    /Porchlight|WebP|https?:\S+|[\w-]*\.(jpg|png|heic|tiff)|\/[\w/{}]*|\b[kM]?B\b|IMG|Zed|tea/g;
  const reasons =
    /The database is locked by another program\.|Port 4780 is used by another program\.|connection refused|screenshot/g;

  test.for(Object.keys(scenes) as SceneName[])("leaves no English word in %s", async (scene) => {
    await open(scene, "zh-CN");
    const named = ["aria-label", "alt", "title"].flatMap((attribute) =>
      [...document.querySelectorAll(`[${attribute}]`)].map((one) => one.getAttribute(attribute)),
    );
    const said = [text(), ...named].join(" ").replace(reasons, "").replace(kept, "");
    expect(said.match(/[A-Za-z]{2,}/g) ?? []).toEqual([]);
  });
});

describe("numbers and times", () => {
  const english = speak("en");
  const chinese = speak("zh-CN");

  test("are counted as the language counts", () => {
    expect(english.words.calls.count(1)).toBe("1 call");
    expect(english.words.calls.count(1_284)).toBe("1,284 calls");
    expect(chinese.words.calls.count(1)).toBe("1 次调用");
  });

  test("have sizes in the unit that fits", () => {
    const sizes = [0, 999, 90_400, 999_499, 999_500, 12_400_000, 88_000_000, 2_000_000_000];
    expect(sizes.map((size) => english.bytes(size))).toEqual([
      "0 byte",
      "999 byte",
      "90 kB",
      "999 kB",
      "1 MB",
      "12.4 MB",
      "88 MB",
      "2 GB",
    ]);
  });

  test("say how long ago something was", () => {
    const ages = [12_000, 95_000, 7_200_000, 90_000_000];
    expect(ages.map((age) => english.ago(NOW - age, NOW))).toEqual([
      "12 seconds ago",
      "1 minute ago",
      "2 hours ago",
      "yesterday",
    ]);
    expect(english.ago(NOW + 5_000, NOW)).toBe("now");
  });
});
