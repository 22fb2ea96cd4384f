//! Why a value cannot be read as a type, as a message: the errors of formats keep nothing but a
//! text of it.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde_json::Value;

use super::Message;

/// Why `value` cannot be read as a `T`; `None` when it can.
#[must_use]
pub fn why_unreadable<T: DeserializeOwned>(value: Value) -> Option<Message> {
    let read = T::deserialize(Written(value));
    read.err().map(|Unreadable(message)| message)
}

/// A value that is read with messages for errors.
struct Written(Value);

#[derive(Debug)]
struct Unreadable(Message);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unreadable {}

impl Error for Unreadable {
    fn custom<T: fmt::Display>(error: T) -> Self {
        // A message prints itself as JSON here, and every other error its text.
        Self(Message::read(&format!("{error:#}")))
    }

    fn invalid_type(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let (given, expected) = (given.to_string().into(), expected.to_string().into());
        Self(Message::InvalidType { given, expected })
    }

    fn invalid_value(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let (given, expected) = (given.to_string().into(), expected.to_string().into());
        Self(Message::InvalidValue { given, expected })
    }

    fn unknown_variant(given: &str, known: &'static [&'static str]) -> Self {
        let (given, known) = (ticked(given).into(), list(known).into());
        Self(Message::UnknownVariant { given, known })
    }

    fn unknown_field(given: &str, known: &'static [&'static str]) -> Self {
        let (given, known) = (ticked(given).into(), list(known).into());
        Self(Message::UnknownField { given, known })
    }

    fn missing_field(field: &'static str) -> Self {
        let field = ticked(field).into();
        Self(Message::MissingField { field })
    }
}

fn ticked(name: &str) -> String {
    format!("`{name}`")
}

fn list(known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|name| ticked(name)).collect();
    known.join(", ")
}

impl IntoDeserializer<'_, Unreadable> for Written {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Written {
    type Error = Unreadable;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(number), _) => visitor.visit_i64(number),
                (None, number) => visitor.visit_f64(number.unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(list) => {
                visitor.visit_seq(SeqDeserializer::new(list.into_iter().map(Written)))
            }
            Value::Object(fields) => {
                let fields = fields.into_iter();
                visitor.visit_map(MapDeserializer::new(
                    fields.map(|(name, value)| (name, Written(value))),
                ))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::String(text) => text
                .into_deserializer()
                .deserialize_enum(name, variants, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::within;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is only read into")]
    struct Lamp {
        #[serde(deserialize_with = "within::<_, 1, 100>")]
        brightness: u64,
        colour: Option<Colour>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Amber,
        Warm,
    }

    #[test]
    fn each_way_to_be_unreadable_is_a_message_of_its_own() {
        let why = |text: &str| why_unreadable::<Lamp>(serde_json::from_str(text).expect("JSON"));
        assert_eq!(why(r#"{"brightness": 5, "colour": "amber"}"#), None);
        assert_eq!(why(r#"{"brightness": 5, "colour": null}"#), None);
        assert_eq!(
            why(r#"{"brightness": 0}"#),
            Some(Message::OutOfBounds {
                value: 0_i64.into(),
                min: 1_u64.into(),
                max: 100_u64.into(),
            })
        );
        assert_eq!(
            why(r#"{"brightness": "x"}"#),
            Some(Message::InvalidType {
                given: "string \"x\"".into(),
                expected: "i64".into(),
            })
        );
        assert_eq!(
            why(r#"{"brightness": 5, "colour": "red"}"#),
            Some(Message::UnknownVariant {
                given: "`red`".into(),
                known: "`amber`, `warm`".into(),
            })
        );
        assert_eq!(
            why(r#"{"brightness": 5, "x": 1}"#),
            Some(Message::UnknownField {
                given: "`x`".into(),
                known: "`brightness`, `colour`".into(),
            })
        );
        let field = "`brightness`".into();
        assert_eq!(why("{}"), Some(Message::MissingField { field }));
    }
}
