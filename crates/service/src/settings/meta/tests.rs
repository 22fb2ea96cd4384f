//! The table agrees with the structs of the sections.

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

use secrecy::ExposeSecret as _;

use super::*;
use crate::error::message::Message;

mod types_for_the_page;

/// Reads nothing, and collects the keys that a struct of settings asks for.
struct Asked<'a> {
    section: Option<&'static str>,
    keys: &'a mut Vec<String>,
}

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Some(section) = self.section else {
            return visitor.visit_map(Sections {
                names: fields.iter(),
                asked: None,
                keys: self.keys,
            });
        };
        let keys = fields.iter().map(|name| format!("{section}.{name}"));
        self.keys.extend(keys);
        let empty: [(&str, &str); 0] = [];
        visitor.visit_map(MapDeserializer::new(empty.into_iter()))
    }

    /// What is above all sections.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.keys.extend(self.section.map(str::to_owned));
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct Sections<'a> {
    names: std::slice::Iter<'static, &'static str>,
    asked: Option<&'static str>,
    keys: &'a mut Vec<String>,
}

impl<'de> MapAccess<'de> for Sections<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.asked = self.names.next().copied();
        let name = self.asked.map(serde::de::value::StrDeserializer::new);
        name.map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Asked {
            section: self.asked,
            keys: self.keys,
        })
    }
}

#[test]
fn the_table_has_each_key_of_the_settings_once_and_in_their_order() {
    let mut asked = Vec::new();
    let read = Settings::deserialize(Asked {
        section: None,
        keys: &mut asked,
    });
    assert!(read.is_ok());
    assert_eq!(keys().collect::<Vec<_>>(), asked);
}

#[test]
fn a_secret_is_never_serialised_and_every_other_key_is() {
    let all = Settings::default().values();
    for row in SETTINGS {
        let is_there = match row.key.split_once('.') {
            Some((section, name)) => all[section].get(name).is_some(),
            None => all.get(row.key).is_some(),
        };
        assert_eq!(is_there, !row.is_secret(), "{}", row.key);
    }
}

#[test]
fn every_secret_reads_its_own_value() {
    let text: String = secrets().map(|key| format!("{key} = '{key}!'\n")).collect();
    let settings: Settings = toml::from_str(&text).expect("settings");
    for row in SETTINGS {
        let Some(read) = row.read_secret else {
            continue;
        };
        let secret = read(&settings).expect("it is set");
        assert_eq!(secret.expose_secret(), format!("{}!", row.key));
    }
}

fn refuses(key: &str, value: impl Into<toml_edit::Value>) -> Option<Message> {
    known(key).expect("a setting").read(&value.into()).err()
}

#[test]
fn numbers_are_accepted_within_their_bounds_and_not_beyond() {
    for row in SETTINGS {
        let Number(min, max) = row.kind else {
            continue;
        };
        let bound = |number: u64| i64::try_from(number).expect("a TOML number");
        let (min, max) = (bound(min), bound(max));
        for inside in [min, max] {
            assert_eq!(refuses(row.key, inside), None, "{} = {inside}", row.key);
        }
        for outside in [min - 1, max + 1] {
            assert!(
                refuses(row.key, outside).is_some(),
                "{} = {outside}",
                row.key
            );
        }
    }
}

#[test]
fn a_choice_lists_all_values_that_are_accepted() {
    for row in SETTINGS {
        let Choice(values) = row.kind else {
            continue;
        };
        for value in values() {
            assert_eq!(refuses(row.key, *value), None, "{} = {value}", row.key);
        }
        let why = refuses(row.key, "no such value").expect("it is refused");
        let known: Vec<String> = values().iter().map(|value| format!("`{value}`")).collect();
        let expected = crate::detail!(
            "{given} is none of {known}",
            given = "`no such value`",
            known = known.join(", ")
        );
        assert_eq!(why, expected, "{}", row.key);
    }
}

#[test]
fn every_default_is_of_its_type() {
    for row in SETTINGS {
        let default = row.default();
        let fits = match (&default, row.kind) {
            (Value::Null, _) | (Value::Bool(_), Switch) => true,
            (Value::Number(number), Number(min, max)) => {
                number.as_u64().is_some_and(|n| (min..=max).contains(&n))
            }
            (Value::String(text), Choice(values)) => values().contains(&text.as_str()),
            (Value::String(_), Text(_) | Digits(_) | Address | Path) => true,
            (Value::Array(_), Texts(_) | Command | Rules) => true,
            _ => false,
        };
        assert!(fits, "{} = {default}", row.key);
    }
}

#[test]
fn every_kind_refuses_values_of_another_kind() {
    for row in SETTINGS {
        let other: toml_edit::Value = match row.kind {
            Switch | Number(..) | Texts(_) | Command | Rules => "a text".into(),
            Choice(_) | Text(_) | Digits(_) | Address | Path => toml_edit::Array::new().into(),
        };
        assert!(refuses(row.key, other).is_some(), "{}", row.key);
    }
}

#[test]
fn possible_secrets_are_in_no_message() {
    let line = refuses("tunnel.command", "bore local --secret hush");
    assert_eq!(
        line,
        Some(crate::detail!("it must be a list of texts in quotes"))
    );
}

#[test]
fn each_invalid_text_is_refused_with_a_reason() {
    let list = |text: &str| toml_edit::Value::from_iter([text]);
    for (key, value, why) in [
        (
            "tunnel.command",
            toml_edit::Array::new().into(),
            "the program first",
        ),
        ("watch.folders", list("Pictures"), "full path"),
        ("blog.folders", list("posts"), "full path"),
        ("tunnel.program", "bin/frpc".into(), "full path"),
        ("ip.mmdb", "city.mmdb".into(), "full path"),
        (
            "ip.mmdb",
            r"\\evil.example\a\b.mmdb".into(),
            "another computer",
        ),
        (
            "game.steam_folder",
            r"\\?\UNC\evil.example\a".into(),
            "another computer",
        ),
        ("tunnel.program", r"\\.\pipe\a".into(), "another computer"),
        (
            "watch.folders",
            list(r"\\evil.example\a"),
            "another computer",
        ),
        #[cfg(windows)]
        ("ip.mmdb", "//evil.example/a/b".into(), "another computer"),
        #[cfg(windows)]
        ("ip.mmdb", r"\??\UNC\evil.example\a".into(), "full path"),
        #[cfg(windows)]
        ("ip.mmdb", r"C:\a\com1.mmdb".into(), "regular file"),
        #[cfg(unix)]
        ("ip.mmdb", "/dev/zero".into(), "regular file"),
        #[cfg(unix)]
        ("game.steam_folder", "/dev/null".into(), "regular file"),
        ("links.template", "x".into(), "{url}"),
        ("tunnel.pattern", "https://.*".into(), "group"),
        ("tunnel.pattern", "(".into(), "regular expression"),
        ("server.trusted_proxies", list("10.0.0.0/x"), "network"),
        ("game.steam_id", "gaben".into(), "17 digits"),
        ("game.region", "China".into(), "two letters"),
        ("game.language", "Chinese".into(), "schinese"),
        ("app.upload_shortcut", "Ctrl".into(), "Ctrl+Alt+U"),
        ("update.public_key", "RWx".into(), "minisign"),
        ("server.listen", "here".into(), "address"),
    ] {
        let refused = refuses(key, value).map(|why| why.to_string());
        assert!(
            refused.as_ref().is_some_and(|text| text.contains(why)),
            "{key}: {refused:?}"
        );
    }
    for (key, value, counts) in [
        ("tunnel.program", "".into(), None),
        ("ip.mmdb", "".into(), None),
        ("game.steam_api_key", "".into(), None),
        ("game.region", "cn".into(), Some("CN")),
        (
            "game.steam_id",
            76_561_197_960_287_930_i64.into(),
            Some("76561197960287930"),
        ),
        ("picgo.secret", "".into(), Some("")),
    ] {
        let read = known(key).expect("a setting").read(&value);
        let read = read.unwrap_or_else(|why| panic!("{key}: {why}"));
        assert_eq!(
            read.as_ref().and_then(toml_edit::Value::as_str),
            counts,
            "{key}"
        );
    }
}

#[test]
fn an_invalid_rule_is_refused_with_a_reason() {
    for (rule, why) in [
        ("{ program = 1 }", "a string"),
        ("{ program = 'a', hide = 'b' }", "a boolean"),
        (
            "{ program = 'a', x = 1 }",
            "unknown field `x`, expected one of `program`",
        ),
        ("{ name = 'x' }", "a rule needs a program or a title"),
        ("{ program = '' }", "a pattern cannot be empty"),
        ("{ program = '/(/' }", "no regular expression"),
        ("{ program = 'x', rgba = 'red' }", "colour"),
        ("{ program = 'x', name = \"a\\nb\" }", "control"),
        ("5", "a rule"),
    ] {
        let rules: toml_edit::Value = format!("[{rule}]").parse().expect("TOML");
        let refused = refuses("presence.rules", rules).map(|why| why.to_string());
        assert!(
            refused.as_ref().is_some_and(|text| text.contains(why)),
            "{rule}: {refused:?}"
        );
    }
}

/// A row of the list in the documentation, cell by cell.
fn documented(key: &str) -> Vec<&'static str> {
    let page = include_str!("../../../../../docs/settings.md");
    let begins = format!("| `{key}` |");
    let line = page.lines().find(|line| line.starts_with(&begins));
    let line = line.unwrap_or_else(|| panic!("{key} is missing in docs/settings.md"));
    line.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn the_documentation_has_type_bounds_and_default() {
    for row in SETTINGS {
        let [_, kind, default, _] = documented(row.key)[..] else {
            panic!(
                "the row of {} in docs/settings.md has not four cells",
                row.key
            );
        };
        let expected = match row.kind {
            Switch => "`true`, `false`".to_owned(),
            Number(min, max) => format!("{min} to {max}"),
            Choice(values) => {
                let values = values().iter().map(|value| format!("`\"{value}\"`"));
                values.collect::<Vec<_>>().join(", ")
            }
            Text(_) | Digits(_) => "text".to_owned(),
            Address => "address".to_owned(),
            Path => "path".to_owned(),
            Texts(_) | Command => "list of texts".to_owned(),
            Rules => "list of rules".to_owned(),
        };
        assert_eq!(kind, expected, "{}", row.key);
        let written = default
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'));
        match written {
            Some(written) => {
                let table: toml::Table =
                    toml::from_str(&format!("value = {written}")).expect("a value");
                let value = serde_json::to_value(&table["value"]).expect("JSON");
                assert_eq!(value, row.default(), "{}", row.key);
            }
            // What it means that there is no value is written in words.
            None => assert!(
                matches!(row.default(), Value::Null) || row.default() == Value::Array(Vec::new()),
                "{}: {default}",
                row.key
            ),
        }
    }
}
