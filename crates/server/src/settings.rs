//! The settings of the listener, one struct a section of `settings.toml`.

use std::net::{Ipv4Addr, SocketAddr};

use porchlight_api::WebAddress;
use porchlight_core::settings::within;
use serde::{Deserialize, Serialize};

/// Whom a request is counted against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientIp {
    /// The other end of the connection.
    #[default]
    Peer,
    /// What Cloudflare's tunnel says.
    CfConnectingIp,
    /// The last entry of `X-Forwarded-For`: the one that the own proxy wrote.
    XForwardedFor,
}

/// `[server]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSettings {
    /// Where the embedded server listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The address that the world uses.
    pub public_url: Option<WebAddress>,
    /// Whom a request is counted against.
    pub client_ip: ClientIp,
    /// The body of `GET /`.
    pub greeting: String,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 4780)),
            public_url: None,
            client_ip: ClientIp::Peer,
            greeting: "The porch light is on. This is Porchlight.\n".to_owned(),
        }
    }
}

/// `[limits]`: per client address.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsSettings {
    /// Requests a second in the long run; 0 turns the limit off.
    #[serde(deserialize_with = "within::<_, 0, 1_000_000>")]
    pub requests_per_second: u64,
    /// Requests at once.
    #[serde(deserialize_with = "within::<_, 1, 1_000_000>")]
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
