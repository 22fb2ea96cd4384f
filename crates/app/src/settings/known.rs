//! The name of a setting, and whether there is such a setting and a value suits it.

use std::fmt;

use porchlight_api::{Message, Parameter, why_unreadable};
use serde::Deserialize as _;
use toml::{Table, Value};

use super::Settings;
use super::meta;

/// The key that names the tunnel's program.
pub const PROGRAM: &str = "tunnel.program";

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
    pub fn unknown(&self) -> Option<Message> {
        let written = self.to_string();
        if meta::meta(&written).is_some() {
            return None;
        }
        if self.section.is_none() && is_section(&self.name) {
            let name = written.into();
            return Some(Message::IsASection { name });
        }
        let meant = likest(&written, meta::keys());
        let key = written.into();
        Some(match meant.map(Parameter::from) {
            Some(meant) => Message::UnknownKeyLike { key, meant },
            None => Message::UnknownKey { key },
        })
    }

    /// `None` when the value suits this key; otherwise what to say.
    pub fn refuses(&self, value: &Value) -> Option<Message> {
        let mut table = Table::new();
        self.insert_into(&mut table, value.clone());
        let error = Settings::deserialize(table.clone()).err()?;
        let written = self.to_string();
        if meta::is_secret(&written) {
            return Some(Message::MustBeText);
        }
        // Its words can hold a secret, too.
        if written == "tunnel.command" && !value.is_array() {
            return Some(Message::MustBeTexts);
        }
        let table = serde_json::to_value(table).unwrap_or_default();
        let why = why_unreadable::<Settings>(table);
        Some(why.unwrap_or_else(|| Message::text(error.message().trim())))
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
    meta::sections().contains(&name)
}

/// What to say of a section that there is not.
pub fn unknown_section(name: &str) -> Message {
    let section = name.into();
    match likest(name, meta::sections()).map(Parameter::from) {
        Some(meant) => Message::UnknownSectionLike { section, meant },
        None => Message::UnknownSection { section },
    }
}

/// The one that may have been meant.
fn likest(written: &str, there: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    there
        .into_iter()
        .map(|key| (strsim::normalized_damerau_levenshtein(written, key), key))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_command_shows_none_of_its_words() {
        let line = Value::String("bore local --secret hush".to_owned());
        assert_eq!(
            Key::written("tunnel.command").refuses(&line),
            Some(Message::MustBeTexts)
        );
    }

    #[test]
    fn a_near_miss_gets_a_suggestion_and_a_far_one_none() {
        let near = Key::written("images.qualty").unknown();
        assert_eq!(
            near,
            Some(Message::UnknownKeyLike {
                key: "images.qualty".into(),
                meant: "images.quality".into(),
            })
        );
        let far = Key::written("zzz").unknown();
        assert_eq!(far, Some(Message::UnknownKey { key: "zzz".into() }));
    }

    #[test]
    fn the_value_of_a_secret_is_in_no_message() {
        let refused = Key::written("storage.secret_key").refuses(&Value::Integer(987_654));
        assert!(refused.is_some_and(|why| !why.to_string().contains("987654")));
    }
}
