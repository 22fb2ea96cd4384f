//! The messages of the process to the page: a code and its parameters. The English sentences are in the
//! table here, the Chinese ones in the page.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

mod define;
mod table;

pub use table::Message;

/// Has `?` turn an error into its message, which is made from a reference so that the error prints it,
/// too.
#[macro_export]
macro_rules! into_message {
    ($error:ty) => {
        impl From<$error> for $crate::error::message::Message {
            fn from(error: $error) -> Self {
                Self::from(&error)
            }
        }
    };
}

/// The message of an error is its own sentence.
#[macro_export]
macro_rules! sentence_is_message {
    ($error:ty) => {
        impl From<&$error> for $crate::error::message::Message {
            fn from(error: &$error) -> Self {
                $crate::detail!("{error}")
            }
        }

        $crate::into_message!($error);
    };
}

/// A message without a code: an English sentence, made as by `format!`.
#[macro_export]
macro_rules! detail {
    ($($sentence:tt)+) => {
        $crate::error::message::Message::detail(format_args!($($sentence)+))
    };
}

/// What varies in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Parameter {
    /// A number.
    Number(#[cfg_attr(test, ts(type = "number"))] i64),
    /// Another message, such as a cause.
    Message(Box<Message>),
    /// A name, an address, or the words of another program.
    Text(String),
}

impl Parameter {
    /// A text in quotes, since its ends would not be seen otherwise.
    pub fn quoted(text: impl fmt::Debug) -> Self {
        Self::Text(format!("{text:?}"))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Message(message) => message.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl<M: Into<Message>> From<M> for Parameter {
    fn from(message: M) -> Self {
        Self::Message(Box::new(message.into()))
    }
}

impl From<String> for Parameter {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Parameter {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&Path> for Parameter {
    fn from(path: &Path) -> Self {
        Self::Text(path.display().to_string())
    }
}

impl From<&PathBuf> for Parameter {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<i64> for Parameter {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u16> for Parameter {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Parameter {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Parameter {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl Message {
    /// The words of the system, of a library or of another program.
    pub fn text(text: impl fmt::Display) -> Self {
        let text = text.to_string();
        Self::Text { text: text.into() }
    }

    /// A sentence of ours, in English; see [`detail!`](crate::detail).
    pub fn detail(sentence: fmt::Arguments<'_>) -> Self {
        let text = sentence.to_string().into();
        Self::Detail { text }
    }

    /// Its JSON, which [`Message::read`] reads.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| self.to_string())
    }

    /// The message whose JSON this is, or else these words.
    #[must_use]
    pub fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self::text(text))
    }

    /// The innermost cause of an error; see [`deepest`].
    #[must_use]
    pub fn cause(error: &(dyn Error + 'static)) -> Self {
        let innermost = innermost(error);
        innermost
            .downcast_ref::<io::Error>()
            .map_or_else(|| Self::text(innermost), Self::from)
    }

    /// This, and that beside it.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (one, other) = (self.into(), other.into());
        Self::Both { one, other }
    }

    /// Has an error of the system name its file or folder.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::about(&path, error)
    }

    /// This, of that file or folder.
    pub fn about(what: impl Into<Parameter>, why: impl Into<Parameter>) -> Self {
        let (what, why) = (what.into(), why.into());
        Self::About { what, why }
    }
}

/// The text of an error's innermost cause. The outer text of a network
/// error contains only the URL, which can hold a key.
#[must_use]
pub fn deepest(error: &(dyn Error + 'static)) -> String {
    innermost(error).to_string()
}

fn innermost<'a>(mut error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

/// Whether nothing more can be written: the disk is full, or the user's quota of it is used up.
#[must_use]
pub fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

/// By its kind, since the system's own words are in no language of the page.
impl From<&io::Error> for Message {
    fn from(error: &io::Error) -> Self {
        if let Some(message) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return Self::clone(message);
        }
        let text = error.to_string().into();
        if is_full(error) {
            return Self::DiskFull { text };
        }
        match error.kind() {
            io::ErrorKind::PermissionDenied => Self::NoPermission { text },
            io::ErrorKind::NotFound => Self::NotFound { text },
            io::ErrorKind::ConnectionRefused => Self::ConnectionRefused { text },
            io::ErrorKind::NetworkUnreachable => Self::NoNetwork { text },
            io::ErrorKind::AddrInUse => Self::AddressInUse { text },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { text },
            io::ErrorKind::TimedOut => Self::TimedOut { text },
            _ => Self::Text { text },
        }
    }
}

impl From<&Message> for Message {
    fn from(message: &Self) -> Self {
        message.clone()
    }
}

impl From<io::Error> for Message {
    fn from(error: io::Error) -> Self {
        Self::from(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outside")]
    struct Outside(#[source] io::Error);

    #[test]
    fn a_message_is_a_code_and_parameters_on_the_wire_and_a_sentence_in_the_log() {
        let refused = io::Error::from(io::ErrorKind::PermissionDenied);
        let message = Message::about("porchlight.db", refused);
        assert_eq!(message.to_string(), "porchlight.db: permission denied");
        let wire = serde_json::to_value(&message).expect("JSON");
        let cause = serde_json::json!({
            "code": "no_permission", "parameters": { "text": "permission denied" },
        });
        let expected = serde_json::json!({
            "code": "about", "parameters": { "what": "porchlight.db", "why": cause },
        });
        assert_eq!(wire, expected);
        let back: Message = serde_json::from_value(wire).expect("a message");
        assert_eq!(back, message);
        let detail = crate::detail!("it lists more than {} objects", 7);
        assert_eq!(detail.to_string(), "it lists more than 7 objects");
    }

    /// A code is for what somebody acts on; the rest is [`detail!`](crate::detail).
    #[test]
    fn there_are_at_most_eighty_codes() {
        assert!(
            Message::SENTENCES.len() <= 80,
            "{}",
            Message::SENTENCES.len()
        );
    }

    #[test]
    fn the_cause_of_an_error_is_its_innermost() {
        let inside = io::Error::other(Message::FileEmpty);
        assert_eq!(Message::cause(&inside), Message::FileEmpty);
        assert_eq!(
            Message::cause(&fmt::Error),
            Message::text(fmt::Error.to_string())
        );
    }

    #[test]
    fn the_innermost_cause_is_returned() {
        let inside = io::Error::other("the cable is out");
        assert_eq!(deepest(&Outside(inside)), "the cable is out");
        assert_eq!(deepest(&fmt::Error), fmt::Error.to_string());
    }

    #[test]
    fn every_message_shows_all_of_its_parameters() {
        for message in Message::samples() {
            let wire = serde_json::to_value(&message).expect("JSON");
            let sentence = message.to_string();
            assert!(!sentence.is_empty());
            for name in wire["parameters"]
                .as_object()
                .into_iter()
                .flat_map(|all| all.keys())
            {
                assert!(sentence.contains(name.as_str()), "{name}: {sentence}");
            }
        }
    }
}
