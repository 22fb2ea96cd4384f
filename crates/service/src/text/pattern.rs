//! A search pattern: literal text or a regular expression.

use std::fmt;
use std::str::FromStr;

use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::message::{Message, Parameter};

/// What a rule compares with: plain text, or `/regex/`.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// Literal text.
    Text(String),
    /// What was between the slashes.
    Expression(Regex),
}

/// A valid expression.
pub(crate) fn compile(expression: &str) -> Result<Regex, Message> {
    Regex::new(expression).map_err(|cause| Message::NoExpression {
        given: Parameter::quoted(expression),
        why: cause.to_string().into(),
    })
}

impl Pattern {
    /// Whether it is this name: plain text as a whole, whatever its case.
    pub(crate) fn is(&self, name: &str) -> bool {
        match self {
            Self::Text(text) => text.to_lowercase() == name.to_lowercase(),
            Self::Expression(expression) => expression.is_match(name),
        }
    }

    /// Whether it is in this text: plain text anywhere, whatever its case.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Text(part) => text.to_lowercase().contains(&part.to_lowercase()),
            Self::Expression(expression) => expression.is_match(text),
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

/// As it is written in the settings.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Expression(expression) => write!(f, "/{expression}/"),
        }
    }
}

impl FromStr for Pattern {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let between = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'));
        match between {
            Some("") => Err(crate::detail!("a pattern cannot be empty")),
            Some(expression) => compile(expression).map(Self::Expression),
            None if text.is_empty() => Err(crate::detail!("a pattern cannot be empty")),
            None => Ok(Self::Text(text.to_owned())),
        }
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// As it is written in settings.
impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Expression(expression) => serializer.collect_str(&format_args!("/{expression}/")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn plain_text_is_a_whole_name_and_a_part_of_a_title_whatever_its_case() {
        let pattern: Pattern = "Code".parse().expect("valid");
        assert!(pattern.is("code") && !pattern.is("code-oss"));
        assert!(pattern.is_in("my CODE base") && !pattern.is_in("cod"));
    }

    #[test]
    fn an_expression_matches_anywhere_and_is_case_sensitive() {
        let pattern: Pattern = "/^Co?de/".parse().expect("valid");
        assert!(pattern.is("Code-oss") && pattern.is_in("Cde and more"));
        assert!(!pattern.is("code") && !pattern.is_in("my Code"));
    }
}
