//! Web addresses in settings and replies, and the probe that shows that one leads to this process.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::message::{Message, Parameter};

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

    /// Whether only this machine or its network reaches it: loopback, private and link-local
    /// addresses, and names that no public DNS answers.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let url = url::Url::parse(&self.0).ok();
        match url.as_ref().and_then(url::Url::host) {
            Some(url::Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                let last = name.rsplit_once('.').map(|(_, last)| last);
                last.is_none_or(|last| LOCAL_NAMES.contains(&last)) || name.ends_with(".home.arpa")
            }
            Some(url::Host::Ipv4(address)) => is_local(address.into()),
            Some(url::Host::Ipv6(address)) => is_local(address.to_canonical()),
            None => false,
        }
    }

    /// The host, and the port where it is not that of the scheme: what a browser sends as `Host`.
    #[must_use]
    pub fn authority(&self) -> &str {
        let (_, rest) = self.0.split_once("://").unwrap_or_default();
        rest.split('/').next().unwrap_or_default()
    }

    /// The host, in lower case.
    #[must_use]
    pub fn host(&self) -> &str {
        let authority = self.authority();
        match authority.rsplit_once(':') {
            // The colons of IPv6 are within brackets.
            Some((host, port)) if !port.ends_with(']') => host,
            _ => authority,
        }
    }

    /// The address of `path` below this one; `path` starts with a slash.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

/// The last part of names in private networks: reserved, or never delegated.
const LOCAL_NAMES: [&str; 4] = ["localhost", "local", "internal", "lan"];

fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            // Behind a provider's NAT, and in tailnets.
            let is_shared = v4.octets()[0] == 100 && v4.octets()[1] & 0xc0 == 64;
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || is_shared
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || v6.is_unspecified()
        }
    }
}

impl FromStr for WebAddress {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || {
            if text.contains(['@', '?', '#']) {
                // It is not repeated, since it can contain a secret.
                crate::detail!(
                    "a user name, a query or a fragment ('@', '?' or '#') cannot be in it: it should look like https://light.example.blog"
                )
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

/// The reachability probe: a secret path, and the secret answer that only this process gives there.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Starts with a slash.
    pub path: String,
    /// The body of the answer.
    pub answer: String,
}

impl Probe {
    /// In a probe, the address that it was sent to; in its answer, [`Probe::REWRITTEN`] where
    /// something on the way has put another host into `Host`, so that readers are refused.
    pub const ADDRESS: &str = "x-porchlight-address";
    /// See [`Probe::ADDRESS`].
    pub const REWRITTEN: &str = "rewritten";

    /// Both from words that cannot be guessed.
    #[must_use]
    pub fn of(words: [[u8; 16]; 2]) -> Self {
        let [path, answer] = words.map(hex::encode);
        Self {
            path: format!("/.well-known/porchlight/{path}"),
            answer,
        }
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
    fn an_invalid_web_address_is_refused() {
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
    fn possible_secrets_are_not_repeated() {
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
    fn the_host_is_known_with_and_without_its_port() {
        for (given, authority, host) in [
            (
                "https://Light.Example:443/a:b",
                "light.example",
                "light.example",
            ),
            (
                "https://light.example:8443",
                "light.example:8443",
                "light.example",
            ),
            ("http://[::1]:80/", "[::1]", "[::1]"),
            ("http://[::1]:4780", "[::1]:4780", "[::1]"),
        ] {
            let address: WebAddress = given.parse().expect("an address");
            assert_eq!((address.authority(), address.host()), (authority, host));
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

    #[test]
    fn addresses_of_this_machine_and_its_network_are_local() {
        for (given, local) in [
            ("http://localhost:4780", true),
            ("http://blog.localhost", true),
            ("http://127.0.0.1:4780", true),
            ("http://[::1]:4780", true),
            ("http://0.0.0.0:4780", true),
            ("http://10.1.2.3", true),
            ("http://172.16.0.9", true),
            ("http://192.168.1.5:4780", true),
            ("http://169.254.7.7", true),
            ("http://100.101.102.103", true),
            ("http://[fd12::5]:4780", true),
            ("http://[fe80::1]", true),
            ("http://[::ffff:192.168.1.5]", true),
            ("http://nas.local:4780", true),
            ("http://NAS.local.", true),
            ("http://nas:4780", true),
            ("http://nas.lan", true),
            ("http://nas.home.arpa", true),
            ("https://light.example", false),
            ("https://local.example", false),
            ("https://notlocal", true),
            ("https://a.notlocal", false),
            ("http://172.32.0.1", false),
            ("http://100.128.0.1", false),
            ("http://192.0.2.1", false),
            ("http://[2001:4860::1]", false),
        ] {
            let address: WebAddress = given.parse().expect("an address");
            assert_eq!(address.is_local(), local, "{given}");
        }
    }
}
