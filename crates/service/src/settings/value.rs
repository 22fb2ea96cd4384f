//! What a setting can hold: reads a value by its type, and reports what is wrong with it.

use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;

use minisign_verify::PublicKey;
use serde::de::value::Error;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, IntoDeserializer as _, Unexpected,
    Visitor,
};
use toml_edit::Value;

use super::shortcut::Shortcut;
use crate::error::message::{Message, Parameter};
use crate::presence::computer::settings::Rule;
use crate::presence::window::RuleText;
use crate::text::address::WebAddress;

/// What a text counts as; `None` where the setting is unset by it.
pub type ReadText = fn(&str) -> Result<Option<String>, Message>;

#[derive(Debug, Clone, Copy)]
pub enum SettingType {
    /// `true` or `false`.
    Switch,
    /// A whole number from the first to the second.
    Number(u64, u64),
    Choice(fn() -> &'static [&'static str]),
    Text(ReadText),
    /// A text; a number is taken for its digits.
    Digits(ReadText),
    /// An `http://` or `https://` address.
    Address,
    /// A regular file or a folder of this machine, with its full path; unset by an empty text.
    Path,
    /// A list of texts.
    Texts(ReadText),
    /// A list of words, the program first.
    Command,
    Rules,
}

impl SettingType {
    pub(super) fn read(self, value: &Value) -> Result<Option<Value>, Message> {
        match self {
            Self::Switch if value.is_bool() => {}
            Self::Switch => return Err(wrong_type(value, "a boolean")),
            Self::Number(min, max) => {
                let number = value.as_integer();
                let number = number.ok_or_else(|| wrong_type(value, "i64"))?;
                if !u64::try_from(number).is_ok_and(|number| (min..=max).contains(&number)) {
                    let (value, min, max) = (number.into(), min.into(), max.into());
                    return Err(Message::OutOfBounds { value, min, max });
                }
            }
            Self::Choice(names) => {
                let (given, known) = (text(value)?, names());
                if !known.contains(&given) {
                    let (given, known) = (listed(&[given]), listed(known));
                    return Err(crate::detail!("{given} is none of {known}"));
                }
            }
            Self::Digits(read) => {
                let digits = value.as_integer().map(|number| number.to_string());
                let given = digits.as_deref().map_or_else(|| text(value), Ok)?;
                return Ok(read(given)?.map(Value::from));
            }
            Self::Text(read) => return Ok(read(text(value)?)?.map(Value::from)),
            Self::Path => {
                let path = value.as_str();
                let path = path.ok_or_else(|| wrong_type(value, "path string"))?;
                return Ok(file_or_folder(path)?.map(Value::from));
            }
            Self::Address => drop(text(value)?.parse::<WebAddress>()?),
            Self::Texts(read) => {
                let all = value.as_array();
                for one in all.ok_or_else(|| wrong_type(value, "a sequence"))? {
                    read(text(one)?)?;
                }
            }
            Self::Command => {
                // The message holds none of the words: they can be secrets.
                let words = value
                    .as_array()
                    .ok_or(crate::detail!("it must be a list of texts in quotes"))?;
                words.iter().try_for_each(|word| text(word).map(drop))?;
                if words
                    .get(0)
                    .and_then(Value::as_str)
                    .is_none_or(str::is_empty)
                {
                    return Err(crate::detail!(
                        "a command is a list of words, the program first"
                    ));
                }
            }
            Self::Rules => {
                let rules = value.as_array();
                let rules = rules.ok_or_else(|| wrong_type(value, "a sequence"))?;
                rules.iter().try_for_each(read_rule)?;
            }
        }
        Ok(Some(value.clone()))
    }
}

fn text(value: &Value) -> Result<&str, Message> {
    value.as_str().ok_or_else(|| wrong_type(value, "a string"))
}

fn read_rule(value: &Value) -> Result<(), Message> {
    let known = names_of::<RuleText>();
    let fields = value.as_inline_table();
    for (name, value) in fields.ok_or_else(|| wrong_type(value, "a rule"))? {
        match name {
            "hide" => drop(SettingType::Switch.read(value)?),
            _ if known.contains(&name) => drop(text(value)?),
            _ => {
                let (given, known) = (listed(&[name]), listed(known));
                return Err(crate::detail!(
                    "unknown field {given}, expected one of {known}"
                ));
            }
        }
    }
    let rule = RuleText::deserialize(value.clone().into_deserializer()).map_err(Message::text)?;
    Rule::try_from(rule).map(drop)
}

fn wrong_type(value: &Value, expected: &str) -> Message {
    let given = match value {
        Value::String(text) => Unexpected::Str(text.value()),
        Value::Integer(number) => Unexpected::Signed(*number.value()),
        Value::Float(number) => Unexpected::Float(*number.value()),
        Value::Boolean(switch) => Unexpected::Bool(*switch.value()),
        Value::Datetime(_) => Unexpected::Other("date"),
        Value::Array(_) => Unexpected::Seq,
        Value::InlineTable(_) => Unexpected::Map,
    };
    let (given, expected) = (given.to_string(), expected);
    crate::detail!("{given} was given where {expected} belongs")
}

fn listed(names: &[&str]) -> Parameter {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ").into()
}

pub(super) fn any(text: &str) -> Result<Option<String>, Message> {
    Ok(Some(text.to_owned()))
}

/// A text of which nothing is left where it is empty.
pub(super) fn filled(text: &str) -> Result<Option<String>, Message> {
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

pub(super) fn parsed<T: FromStr<Err = Message>>(text: &str) -> Result<Option<String>, Message> {
    text.parse::<T>()?;
    any(text)
}

pub(super) fn listen(text: &str) -> Result<Option<String>, Message> {
    text.parse::<SocketAddr>().map_err(Message::text)?;
    any(text)
}

pub(super) fn steam_id(text: &str) -> Result<Option<String>, Message> {
    if text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return filled(text);
    }
    Err(Message::NoSteamId)
}

/// An id, or nothing.
pub(super) fn lanyard_id(text: &str) -> Result<Option<String>, Message> {
    let is_id = text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit());
    match is_id {
        true => filled(text),
        false => Err(crate::detail!("an id is a number of up to 20 digits")),
    }
}

pub(super) fn country(text: &str) -> Result<Option<String>, Message> {
    if text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(Some(text.to_ascii_uppercase()));
    }
    Err(crate::detail!("a country is two letters, such as CN"))
}

pub(super) fn store_language(text: &str) -> Result<Option<String>, Message> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return any(text);
    }
    Err(crate::detail!(
        "a language is one of the store's names, such as schinese"
    ))
}

/// A path of this machine from the root on. It is not looked at: a folder may be on a network drive
/// that does not answer.
pub(super) fn full_path(text: &str) -> Result<Option<String>, Message> {
    let path = || Parameter::quoted(text);
    let is_separator = |letter| letter == '\\' || cfg!(windows) && letter == '/';
    // On Windows these lead to other computers and to devices: to open one can send another computer
    // what logs this user in.
    if text
        .chars()
        .take(2)
        .filter(|&one| is_separator(one))
        .count()
        == 2
    {
        return Err(crate::detail!(
            "{path} may be on another computer: use a file or folder of this one, or a drive letter for a network share",
            path = path()
        ));
    }
    if !Path::new(text).is_absolute() {
        return Err(Message::NoFullPath { path: path() });
    }
    if cfg!(windows) && text.split(['\\', '/']).any(is_device) {
        return Err(crate::detail!(
            "{path} is neither a regular file nor a folder",
            path = path()
        ));
    }
    any(text)
}

/// Whether Windows takes a file of this name for a device, whatever its folder and ending are.
fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default();
    let stem = stem.trim_end().to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let is_port = port
        .is_some_and(|number| number.chars().count() == 1 && number.chars().all(char::is_numeric));
    is_port || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&&*stem)
}

/// A path from the root on to a regular file or a folder, if there is something; nothing where it is
/// empty.
fn file_or_folder(text: &str) -> Result<Option<String>, Message> {
    if text.is_empty() {
        return Ok(None);
    }
    let full = full_path(text)?;
    match std::fs::metadata(text) {
        Ok(found) if !found.is_file() && !found.is_dir() => Err(crate::detail!(
            "{path} is neither a regular file nor a folder",
            path = Parameter::quoted(text)
        )),
        _ => Ok(full),
    }
}

/// Keys, or nothing.
pub(super) fn shortcut(text: &str) -> Result<Option<String>, Message> {
    match text {
        "" => any(text),
        text => parsed::<Shortcut>(text),
    }
}

pub(super) fn public_key(text: &str) -> Result<Option<String>, Message> {
    PublicKey::from_base64(text).map_err(|_| {
        crate::detail!("This is not a minisign public key. It is the second line of minisign.pub.")
    })?;
    any(text)
}

/// The names that serde knows of a type: the variants of an enum, or the fields of a struct.
pub(super) fn names_of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // It is asked for its names alone, and not read.
    let _ = T::deserialize(AskForNames(&mut names));
    names
}

struct AskForNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for AskForNames<'_> {
    type Error = Error;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = variants;
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}
