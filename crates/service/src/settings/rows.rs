//! The settings as the window shows them: a row for each key, and never the
//! value of a secret.

use super::Settings;
use super::layers::Origins;
use super::meta::SETTINGS;
use super::problem::Origin;
use crate::settings::window::{Setting, SettingLayer};

pub fn rows(settings: &Settings, origins: &Origins) -> Vec<Setting> {
    let (values, defaults) = (settings.values(), Settings::default().values());
    SETTINGS
        .iter()
        .map(|row| {
            let layer = match origins.get(row.key) {
                None => SettingLayer::Default,
                Some(Origin::File { .. }) => SettingLayer::File,
                Some(Origin::Environment(_)) => SettingLayer::Environment,
                Some(Origin::Set | Origin::Flag(_)) => SettingLayer::CommandLine,
            };
            let set = match row.read_secret {
                Some(read) => read(settings).is_some(),
                None => layer != SettingLayer::Default,
            };
            Setting {
                key: row.key.to_owned(),
                value: row.value_in(&values),
                default: row.value_in(&defaults),
                secret: row.is_secret(),
                set,
                layer,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use serde_json::Value;

    use super::*;
    use crate::settings::layers::Layers;

    fn read(file: &str, environment: &[(&str, &str)], set: &[&str]) -> (Settings, Origins) {
        let variable = |(name, value): &(&str, &str)| ((*name).to_owned(), OsString::from(value));
        let layers = Layers {
            file: "settings.toml".into(),
            file_is_named: false,
            environment: environment.iter().map(variable).collect(),
            set: set.iter().map(|set| (*set).to_owned()).collect(),
            listen: None,
        };
        match layers.read_with(file) {
            Ok(reading) => (reading.settings, reading.origins),
            Err(problems) => panic!("{problems}"),
        }
    }

    fn row(rows: &[Setting], key: &str) -> Setting {
        let found = rows.iter().find(|row| row.key == key);
        found.unwrap_or_else(|| panic!("no {key}")).clone()
    }

    #[test]
    fn each_row_shows_its_value_its_default_and_its_source() {
        let (settings, origins) = read(
            "images.quality = 90\nwatch.after = 'archive'\nlinks.template = 'markdown'",
            &[("PORCHLIGHT_IMAGES_QUALITY", "70")],
            &["presence.rules=[{ program = '/^a/', hide = true }]"],
        );
        let rows = rows(&settings, &origins);
        let quality = row(&rows, "images.quality");
        assert_eq!((&quality.value, &quality.default), (&70.into(), &80.into()));
        assert_eq!(quality.layer, SettingLayer::Environment);
        let after = row(&rows, "watch.after");
        assert_eq!(
            (&after.value, after.layer),
            (&"archive".into(), SettingLayer::File)
        );
        assert_eq!(row(&rows, "links.template").value, "markdown");
        let rules = row(&rows, "presence.rules");
        assert_eq!(rules.layer, SettingLayer::CommandLine);
        let expected = serde_json::json!([{ "program": "/^a/", "hide": true }]);
        assert_eq!(rules.value, expected);
        let listen = row(&rows, "server.listen");
        assert_eq!(listen.value, "127.0.0.1:4780");
        assert!(!listen.set);
        assert_eq!(row(&rows, "server.public_url").value, Value::Null);
        assert_eq!(row(&rows, "behaviour").value, Value::Null);
    }
}
