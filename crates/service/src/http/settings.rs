//! The settings of the listener, one struct a section of `settings.toml`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::error::message::{Message, Parameter};
use crate::text::address::WebAddress;

/// Whom a request is counted against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientIp {
    /// The other end of the connection.
    #[default]
    Peer,
    /// The header of Cloudflare's tunnel.
    CfConnectingIp,
    /// The last entry of `X-Forwarded-For`: the one that the own proxy wrote.
    XForwardedFor,
}

/// An address, or a network such as `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network(IpNet);

impl Network {
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl FromStr for Network {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let address = || text.parse().map(|address: IpAddr| IpNet::from(address));
        let network = text.parse().or_else(|_| address());
        network.map(Self).map_err(|_| Message::NoNetworkAddress {
            given: Parameter::quoted(text),
        })
    }
}

impl TryFrom<String> for Network {
    type Error = Message;

    fn try_from(text: String) -> Result<Self, Message> {
        text.parse()
    }
}

impl From<Network> for String {
    fn from(Network(network): Network) -> Self {
        if network.prefix_len() == network.max_prefix_len() {
            network.addr().to_string()
        } else {
            network.to_string()
        }
    }
}

/// `[server]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSettings {
    /// Where the embedded server listens; port 0 takes a free one.
    pub listen: SocketAddr,
    pub public_url: Option<WebAddress>,
    /// Whom a request is counted against.
    pub client_ip: ClientIp,
    /// Peers whose forwarded client address is trusted.
    pub trusted_proxies: Vec<Network>,
    /// The body of `GET /`.
    pub greeting: String,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 4780)),
            public_url: None,
            client_ip: ClientIp::Peer,
            trusted_proxies: vec![
                Network(IpNet::new_assert(Ipv4Addr::new(127, 0, 0, 0).into(), 8)),
                Network(IpNet::new_assert(Ipv6Addr::LOCALHOST.into(), 128)),
            ],
            greeting: "The porch light is on. This is Porchlight.\n".to_owned(),
        }
    }
}

/// `[limits]`: per client address.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsSettings {
    /// Requests a second in the long run; 0 turns the limit off.
    pub requests_per_second: u64,
    /// Requests at once.
    pub burst: u64,
}

impl Default for LimitsSettings {
    fn default() -> Self {
        Self {
            requests_per_second: 50,
            burst: 200,
        }
    }
}

/// `[tools]`: upload APIs of other image hosts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsSettings {
    /// Lsky Pro's, of both versions.
    pub lsky: bool,
    /// Chevereto's, version 1.
    pub chevereto: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_read_and_written_alike() {
        for text in ["127.0.0.0/8", "::1", "192.168.1.2", "2001:db8::/32"] {
            let network = Network::try_from(text.to_owned()).expect("a network");
            assert_eq!(String::from(network), text);
        }
        for text in ["", "localhost", "10.0.0.0/33", "10.0.0", "10.0.0.1:80"] {
            assert!(Network::try_from(text.to_owned()).is_err(), "{text}");
        }
        let defaults = ServerSettings::default().trusted_proxies;
        let texts: Vec<String> = defaults.into_iter().map(String::from).collect();
        assert_eq!(texts, ["127.0.0.0/8", "::1"]);
    }
}
