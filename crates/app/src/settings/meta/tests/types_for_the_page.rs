//! Holds `ui/src/api/setting-meta.ts` to the table.

use serde_json::json;

use super::*;

const BEGINNING: &str = r#"// Made from crates/app/src/settings/meta.rs by `cargo xtask types`. Do not edit.

import type { SettingCounts, SettingValue } from "./types";

/** What the process knows about a setting, whatever its value is. */
export type SettingMeta = {
  default: SettingValue;
  secret: boolean;
  /** When a change applies. */
  applies: SettingCounts;
} & (
  | { type: "number"; min: number; max: number }
  | { type: "choice"; values: string[] }
  | { type: "switch" | "text" | "address" | "path" | "texts" | "rules" }
);

const table = {
"#;

const END: &str = "} satisfies Record<string, SettingMeta>;

/** The name of a setting. */
export type SettingKey = keyof typeof table;

/** Every setting by its name. */
export const settingMeta: Record<SettingKey, SettingMeta> = table;

/** The names of all settings. */
export const settingKeys = Object.keys(table) as SettingKey[];
";

fn line(row: &SettingMeta) -> String {
    let kind = match row.kind {
        Number(min, max) => format!("\"number\", min: {min}, max: {max}"),
        Choice(names) => format!("\"choice\", values: {}", json!(names())),
        Switch => "\"switch\"".to_owned(),
        Text(_) | Digits(_) => "\"text\"".to_owned(),
        Address => "\"address\"".to_owned(),
        Path(_) => "\"path\"".to_owned(),
        Texts(_) | Command => "\"texts\"".to_owned(),
        Rules => "\"rules\"".to_owned(),
    };
    format!(
        "  \"{}\": {{ type: {kind}, default: {}, secret: {}, applies: {} }},\n",
        row.key,
        row.default(),
        row.is_secret(),
        json!(row.applies)
    )
}

/// `PORCHLIGHT_WRITE_TYPES=1` writes the file; otherwise a stale one fails.
#[test]
fn the_settings_of_the_page_are_current() {
    let file =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/api/setting-meta.ts");
    let lines: String = SETTINGS.iter().map(line).collect();
    let current = format!("{BEGINNING}{lines}{END}");
    if std::env::var_os("PORCHLIGHT_WRITE_TYPES").is_some() {
        std::fs::write(&file, &current).expect("write the settings");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        written, current,
        "ui/src/api/setting-meta.ts is stale: run `cargo xtask types`"
    );
}
