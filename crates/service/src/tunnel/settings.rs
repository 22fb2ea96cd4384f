//! Settings of the tunnel.

use std::path::PathBuf;
use std::str::FromStr;

use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::message::{Message, Parameter};
use crate::text::address::WebAddress;
use crate::text::pattern::compile;
use crate::text::secret::Secret;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TunnelKind {
    #[default]
    None,
    Cloudflared,
    /// A remote forward of the `ssh` command.
    Ssh,
    /// The owner's own command.
    Command,
}

/// `[tunnel]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TunnelSettings {
    pub kind: TunnelKind,
    /// The program that is started, from the root on; `None` where it is found
    /// by the name that the kind or the command has for it.
    pub program: Option<PathBuf>,
    /// The token of a named tunnel.
    #[serde(skip_serializing)]
    pub cloudflared_token: Option<Secret>,
    /// The name that a named tunnel is reached by.
    pub hostname: Option<String>,
    /// `user@host`.
    pub ssh_host: Option<String>,
    /// The remote port; 0 lets the other end choose.
    pub ssh_port: u16,
    pub public_url: Option<WebAddress>,
    /// The command as a list of words; `{port}` is replaced.
    pub command: Option<Vec<String>>,
    /// Finds the public address in what the command prints.
    pub pattern: Option<AddressPattern>,
    /// The port on loopback that the tunnel leads to; 0 takes a free one.
    pub port: u16,
    /// How often it is looked, from outside, whether the tunnel leads here.
    pub check_seconds: u64,
}

impl Default for TunnelSettings {
    fn default() -> Self {
        Self {
            kind: TunnelKind::None,
            program: None,
            cloudflared_token: None,
            hostname: None,
            ssh_host: None,
            ssh_port: 0,
            public_url: None,
            command: None,
            pattern: None,
            port: 0,
            check_seconds: 60,
        }
    }
}

/// A regular expression whose first group is a public address.
#[derive(Debug, Clone)]
pub struct AddressPattern(Regex);

impl AddressPattern {
    /// The first address in `text`.
    #[must_use]
    pub fn find<'text>(&self, text: &'text str) -> Option<&'text str> {
        Some(self.0.captures(text)?.get(1)?.as_str())
    }
}

impl PartialEq for AddressPattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl FromStr for AddressPattern {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expression = compile(text)?;
        // The whole match counts as one.
        if expression.captures_len() < 2 {
            return Err(crate::detail!(
                "{given} needs a group, in parentheses, around the address",
                given = Parameter::quoted(text)
            ));
        }
        Ok(Self(expression))
    }
}

impl<'de> Deserialize<'de> for AddressPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for AddressPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::AddressPattern;

    #[test]
    fn the_first_group_is_the_address() {
        let pattern: AddressPattern = "at (https://[^ ]+)".parse().expect("valid");
        assert_eq!(
            pattern.find("up at https://a.example now"),
            Some("https://a.example")
        );
        assert_eq!(pattern.find("not yet"), None);
    }
}
