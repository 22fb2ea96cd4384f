//! Devices: what reports presence.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::rgba::Rgba;

/// The name by which programs know a device: 1 to 64 letters and digits of ASCII, `-`, `_` and `.`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DeviceId(String);

/// What was given is no id of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the id of a device is 1 to 64 letters, digits, '-', '_' or '.'")]
pub struct MalformedDeviceId;

impl DeviceId {
    const LONGEST: usize = 64;

    /// That of the computer of the service.
    #[must_use]
    pub fn own() -> Self {
        Self("this-computer".to_owned())
    }

    /// Ids made of the name of a device, the best one first: in lower case, with `-` for all other
    /// characters, then with numbers from 2. A name without a letter or digit of ASCII is replaced by
    /// the kind.
    pub fn made_of(name: &str, kind: DeviceKind) -> impl Iterator<Item = Self> {
        const LONGEST_NUMBER: usize = "-1000".len();
        let fitting = |character: char| match fits(character) {
            true => character.to_ascii_lowercase(),
            false => '-',
        };
        let made: String = name.chars().map(fitting).collect();
        let made = made.trim_matches(['-', '.', '_']);
        let base: String = match made.is_empty() {
            true => kind.to_string(),
            false => made.chars().take(Self::LONGEST - LONGEST_NUMBER).collect(),
        };
        let numbered = (2..=1_000).map({
            let base = base.clone();
            move |number| Self(format!("{base}-{number}"))
        });
        std::iter::once(Self(base)).chain(numbered)
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn fits(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}

impl FromStr for DeviceId {
    type Err = MalformedDeviceId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_one = (1..=Self::LONGEST).contains(&text.len()) && text.chars().all(fits);
        is_one
            .then(|| Self(text.to_owned()))
            .ok_or(MalformedDeviceId)
    }
}

impl TryFrom<String> for DeviceId {
    type Error = MalformedDeviceId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<DeviceId> for String {
    fn from(id: DeviceId) -> Self {
        id.0
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What kind of device it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A computer on a desk.
    Desktop,
    /// A computer that is carried.
    Laptop,
    /// A phone.
    Phone,
    /// A tablet.
    Tablet,
    /// Anything else.
    #[default]
    Other,
}

/// What was given is no kind of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a device is a desktop, laptop, phone, tablet or other")]
pub struct UnknownDeviceKind;

impl DeviceKind {
    const NAMES: [(Self, &str); 5] = [
        (Self::Desktop, "desktop"),
        (Self::Laptop, "laptop"),
        (Self::Phone, "phone"),
        (Self::Tablet, "tablet"),
        (Self::Other, "other"),
    ];
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(kind, _)| kind == self);
        f.pad(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for DeviceKind {
    type Err = UnknownDeviceKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kind = Self::NAMES.iter().find(|(_, name)| *name == text);
        kind.map(|(kind, _)| *kind).ok_or(UnknownDeviceKind)
    }
}

/// Whether readers may see a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DeviceAccess {
    /// They may.
    Allowed,
    /// The owner hides it from them.
    Hidden,
    /// They may not, until the owner decides.
    Waiting,
}

/// A device as readers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceItem {
    /// Its id.
    pub id: DeviceId,
    /// What the owner calls it.
    pub name: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Whether the owner is using it now.
    pub online: bool,
    /// The foreground app; at most 200 characters.
    pub application: String,
    /// A line about it; at most 2,000 characters.
    pub introduce: String,
    /// Its colour.
    pub rgba: Rgba,
    /// When the last report came, in whole Unix seconds.
    pub last_heartbeat: i64,
    /// In percent, where the owner shares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery: Option<u8>,
    /// Whether the battery is being charged, where the owner shares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charging: Option<bool>,
    /// Until when the report is valid, in Unix seconds; for the Worker alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<i64>,
}

impl DeviceItem {
    /// Shows no more than that there is this device.
    pub fn hide(&mut self) {
        self.online = false;
        (self.application, self.introduce) = (String::new(), String::new());
        self.rgba = Rgba::none();
        (self.battery, self.charging) = (None, None);
    }
}

/// `GET /devices`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DevicesReply {
    /// Those that the owner lets readers see.
    pub devices: Vec<DeviceItem>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_letters_digits_and_three_signs() {
        for good in ["a", "Pixel-8_pro.2", &"x".repeat(64)] {
            assert_eq!(good.parse().map(|id: DeviceId| id.0), Ok(good.to_owned()));
        }
        for bad in ["", "a b", "a/b", "手机", "a\n", &"x".repeat(65)] {
            assert!(bad.parse::<DeviceId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_id_is_made_of_any_name() {
        let long = "x".repeat(59);
        for (name, first, second) in [
            ("My Phone (2)", "my-phone--2", "my-phone--2-2"),
            ("手机.A", "a", "a-2"),
            ("手机", "phone", "phone-2"),
            ("", "phone", "phone-2"),
            (&"x".repeat(100), &long, &format!("{long}-2")),
        ] {
            let ids: Vec<DeviceId> = DeviceId::made_of(name, DeviceKind::Phone).collect();
            assert_eq!((ids[0].as_str(), ids[1].as_str()), (first, second));
            let all_fit = ids.iter().all(|id| id.0.parse() == Ok(id.clone()));
            assert!(all_fit, "{name}");
        }
    }

    #[test]
    fn a_kind_is_written_as_it_is_read() {
        for kind in ["desktop", "laptop", "phone", "tablet", "other"] {
            let read: DeviceKind = kind.parse().expect("a kind");
            assert_eq!(read.to_string(), kind);
            assert_eq!(serde_json::to_value(read).expect("JSON"), kind);
        }
        assert!("toaster".parse::<DeviceKind>().is_err());
    }
}
