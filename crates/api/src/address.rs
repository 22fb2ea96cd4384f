//! Web addresses in settings and replies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Message, Parameter};

/// An `http://` or `https://` address with a host, without query, fragment or
/// credentials, kept without its trailing slash so that paths can be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAddress(String);

impl WebAddress {
    /// The address without a trailing slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is an `https://` address.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }

    /// Whether it is on this machine itself: `localhost`, or an address of the
    /// loopback interface.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let url = url::Url::parse(&self.0).ok();
        match url.as_ref().and_then(url::Url::host) {
            Some(url::Host::Domain(name)) => name == "localhost",
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.to_canonical().is_loopback(),
            None => false,
        }
    }

    /// The address of `path` below this one; `path` starts with a slash.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

impl FromStr for WebAddress {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || {
            if text.contains(['@', '?', '#']) {
                // It is not repeated, since it can contain a secret.
                Message::AddressWithExtras
            } else {
                Message::NoWebAddress {
                    given: Parameter::quoted(text),
                }
            }
        };
        let url = url::Url::parse(text).map_err(|_| refused())?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if plain {
            Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
        } else {
            Err(refused())
        }
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for WebAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for WebAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::WebAddress;

    #[test]
    fn the_trailing_slash_goes_and_paths_stay() {
        for (given, kept) in [
            ("https://light.example.blog/", "https://light.example.blog"),
            ("http://127.0.0.1:4780", "http://127.0.0.1:4780"),
            (
                "https://cdn.example/pictures/",
                "https://cdn.example/pictures",
            ),
        ] {
            assert_eq!(
                given.parse::<WebAddress>().map(|a| a.to_string()),
                Ok(kept.to_owned())
            );
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for given in [
            "",
            "light.example",
            "ftp://a.b",
            "https://",
            "https://u:p@a.b",
            "https://a.b/?q",
            "javascript:alert(1)",
        ] {
            assert!(given.parse::<WebAddress>().is_err(), "{given}");
        }
    }

    #[test]
    fn what_can_be_a_secret_is_not_repeated() {
        for given in [
            "https://u:hunter2@a.b",
            "https://a.b/?token=hunter2",
            "https://a.b/#hunter2",
            "u:hunter2@",
        ] {
            let refused = given.parse::<WebAddress>().expect_err("refused");
            assert!(!format!("{refused} {refused:?}").contains("hunter2"));
            assert!(refused.to_string().contains("'@', '?' or '#'"), "{refused}");
        }
    }

    #[test]
    fn loopback_addresses_are_recognised() {
        for (given, loopback) in [
            ("http://localhost:1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:4780", true),
            ("http://[::ffff:127.0.0.1]", true),
            ("http://localhost.example", false),
            ("http://127.0.0.1.example", false),
            ("http://10.0.0.1", false),
        ] {
            let address: WebAddress = given.parse().expect("an address");
            assert_eq!(address.is_loopback(), loopback, "{given}");
        }
    }
}
