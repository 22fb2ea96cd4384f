// @vitest-environment node
// Holds the rows of the page "settings" against the list of all settings.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { settingMeta } from "../src/api/setting-meta";
import { groups } from "../src/settings/groups";
import { elsewhere, groupFor, isRowKey, rowKeys, rows } from "../src/settings/table";
import { scenes } from "../src/testing/scenes/settings";
import { presets } from "../src/tunnel-kinds";
import { createLocale } from "../src/words/locale";

const listed = readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8")
  .split("\n")
  .flatMap((line) => /^\| `([a-z._0-9]+)` \|/.exec(line)?.[1] ?? []);

test("every setting has a row, or is listed as set elsewhere", () => {
  expect(listed.length).toBeGreaterThan(60);
  expect([...rowKeys, ...elsewhere].sort()).toEqual([...listed].sort());
});

test("the test scenes contain every setting", () => {
  const { settings } = scenes.full.settings;
  expect(settings.map(({ key }) => key).sort()).toEqual([...listed].sort());
});

test("each control matches the type of its setting", () => {
  for (const key of rowKeys) {
    const { kind } = rows[key].control;
    const { type, secret } = settingMeta[key];
    expect(kind === "secret", key).toBe(secret);
    for (const one of ["number", "choice", "switch", "path"])
      expect(kind === one, `${key}: ${kind} for ${type}`).toBe(type === one);
    if (kind === "folders" || kind === "words") expect(type, key).toBe("texts");
  }
});

test("a row that depends on another setting refers to an existing row and value", () => {
  for (const key of rowKeys) {
    const { when } = rows[key];
    if (when === undefined) continue;
    if (!isRowKey(when.key)) throw new Error(`${key} depends on ${when.key}`);
    const { control } = rows[when.key];
    const values: readonly unknown[] = control.kind === "choice" ? control.values : [];
    for (const value of when.is) expect(values).toContain(value);
  }
});

test("tunnel presets change only tunnel settings", () => {
  for (const { changes } of Object.values(presets))
    for (const key of Object.keys(changes)) expect(isRowKey(key) && rows[key].group).toBe("tunnel");
});

test("a section is found by its group, by a setting key, and by an alias", () => {
  expect(groupFor("tokens")).toBe("tokens");
  expect(groupFor("presence")).toBe("sharing");
  expect(groupFor("picgo.port")).toBe("editors");
  expect(groupFor("nowhere")).toBeNull();
});

describe.for(["en", "zh-CN"])("in %s", (language) => {
  const words = createLocale(language).words.settings;

  test.for(rowKeys)("%s has a name and a description", (key) => {
    const [label, sentence] = words.rows[key];
    expect(label).toMatch(/\S/);
    expect(sentence).toMatch(/[.。]$/);
  });

  test("every option has a name", () => {
    for (const key of rowKeys) {
      const { control } = rows[key];
      if (control.kind !== "choice" || key === "tunnel.kind") continue;
      for (const value of control.values)
        expect(words.values[key]?.[value ?? ""], `${key} = ${value}`).toMatch(/\S/);
    }
  });

  test("every group has a unique name", () => {
    expect(new Set(groups.map((group) => words.groups[group][0])).size).toBe(groups.length);
  });
});
