// Messages of the backend, in both languages.

import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import type { Message, Parameter } from "../src/api/types";
import { messages } from "../src/testing/messages";
import { detail, text as words } from "../src/testing/text";
import { createLocale } from "../src/words/locale";
import { messages as chinese } from "../src/words/zh/messages";
import { field, open, row, text } from "./settings-place";

const inEnglish = createLocale("en-GB").message;
const inChinese = createLocale("zh-CN").message;

const names = (message: Message) =>
  "parameters" in message ? Object.keys(message.parameters) : [];
const mark = (name: string) => `«${name}»`;

/** The sample with marked parameters, to distinguish them from the text around them. */
const marked = (message: Message) =>
  ({
    code: message.code,
    parameters: Object.fromEntries(names(message).map((name) => [name, mark(name)])),
  }) as Message;

describe.for([
  ["English", inEnglish, /[.?]$/],
  ["Chinese", inChinese, /[。？]$/],
] as const)("in %s", ([, format, stop]) => {
  test.for(messages.map((one) => [one.code, one] as const))(
    "%s is a complete sentence",
    ([, message]) => {
      const sentence = format(marked(message));
      // A detail is English in Chinese, too.
      const end = message.code === "detail" ? /\.$/ : stop;
      if (message.code !== "text") expect(sentence).toMatch(end);
      expect(sentence.length).toBeGreaterThan(2);
      // This message contains a literal placeholder.
      if (message.code !== "no_template") expect(sentence).not.toMatch(/[{}]/);
      // Texts of the system or a service are replaced where the code has the same meaning.
      const shown = names(message).filter((name) => sentence.includes(mark(name)));
      if (!names(message).includes("text")) expect(shown).toEqual(names(message));
    },
  );
});

test("both languages use the same parameters", () => {
  for (const message of messages) {
    const shown = (sentence: string) =>
      names(message).filter((name) => sentence.includes(mark(name)));
    const one = marked(message);
    expect(shown(inChinese(one)), message.code).toEqual(shown(inEnglish(one)));
  }
});

describe("Chinese", () => {
  test.for(Object.entries(chinese))("has no English sentence: %s", ([, text]) => {
    const own = text.replace(/`[^`]*`|\{\w+\}|[a-z_.]+\.[a-z_]+|r,g,b,a|[A-Z-]+\.?|2,000/g, "");
    expect(own).not.toMatch(/[\u4e00-\u9fff][,:;!?()]|[,:;!?()][\u4e00-\u9fff]/);
    expect(own).not.toMatch(/[a-z]+ [a-z]+ [a-z]+/);
  });
});

const messageOf = <Code extends Message["code"]>(
  code: Code,
  parameters: Record<string, Parameter>,
) => ({ code, parameters }) as unknown as Message;

describe("a message", () => {
  const refused = messageOf("no_permission", { text: "Permission denied (os error 13)" });
  test.for([
    [
      messageOf("out_of_bounds", { value: 0, min: 1, max: 3600 }),
      "0 超出范围：应在 1 到 3600 之间。",
    ],
    [
      messageOf("no_full_path", { path: '"Pictures"' }),
      '"Pictures" 不是完整路径：请从根目录写起。',
    ],
    [
      messageOf("address_elsewhere", { address: "https://a.example" }),
      "https://a.example 通向别处。",
    ],
    [
      messageOf("file_unreadable", { why: refused }),
      "Porchlight 不能读取这个文件（没有权限）。请更改它的权限，然后重试。",
    ],
    [
      messageOf("both", {
        one: { code: "wayland_no_foreground" },
        other: messageOf("did_not_start", { program: "bore", why: refused }),
      }),
      "此 Wayland 合成器不提供（wlr-foreign-toplevel-management）；bore 未能启动：没有权限。",
    ],
    [
      messageOf("program_ended", {
        program: "bore",
        how: detail("exit status 1"),
        last: "a; b / c",
      }),
      "bore 已结束（exit status 1）：a; b / c。",
    ],
    [
      messageOf("listen_needs_proxy", { address: "0.0.0.0:4780" }),
      "其他电脑可以访问 0.0.0.0:4780。只有在 server.client_ip 选择了你自己的代理所用的标头（X-Forwarded-For 或 CF-Connecting-IP）时才允许这样。",
    ],
    [
      messageOf("about", {
        what: "/data/porchlight.db",
        why: messageOf("disk_full", { text: "No space" }),
      }),
      "/data/porchlight.db：磁盘已满。",
    ],
  ] as const)("is formatted in Chinese with its parameters: %o", ([message, expected]) => {
    expect(inChinese(message)).toBe(expected);
  });

  test.for([
    [
      messageOf("file_unreadable", { why: refused }),
      "Porchlight may not read this file (no permission). Change its permissions, then retry.",
    ],
    [
      messageOf("unsupported_format", { status: 415, text: "Unsupported image format" }),
      "Porchlight can’t read this file as a picture. It reads JPEG, PNG, GIF, WebP, HEIC, AVIF, JPEG XL, SVG, BMP, TIFF, ICO and QOI. Save it as one of these.",
    ],
    [
      messageOf("both", {
        one: { code: "file_empty" },
        other: messageOf("about", { what: "a", why: { code: "file_changed" } }),
      }),
      "The file is empty; a: the file changed while it was sent.",
    ],
    [
      messageOf("listen_needs_proxy", { address: "0.0.0.0:4780" }),
      "Other computers can reach 0.0.0.0:4780. That is refused unless server.client_ip names the header of your own proxy: X-Forwarded-For or CF-Connecting-IP.",
    ],
    [
      messageOf("did_not_start", { program: "bore", why: words("no such thing") }),
      "bore did not start: no such thing.",
    ],
    [
      { code: "keys_taken" },
      "Another program has these keys already, or your keyboard lacks them.",
    ],
  ] as const)("is formatted in English with its parameters: %o", ([message, expected]) => {
    expect(inEnglish(message as Message)).toBe(expected);
  });

  test("of a detail is an English sentence, and unchanged inside another message", () => {
    const lost = detail("the bus has gone away");
    for (const format of [inEnglish, inChinese]) {
      expect(format(lost)).toBe("The bus has gone away.");
      expect(format(detail("`tunnel.kind` needs a program"))).toBe("tunnel.kind needs a program.");
      expect(format(detail("GNOME is silent. Is it asleep?"))).toBe(
        "GNOME is silent. Is it asleep?",
      );
    }
    const nested = messageOf("did_not_start", { program: "bore", why: lost });
    expect(inEnglish(nested)).toBe("bore did not start: the bus has gone away.");
    expect(inChinese(nested)).toBe("bore 未能启动：the bus has gone away。");
  });

  test("from another program is shown unchanged", () => {
    for (const format of [inEnglish, inChinese])
      for (const unknown of ["bore: no route; try later", "", "已复制", "$& {text}"]) {
        expect(format(words(unknown))).toBe(unknown);
        expect(format(unknown)).toBe(unknown);
      }
  });
});

test("a problem with a setting is shown in Chinese beside it", async () => {
  const { native, user } = await open("full", "images", "zh-CN");
  const why: Message = { code: "out_of_bounds", parameters: { value: 50, min: 60, max: 100 } };
  native.answer({
    checkSettings: [{ key: "images.quality", why }],
    updateSettings: [{ key: "images.quality", why }],
  });
  await user.clear(field("images.quality"));
  await user.type(field("images.quality"), "50{Enter}");
  await vi.waitFor(() =>
    expect(text(row("images.quality"))).toContain("50 超出范围：应在 60 到 100 之间。"),
  );
});

test("the error of a command is shown in Chinese", async () => {
  const { native, user } = await open("full", "maintenance", "zh-CN");
  native.failure = { code: "declined" };
  await user.click(screen.getByRole("button", { name: "检查所有图片" }));
  await screen.findByText("你已取消，未做任何更改。");
});
