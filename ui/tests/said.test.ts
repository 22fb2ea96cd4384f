// What the process says, in the window's two languages.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { speak } from "../src/words/locale";
import { saidIn, sentences } from "../src/words/said";
import { answers, answersOfKind } from "../src/words/said/answers";
import { others } from "../src/words/said/others";
import { literals, readsAsWords } from "./rust-sentences";
import { files as filesElsewhere, literals as literalsElsewhere } from "./said-elsewhere";
import { field, open, row, text } from "./settings-place";

const root = join(import.meta.dirname, "../..");
const all = ["crates", "src-tauri"].flatMap((folder) => literals(root, folder));
const texts = new Set(all.map(({ text }) => text));
const table = sentences.concat(others);

/** The key of a setting that a sentence begins with is taken off before it is shown. */
const stands = (said: string) => texts.has(said) || texts.has(`{}: ${said}`);

test("every sentence in the sources of the process is known, or is read elsewhere", () => {
  const known = new Set(sentences.map(([said]) => said));
  const missing = all.filter(
    ({ text, file }) =>
      readsAsWords(text) &&
      !known.has(text) &&
      !Object.keys(filesElsewhere).some((place) => file.startsWith(place)) &&
      !literalsElsewhere[file]?.includes(text),
  );
  expect(missing).toEqual([]);
});

test("the process still says each of them, and those that are read elsewhere", () => {
  expect(sentences.filter(([said]) => !stands(said))).toEqual([]);
  const has = (file: string, text?: string) =>
    all.some((one) => one.file.startsWith(file) && (text === undefined || one.text === text));
  expect(Object.keys(filesElsewhere).filter((file) => !has(file))).toEqual([]);
  const gone = Object.entries(literalsElsewhere).flatMap(([file, some]) =>
    some.filter((text) => !has(file, text)).map((text) => [file, text]),
  );
  expect(gone).toEqual([]);
});

test("each has as many parts that vary in both languages, and none stands twice", () => {
  const parts = (sentence: string) => sentence.split("{}").length;
  for (const [said, chinese, english] of sentences) {
    expect(parts(chinese), said).toBe(parts(said));
    if (english !== undefined) expect(parts(english), said).toBe(parts(said));
  }
  for (const [said, chinese, english] of others) {
    expect(parts(chinese), said).toBeLessThanOrEqual(parts(said));
    expect(parts(english ?? said), said).toBe(parts(chinese));
  }
  expect(new Set(table.map(([said]) => said)).size).toBe(table.length);
});

test("every answer of the interface is told by its status, in words for people", () => {
  const source = readFileSync(join(root, "crates/api/src/error.rs"), "utf8");
  const bodies = [...source.matchAll(/\/\/\/ (\d{3}):[^#]*#\[error\("([^"]+)"\)\]/g)];
  expect(bodies.length).toBeGreaterThan(25);
  for (const [, status, body] of bodies)
    for (const language of ["en", "zh"] as const) {
      const told = saidIn(language, `the service answered ${status}: ${body}`);
      expect(told, body).not.toContain(body);
      expect(told, body).toMatch(language === "en" ? /^[A-Z].*\.$/s : /。$/);
      expect(told).not.toContain("{}");
    }
  // An answer of another program at that address.
  expect(saidIn("en", "the service answered 530: <html>")).toContain("status 530");
  expect(saidIn("zh", "the service answered 302: it sends callers on to b")).toContain(
    "另一个地址",
  );
});

describe("Chinese", () => {
  const chinese = [
    ...table.map(([, chinese]) => chinese),
    ...answers.map(([, , , chinese]) => chinese),
    ...Object.values(answersOfKind).map(([, chinese]) => chinese),
  ];
  test.for(chinese)("has the signs of its own: %s", (text) => {
    const own = text.replace(/`[^`]*`|[a-z_.]+\.[a-z_]+|r,g,b,a|[A-Z-]+\.?|2,000/g, "");
    expect(own).not.toMatch(/[\u4e00-\u9fff][,:;!?()]|[,:;!?()][\u4e00-\u9fff]/);
  });
});

describe("a sentence", () => {
  test.for([
    ["0 is out of bounds: from 1 to 3600", "0 超出范围：应在 1 到 3600 之间。"],
    [
      '"Pictures" is no full path: write it from the root on',
      '"Pictures" 不是完整路径：请从根目录写起。',
    ],
    ["https://a.example leads to something else", "https://a.example 通向别处。"],
    [
      "the session bus cannot be asked (Permission denied (os error 13))",
      "无法询问会话总线（没有权限）。",
    ],
    [
      "no screen saver is on the session bus; logind cannot be asked (the bus has gone away)",
      "会话总线上没有屏幕保护程序；无法询问 logind（总线已消失）。",
    ],
    [
      "unknown variant `de`, expected one of `en`, `zh`",
      "未知的值 `de`，应为以下之一：`en`, `zh`。",
    ],
    ["bore ended (exit status: 1): a; b / c", "bore 已结束（退出状态 1）：a; b / c。"],
    [
      "unknown key `images.qualty`, did you mean `images.quality`?",
      "没有 images.qualty 这个设置，是不是想写 images.quality？",
    ],
    ["unknown key `zzz`", "没有 `zzz` 这个设置。"],
    [
      "/data/porchlight.db: No space left on device (os error 28)",
      "/data/porchlight.db：设备上没有剩余空间。",
    ],
    [
      "ab.w640.webp in the object store is a copy of no image",
      "ab.w640.webp（在对象存储里）是小尺寸副本，但没有对应的图片。",
    ],
  ] as const)("is told in Chinese, what varies kept: %s", ([said, chinese]) => {
    expect(saidIn("zh", said)).toBe(chinese);
  });

  test.for([
    [
      "it cannot be read: Permission denied (os error 13)",
      "Porchlight may not read this file (no permission). Change its permissions, then retry.",
    ],
    [
      "the service answered 415: Unsupported image format",
      "Porchlight can’t read this file as a picture. It reads JPEG, PNG, GIF, WebP, AVIF, JPEG XL, BMP, TIFF, ICO and QOI.",
    ],
    [
      "the settings are saved, but the tunnel: it is no folder",
      "The settings are saved, but the tunnel: it is no folder.",
    ],
    ["`tunnel.ssh_host` is a host, or user@host", "tunnel.ssh_host is a host, or user@host."],
    ["bore did not start: no such thing", "bore did not start: no such thing."],
    ["Another program has these keys already.", "Another program has these keys already."],
  ] as const)("is whole and plain in English: %s", ([said, english]) => {
    expect(speak("en-GB").said(said)).toBe(english);
  });

  test("is said once, however often it is asked for", () => {
    for (const language of ["en", "zh"] as const)
      for (const [said] of sentences) {
        const once = saidIn(language, said);
        expect(saidIn(language, once)).toBe(once);
      }
  });

  test("of another program is told at once, however many causes it names", () => {
    const causes = Array.from({ length: 20 }, (_, n) => `cause ${n}`).join(": ");
    const begun = performance.now();
    for (const language of ["en", "zh"] as const)
      expect(saidIn(language, `bore ended (signal: 9): ${causes}`)).toContain(causes);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test("that nobody knows is shown as it came", () => {
    for (const unknown of ["bore: no route; try later", "", "已复制", "$& {}"])
      for (const locale of ["zh-CN", "en-GB"]) expect(speak(locale).said(unknown)).toBe(unknown);
  });
});

test("what is wrong with a setting is told in Chinese beside it", async () => {
  const { native, user } = await open("full", "images", "zh-CN");
  const why = "a pattern cannot be empty";
  native.answer("settings", {
    check: [{ key: "images.quality", why }],
    update: [{ key: "images.quality", why }],
  });
  await user.clear(field("images.quality"));
  await user.type(field("images.quality"), "50{Enter}");
  await vi.waitFor(() => expect(text(row("images.quality"))).toContain("表达式不能为空。"));
});

test("what a command failed with is told in Chinese", async () => {
  const { native, user } = await open("full", "care", "zh-CN");
  native.failure = "nothing was changed, since you said no";
  await user.click(screen.getByRole("button", { name: "检查所有图片" }));
  await screen.findByText("你已取消，未做任何更改。");
});
