//! Which keys there are, and whether a value suits one.
//!
//! The keys are read off the structs that the rooms own, so that a new field
//! there is a known key here without a second list.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor, value::Error as AnyError};
use toml::{Table, Value};

use super::Settings;

/// The key that names the tunnel's program.
pub const PROGRAM: &str = "tunnel.program";

/// Those whose value is in no message.
pub const SECRETS: [&str; 7] = [
    "storage.access_key",
    "storage.secret_key",
    "game.steam_api_key",
    "ip.ipinfo_token",
    "presence.token",
    "tunnel.cloudflared_token",
    "picgo.secret",
];

/// The name of a setting: `behaviour`, or `section.name`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// `None` for what stands above all sections.
    pub section: Option<String>,
    /// The name within it.
    pub name: String,
}

impl Key {
    /// The key that is written like this; whether there is such a key is
    /// another question.
    pub fn written(text: &str) -> Self {
        match text.split_once('.') {
            Some((section, name)) => Self {
                section: Some(section.to_owned()),
                name: name.to_owned(),
            },
            None => Self {
                section: None,
                name: text.to_owned(),
            },
        }
    }

    /// `None` when there is this key; otherwise what to say.
    pub fn unknown(&self) -> Option<String> {
        let written = self.to_string();
        let keys = all_keys();
        if keys.contains(&written) {
            return None;
        }
        if self.section.is_none() && is_section(&self.name) {
            return Some(format!("{written} is a section: write `[{written}]`"));
        }
        Some(match likest(&written, &keys) {
            Some(key) => format!("unknown key `{written}`, did you mean `{key}`?"),
            None => format!("unknown key `{written}`"),
        })
    }

    /// `None` when the value suits this key; otherwise what to say.
    pub fn refuses(&self, value: &Value) -> Option<String> {
        let mut table = Table::new();
        self.insert_into(&mut table, value.clone());
        let error = Settings::deserialize(table).err()?;
        let written = self.to_string();
        if SECRETS.contains(&written.as_str()) {
            let why = "it must be a text in quotes";
            return Some(format!("{written}: {why}"));
        }
        // Its words can hold a secret, too.
        if written == "tunnel.command" && !value.is_array() {
            let why = "it must be a list of texts in quotes";
            return Some(format!("{written}: {why}"));
        }
        Some(format!("{written}: {}", error.message().trim()))
    }

    /// Its value among all of them as JSON; `None` when it is not listed there.
    pub fn find_in<'a>(&self, all: &'a serde_json::Value) -> Option<&'a serde_json::Value> {
        let section = match &self.section {
            Some(section) => all.get(section)?,
            None => all,
        };
        section.get(&self.name)
    }

    /// Sets it in a table of all settings.
    pub fn insert_into(&self, table: &mut Table, value: Value) {
        let Some(section) = &self.section else {
            table.insert(self.name.clone(), value);
            return;
        };
        let section = table
            .entry(section.clone())
            .or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(section) = section {
            section.insert(self.name.clone(), value);
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(section) = &self.section {
            write!(f, "{section}.")?;
        }
        f.write_str(&self.name)
    }
}

/// Whether there is a section of this name.
pub fn is_section(name: &str) -> bool {
    sections().iter().any(|(section, _)| *section == name)
}

/// What to say of a section that there is not.
pub fn unknown_section(name: &str) -> String {
    let names: Vec<String> = sections()
        .iter()
        .map(|(section, _)| (*section).to_owned())
        .collect();
    match likest(name, &names) {
        Some(section) => format!("unknown section `[{name}]`, did you mean `{section}`?"),
        None => format!("unknown section `[{name}]`"),
    }
}

/// The one that may have been meant.
fn likest<'a>(written: &str, there: &'a [String]) -> Option<&'a str> {
    there
        .iter()
        .map(|key| (strsim::normalized_damerau_levenshtein(written, key), key))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, key)| key.as_str())
}

type Names = &'static [&'static str];

/// Every section with the names in it.
fn sections() -> Vec<(&'static str, Names)> {
    use super::{
        AppSettings, GameSettings, HeartbeatSettings, ImagesSettings, IpSettings, LimitsSettings,
        LinksSettings, PicGoSettings, PresenceSettings, ServerSettings, StorageSettings,
        SystemSettings, TunnelSettings, WatchSettings,
    };
    vec![
        ("server", fields_of::<ServerSettings>()),
        ("limits", fields_of::<LimitsSettings>()),
        ("heartbeat", fields_of::<HeartbeatSettings>()),
        ("images", fields_of::<ImagesSettings>()),
        ("storage", fields_of::<StorageSettings>()),
        ("game", fields_of::<GameSettings>()),
        ("ip", fields_of::<IpSettings>()),
        ("system", fields_of::<SystemSettings>()),
        ("presence", fields_of::<PresenceSettings>()),
        ("watch", fields_of::<WatchSettings>()),
        ("tunnel", fields_of::<TunnelSettings>()),
        ("picgo", fields_of::<PicGoSettings>()),
        ("links", fields_of::<LinksSettings>()),
        ("app", fields_of::<AppSettings>()),
    ]
}

/// Every key there is, `behaviour` first and then section by section.
pub fn all_keys() -> Vec<String> {
    let above = fields_of::<Settings>()
        .iter()
        .filter(|name| !is_section(name))
        .map(|name| (*name).to_owned());
    let within = sections()
        .into_iter()
        .flat_map(|(section, names)| names.iter().map(move |name| format!("{section}.{name}")));
    above.chain(within).collect()
}

/// The names of a struct's fields, as it asks for them when it is read.
fn fields_of<T: for<'de> Deserialize<'de>>() -> Names {
    let mut names: Names = &[];
    // Reading never succeeds: the names are all that is wanted.
    drop(T::deserialize(FieldNames(&mut names)));
    names
}

struct FieldNames<'names>(&'names mut Names);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = AnyError;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: Names,
        _: V,
    ) -> Result<V::Value, AnyError> {
        *self.0 = fields;
        Err(serde::de::Error::custom("nothing to read"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, AnyError> {
        Err(serde::de::Error::custom("no struct"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_file_is_listed() {
        for name in fields_of::<Settings>() {
            assert!(
                is_section(name) || *name == "behaviour",
                "{name} is missing among the sections"
            );
        }
    }

    #[test]
    fn every_secret_is_a_key() {
        for secret in SECRETS {
            assert_eq!(Key::written(secret).unknown(), None, "{secret}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_command_shows_none_of_its_words() {
        let line = Value::String("bore local --secret hush".to_owned());
        assert_eq!(
            Key::written("tunnel.command").refuses(&line).as_deref(),
            Some("tunnel.command: it must be a list of texts in quotes")
        );
    }

    #[test]
    fn a_near_miss_gets_a_suggestion_and_a_far_one_none() {
        let near = Key::written("images.qualty").unknown();
        assert_eq!(
            near.as_deref(),
            Some("unknown key `images.qualty`, did you mean `images.quality`?")
        );
        let far = Key::written("zzz").unknown();
        assert_eq!(far.as_deref(), Some("unknown key `zzz`"));
    }

    #[test]
    fn the_value_of_a_secret_is_in_no_message() {
        let refused = Key::written("storage.secret_key").refuses(&Value::Integer(987_654));
        assert!(refused.is_some_and(|text| !text.contains("987654")));
    }
}
