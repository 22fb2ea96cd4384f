// `/badge.json`, `/badge.svg` and `/card.svg`: what the service draws, from rows. Texts and their widths
// are those of `rules.json`, measured at the service.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { badgeAt, parametersOf } from "../src/answers.js";
import { CHECK, CHECK_OVER, startOwn } from "./harness/own.ts";
import rules from "./harness/rules.json" with { type: "json" };

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const at = (path: string, check: Partial<Check> = {}) => {
  const url = new URL(path, "https://light.example");
  return badgeAt(url.pathname, { ...CHECK, ...check }, parametersOf(url), "no-cache").text();
};
/** The texts that are drawn, with their widths. */
const lines = (svg: string) =>
  [...svg.matchAll(/textLength="(\d+)"[^>]*>([^<]*)<\/text>/g)].map(([, width, text]) => [
    Number(width),
    text,
  ]);

test("the advances are the service's", () => {
  const rust = readFileSync(
    new URL("../../crates/service/src/router/routes/badge/widths.rs", import.meta.url),
    "utf8",
  );
  const rows = [...rust.matchAll(/\((0x[0-9a-f]+), &\[\s*([^\]]*)\]\)/g)];
  expect(rows.length).toBeGreaterThan(10);
  return Promise.all(
    rows.flatMap(([, first, numbers = ""]) =>
      numbers
        .split(/[,\s]+/)
        .filter(Boolean)
        .map(async (width, n) => {
          const sign = String.fromCodePoint(Number(first) + n);
          if (/[\s\p{DI}]/u.test(sign)) return;
          const [drawn] = lines(await at(`/badge.svg?label=${encodeURIComponent(sign)}`));
          expect([sign, drawn?.[0]]).toEqual([sign, Math.ceil((Number(width) / 1000) * 11)]);
        }),
    ),
  );
});

test.each(rules.lines)("%s is as wide as at the service", async (label, width, shown) => {
  const [first] = lines(await at(`/badge.svg?label=${encodeURIComponent(String(label))}`));
  expect(first).toEqual([width, shown]);
});

describe("a badge", () => {
  test("has the form of the service's", async () => {
    const shown = { application: "Code", introduce: "main.rs", rgba: "20,30,120,1" };
    expect(await at("/badge.json", shown)).toBe(
      '{"color":"#141e78","label":"status","message":"Code","schemaVersion":1}',
    );
    expect(await at("/badge.svg", shown)).toMatchInlineSnapshot(
      `"<svg xmlns="http://www.w3.org/2000/svg" width="87" height="20" viewBox="0 0 87 20" role="img" aria-label="status: Code"><clipPath id="r"><rect width="87" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="46" height="20" fill="#e6e8eb"/><rect x="46" width="41" height="20" fill="#141e78"/></g><g font-family="Verdana,'DejaVu Sans','Noto Sans SC','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif"><svg x="0" y="0.8" width="46" height="18.7"><text x="6" y="13.2" textLength="34" lengthAdjust="spacingAndGlyphs" unicode-bidi="plaintext" font-size="11" fill="#24272d" stroke="#24272d" stroke-width="0">status</text></svg><svg x="46" y="0.8" width="41" height="18.7"><text x="6" y="13.2" textLength="29" lengthAdjust="spacingAndGlyphs" unicode-bidi="plaintext" font-size="11" fill="#ffffff" stroke="#ffffff" stroke-width="0">Code</text></svg></g></svg>"`,
    );
    expect(await at("/card.svg", shown)).toMatchInlineSnapshot(
      `"<svg xmlns="http://www.w3.org/2000/svg" width="320" height="96" viewBox="0 0 320 96" role="img" aria-label="Online: Code"><rect x=".5" y=".5" width="319" height="95" rx="12" fill="#ffffff" stroke="#dcdfe4"/><circle cx="26" cy="48" r="8" fill="#141e78"/><g font-family="Verdana,'DejaVu Sans','Noto Sans SC','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif"><svg x="42" y="15.6" width="51" height="20.4"><text x="6" y="14.4" textLength="39" lengthAdjust="spacingAndGlyphs" unicode-bidi="plaintext" font-size="12" fill="#5c6470" stroke="#5c6470" stroke-width="0">Online</text></svg><svg x="42" y="33.8" width="53" height="27.2"><text x="6" y="19.2" textLength="41" lengthAdjust="spacingAndGlyphs" unicode-bidi="plaintext" font-size="16" fill="#1d2026" stroke="#1d2026" stroke-width="0.6">Code</text></svg><svg x="42" y="60.6" width="57" height="20.4"><text x="6" y="14.4" textLength="45" lengthAdjust="spacingAndGlyphs" unicode-bidi="plaintext" font-size="12" fill="#5c6470" stroke="#5c6470" stroke-width="0">main.rs</text></svg></g></svg>"`,
    );
  });

  test.each<[string, Partial<Check>, string[]]>([
    ["online", { application: "" }, ["Online", "#010203", "在线"]],
    ["without a colour", { rgba: "" }, ["Editor", "#ffb454", "Editor"]],
    ["away", { applicationOnline: false }, ["Away", "#8b9099", "离开"]],
    ["offline", CHECK_OVER, ["Offline", "#8b9099", "离线"]],
  ])("shows who is %s", async (_, check, [message, color, chinese]) => {
    const shown = (query: string) => at(`/badge.json${query}`, check).then(JSON.parse);
    expect(await shown("")).toEqual({ color, label: "status", message, schemaVersion: 1 });
    expect(await shown("?lang=zh-TW")).toMatchObject({ label: "状态", message: chinese });
    expect(await at("/badge.svg", check)).toContain(`fill="${color}"`);
    expect(await at("/card.svg", check)).toContain(`fill="${color}"`);
  });

  test("has its label, its theme and its language", async () => {
    const label = `?label=${encodeURIComponent(" a\nb\u202e ")}`;
    expect(JSON.parse(await at(`/badge.json${label}`))).toMatchObject({ label: "a b" });
    const long = JSON.parse(await at(`/badge.json?label=${"光".repeat(65)}`));
    expect(long.label).toBe("光".repeat(64));
    for (const none of ["?label=", "?label=%ff", "?label=%20"])
      expect(JSON.parse(await at(`/badge.json${none}`))).toMatchObject({ label: "status" });
    expect(await at("/badge.svg?theme=dark")).toContain('fill="#2f343d"');
    expect(await at("/badge.svg?theme=light")).toContain('fill="#e6e8eb"');
    expect(lines(await at(`/card.svg${label}`)).map(([, text]) => text)).toEqual([
      "a b · Online",
      "Editor",
      "writing",
    ]);
    expect(lines(await at("/card.svg?lang=zh", CHECK_OVER))).toEqual([[24, "离线"]]);
    expect(await at("/card.svg?theme=dark")).toContain('fill="#1d2026" stroke="#343943"');
  });

  test("keeps markup a text", async () => {
    const check = { application: "</text><script>alert(1)</script>", introduce: "\"&'" };
    for (const path of ["/badge.svg", "/card.svg"]) {
      const svg = await at(`${path}?label=%3Cb%20a%3D%22%22%3E`, check);
      expect(svg).not.toMatch(/<script|<b /);
      expect(svg).toContain("&lt;script");
    }
    expect(await at("/card.svg", check)).toContain("&quot;&amp;&#x27;");
  });

  test("has text that stands out from its colour", async () => {
    const inkOn = async (rgba: string) =>
      /fill="#(\w{6})" stroke="#\w{6}" stroke-width="0">Editor/.exec(
        await at("/badge.svg", { rgba }),
      )?.[1];
    expect(await inkOn("255,180,84,1")).toBe("000000");
    expect(await inkOn("20,30,120,1")).toBe("ffffff");
  });
});

test("the Worker answers with the service's headers", async () => {
  const { edge, service } = await startOwn();
  for (const path of ["/badge.json", "/badge.svg", "/card.svg"]) {
    const answer = await edge.get(`${path}?label=x`);
    const isJson = path.endsWith("json");
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get("Content-Type")).toBe(
      isJson ? "application/json" : "image/svg+xml; charset=utf-8",
    );
    expect(answer.headers.get("Cache-Control")).toBe("no-cache");
    expect(answer.headers.get("Content-Security-Policy")).toBe(isJson ? null : POLICY);
    expect((await edge.get(path, { method: "POST" })).headers.get("X-Porchlight")).toBe("1");
  }
  expect(service.asked.length).toBe(3);
});
