// What the process says, in the Chinese window.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import { saidInChinese, sentences } from "../src/words/said";
import { speak } from "../src/words/tongue";
import { field, open, row, text } from "./settings-place";

const root = join(import.meta.dirname, "../..");

/** All sources of the program, lines that a string goes on over made one. */
const sources = ["crates", "src-tauri"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".rs"))
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  )
  .join("\n")
  .replace(/\\\n\s*/g, "")
  .replaceAll('\\"', '"');

test.for(sentences)("the process still says “%s”", ([english]) => {
  // What varies is written in braces there.
  const written = english
    .split("{}")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("\\{[^{}]*\\}");
  expect(new RegExp(`"${written}"`).test(sources)).toBe(true);
});

test("each has as many parts that vary in both languages, and none stands twice", () => {
  const parts = (sentence: string) => sentence.split("{}").length;
  for (const [english, chinese] of sentences) expect(parts(chinese), english).toBe(parts(english));
  expect(new Set(sentences.map(([english]) => english)).size).toBe(sentences.length);
});

describe("a sentence", () => {
  test.for([
    ["0 is out of bounds: from 1 to 3600", "0 超出范围：应在 1 到 3600 之间"],
    [
      '"Pictures" is no full path: write it from the root on',
      '"Pictures" 不是完整路径：请从根目录写起',
    ],
    ["https://a.example leads to something else", "https://a.example 通向别处"],
    ["the service answered 413: Image too large", "服务应答 413：图片太大"],
    [
      "the session bus cannot be asked (Permission denied (os error 13))",
      "无法询问会话总线（没有权限（系统错误 13））",
    ],
    [
      "no screen saver is on the session bus; logind cannot be asked (the bus has gone away)",
      "会话总线上没有屏幕保护程序；无法询问 logind（总线已消失）",
    ],
    ["unknown variant `de`, expected one of `en`, `zh`", "未知的值 `de`，应为以下之一：`en`, `zh`"],
    ["bore ended (exit status: 1): a; b / c", "bore 已结束（退出状态 1）：a; b / c"],
  ] as const)("is told in Chinese, what varies kept: %s", ([english, chinese]) => {
    expect(saidInChinese(english)).toBe(chinese);
  });

  test("that nobody knows is shown as it came, and in English all are", () => {
    for (const unknown of ["bore: no route; try later", "", "已复制", "$& {}"])
      expect(speak("zh-CN").said(unknown)).toBe(unknown);
    for (const [english] of sentences) expect(speak("en-GB").said(english)).toBe(english);
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
  await vi.waitFor(() => expect(text(row("images.quality"))).toContain("表达式不能为空"));
});

test("what a command failed with is told in Chinese", async () => {
  const { native, user } = await open("full", "care", "zh-CN");
  native.failure = "nothing was changed, since you said no";
  await user.click(screen.getByRole("button", { name: "检查所有图片" }));
  await screen.findByText("没有任何更改，因为你选择了“否”");
});
