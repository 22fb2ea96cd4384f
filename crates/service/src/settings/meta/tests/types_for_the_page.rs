//! Holds `ui/src/api/setting-meta.ts` to the table.

use serde_json::json;

use super::*;

const BEGINNING: &str = r#"// Made from crates/service/src/settings/meta.rs by `cargo xtask types`. Do not edit.

import type { SettingValue } from "./types";

/** What a number, or the value of a choice, can be; `null` where a choice can be unset. */
export type SettingBounds = { min: number; max: number } | { values: (string | null)[] };

/** What the process knows about a setting, whatever its value is. */
export type SettingMeta = {
  type: "number" | "choice" | "switch" | "text" | "address" | "path" | "texts" | "rules";
  default: SettingValue;
  secret: boolean;
};

const table = {
"#;

const END: &str = "} satisfies Record<string, SettingMeta>;

/** The name of a setting. */
export type SettingKey = keyof typeof table;

/** Every setting by its name. */
export const settingMeta: Record<SettingKey, SettingMeta> = table;

/** The names of all settings. */
export const settingKeys = Object.keys(table) as SettingKey[];

/** The bounds of numbers and choices. The window needs these alone of the table. */
export const settingBounds: Partial<Record<SettingKey, SettingBounds>> = {
";

fn bounds(row: &SettingMeta) -> Option<String> {
    let bounds = match row.kind {
        Number(min, max) => format!("min: {min}, max: {max}"),
        Choice(names) => {
            // Only what is unset by default can be unset.
            let unset = row.default().is_null().then_some(Value::Null);
            let names = names().iter().map(|name| json!(name));
            let values: Vec<Value> = unset.into_iter().chain(names).collect();
            format!("values: {}", json!(values))
        }
        _ => return None,
    };
    Some(format!("  \"{}\": {{ {bounds} }},\n", row.key))
}

fn line(row: &SettingMeta) -> String {
    let kind = match row.kind {
        Number(..) => "number",
        Choice(_) => "choice",
        Switch => "switch",
        Text(_) | Digits(_) => "text",
        Address => "address",
        Path => "path",
        Texts(_) | Command => "texts",
        Rules => "rules",
    };
    format!(
        "  \"{}\": {{ type: \"{kind}\", default: {}, secret: {} }},\n",
        row.key,
        row.default(),
        row.is_secret()
    )
}

/// `PORCHLIGHT_WRITE_TYPES=1` writes the file; otherwise a stale one fails.
#[test]
fn the_settings_of_the_page_are_current() {
    let file =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/api/setting-meta.ts");
    let lines: String = SETTINGS.iter().map(line).collect();
    let bounds: String = SETTINGS.iter().filter_map(bounds).collect();
    let current = format!("{BEGINNING}{lines}{END}{bounds}}};\n");
    if std::env::var_os("PORCHLIGHT_WRITE_TYPES").is_some() {
        std::fs::write(&file, &current).expect("write the settings");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        written, current,
        "ui/src/api/setting-meta.ts is stale: run `cargo xtask types`"
    );
}
