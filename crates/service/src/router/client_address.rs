//! Whose request this is: the address that limits are counted against.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::HeaderMap;

use crate::http::settings::ClientIp;
use crate::stats::Reader;

/// What a caller is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ClientAddress {
    /// An IPv4 address, or the /64 of an IPv6 one, since that is what one household gets.
    At(IpAddr),
    /// One of those who cannot be distinguished.
    Unnamed,
}

impl ClientAddress {
    pub(crate) fn at(address: IpAddr) -> Self {
        Self::At(household(address))
    }

    /// Whether this may be many callers: those who cannot be distinguished, or all whom a proxy on this
    /// machine names by no address.
    pub(crate) fn may_be_many(self) -> bool {
        match self {
            Self::At(address) => on_this_machine(address),
            Self::Unnamed => true,
        }
    }

    /// The reader at this address; `None` for the owner's own calls.
    pub(crate) fn reader_at(address: IpAddr) -> Option<Reader> {
        (!on_this_machine(address)).then(|| Reader::At(household(address)))
    }
}

pub(crate) fn on_this_machine(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// The word of the header that the settings name, and of no other; `None` where it is missing or no
/// address.
pub(crate) fn forwarded(source: ClientIp, headers: &HeaderMap) -> Option<IpAddr> {
    match source {
        ClientIp::Peer => None,
        ClientIp::CfConnectingIp => last_entry(headers, "cf-connecting-ip"),
        ClientIp::XForwardedFor => last_entry(headers, "x-forwarded-for"),
    }
}

/// The last entry is the one that the own proxy appended; a caller may have
/// forged those before it.
fn last_entry(headers: &HeaderMap, name: &str) -> Option<IpAddr> {
    let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    let entry = value.rsplit(',').next()?.trim();
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.split(']').next())
        .unwrap_or(entry);
    bare.parse()
        .ok()
        .or_else(|| entry.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let mut octets = address.octets();
            octets[8..].fill(0);
            Ipv6Addr::from(octets).into()
        }
        whole => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whom an entry of the configured header names.
    fn address(entry: &str) -> String {
        let mut headers = HeaderMap::new();
        let entry = entry.parse().expect("a header value");
        headers.append("x-forwarded-for", entry);
        match forwarded(ClientIp::XForwardedFor, &headers).map(ClientAddress::at) {
            Some(ClientAddress::At(address)) => address.to_string(),
            _ => "nobody".to_owned(),
        }
    }

    #[test]
    fn one_household_is_one_caller() {
        for entry in ["2001:db8:1:2:3::4", "[2001:db8:1:2:ffff::9]:443"] {
            assert_eq!(address(entry), "2001:db8:1:2::");
        }
        assert_eq!(address("::ffff:192.0.2.1"), "192.0.2.1");
    }

    #[test]
    fn callers_on_this_machine_may_be_many() {
        for (address, many) in [
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("127.0.0.2", true),
            ("::2", false),
            ("2001:db8::1", false),
        ] {
            let caller = ClientAddress::at(address.parse().expect("an address"));
            assert_eq!(caller.may_be_many(), many, "{address}");
        }
    }

    #[test]
    fn nonsense_names_nobody() {
        assert_eq!(address("me"), "nobody");
    }
}
