//! The colour of presence.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::message::Message;

/// A colour as the heartbeat carries it: three integers 0–255 and an alpha
/// 0–1, comma-separated, or nothing at all.
///
/// The alpha keeps the digits it was written with, so that `/check` returns
/// what was posted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rgba(String);

impl Rgba {
    /// No colour: the state before the first heartbeat.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The opaque colour of these three parts.
    #[must_use]
    pub fn opaque(red: u8, green: u8, blue: u8) -> Self {
        Self(format!("{red},{green},{blue},1"))
    }

    /// The colour as it goes over the wire; empty for none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Red, green and blue; `None` for no colour.
    #[must_use]
    pub fn rgb(&self) -> Option<[u8; 3]> {
        let mut parts = self.0.split(',').map_while(|part| part.parse().ok());
        Some([parts.next()?, parts.next()?, parts.next()?])
    }
}

fn is_channel(part: &str) -> bool {
    (1..=3).contains(&part.len())
        && part.bytes().all(|byte| byte.is_ascii_digit())
        && part.parse::<u8>().is_ok()
}

fn is_alpha(part: &str) -> bool {
    let only_decimal = part
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    only_decimal
        && part.len() <= 20
        && part
            .parse::<f64>()
            .is_ok_and(|alpha| (0.0..=1.0).contains(&alpha))
}

impl FromStr for Rgba {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim_matches(' ').is_empty() {
            return Ok(Self::none());
        }
        let parts: Vec<&str> = text.split(',').map(|part| part.trim_matches(' ')).collect();
        match parts.as_slice() {
            [r, g, b, a] if [r, g, b].iter().all(|part| is_channel(part)) && is_alpha(a) => {
                Ok(Self(parts.join(",")))
            }
            _ => Err(Message::NoColour),
        }
    }
}

impl fmt::Display for Rgba {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Rgba {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Rgba {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_accepted_and_spaces_dropped() {
        for (given, kept) in [
            ("233,30,99,0.9", "233,30,99,0.9"),
            ("0, 0, 0, 0", "0,0,0,0"),
            ("255,255,255,1.0", "255,255,255,1.0"),
            ("1,2,3,.5", "1,2,3,.5"),
            ("", ""),
        ] {
            assert_eq!(
                given.parse::<Rgba>().map(|c| c.to_string()),
                Ok(kept.to_owned())
            );
        }
    }

    #[test]
    fn an_invalid_colour_is_refused() {
        for given in [
            "red",
            "256,0,0,1",
            "-1,0,0,1",
            "1,2,3",
            "1,2,3,4",
            "1,2,3,1.01",
            "1,2,3,NaN",
            "1,2,3,inf",
            "1,2,3,1e0",
            "1.0,2,3,1",
            "1,2,3,0.5,",
            "1,2,3,",
            ",,,",
            "+1,2,3,1",
            "1,2,3,-0",
            "١,2,3,1",
            "1 2,3,4,1",
        ] {
            assert_eq!(given.parse::<Rgba>(), Err(Message::NoColour), "{given}");
        }
    }

    #[test]
    fn painters_get_the_three_parts() {
        assert_eq!(
            "233,30,99,0.9".parse::<Rgba>().ok().and_then(|c| c.rgb()),
            Some([233, 30, 99])
        );
        assert_eq!(Rgba::none().rgb(), None);
    }
}
