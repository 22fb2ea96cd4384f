//! Which settings differ, so that only the services that must restart do, and the owner is informed
//! when a change takes effect at the next start.

use std::collections::BTreeSet;

use secrecy::ExposeSecret as _;

use super::Settings;
use super::meta::{Part, SETTINGS, SettingMeta, meta};

/// The keys whose values differ. It holds no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference(BTreeSet<String>);

impl Difference {
    /// The keys that are not the same in both.
    pub fn between(one: &Settings, other: &Settings) -> Self {
        let (values, others) = (one.values(), other.values());
        let differ = |row: &&SettingMeta| {
            row.value_in(&values) != row.value_in(&others)
                || exposed(one, row) != exposed(other, row)
        };
        let differing = SETTINGS.iter().filter(differ);
        Self(differing.map(|row| row.key.to_owned()).collect())
    }

    /// These keys.
    pub fn of(keys: &[&str]) -> Self {
        Self(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    /// Whether a key of this section is among them that is not `but`.
    pub fn touches_other_than(&self, section: &str, but: &str) -> bool {
        Self(self.0.iter().filter(|key| *key != but).cloned().collect()).touches(section)
    }

    /// Whether a key of this section is among them.
    pub fn touches(&self, section: &str) -> bool {
        let of_section = |key: &String| {
            let rest = key.strip_prefix(section);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        self.0.iter().any(of_section)
    }

    /// Whether a setting of this part of the process is among them.
    pub fn concerns(&self, part: Part) -> bool {
        let rows = self.0.iter().filter_map(|key| meta(key));
        rows.into_iter().any(|row| row.parts.contains(&part))
    }

    /// Whether one of these keys is among them.
    pub fn touches_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.0.contains(*key))
    }

    /// Those that apply now, and those that apply at the next start.
    pub fn keys(&self) -> (Vec<&str>, Vec<&str>) {
        let keys = self.0.iter().map(String::as_str);
        keys.partition(|key| applies_now(key))
    }

    /// Whether one of them applies at the next start.
    pub fn needs_a_restart(&self) -> bool {
        self.0.iter().any(|key| !applies_now(key))
    }
}

fn applies_now(key: &str) -> bool {
    meta(key).is_some_and(SettingMeta::applies_now)
}

fn exposed<'a>(settings: &'a Settings, row: &SettingMeta) -> Option<&'a str> {
    let secret = row.read_secret?(settings);
    secret.map(|secret| secret.expose_secret())
}
