//! Addresses that are not on the public internet, by IANA's registries of
//! special-purpose addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks as their first address and the length of their prefix.
const V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // shared, behind a provider's NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // former relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, and broadcast
];

/// Global unicast: whatever is outside of it is loopback, unique local,
/// link-local, multicast, a translation prefix or unassigned.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What is special within global unicast.
const V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Whether no provider can know anything of this address. An IPv4 address
/// that is written as IPv6 must have been made IPv4 before.
pub(crate) fn is_reserved(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => V4.iter().any(|&network| holds_v4(network, ip)),
        IpAddr::V6(ip) => {
            !holds_v6(GLOBAL_V6, ip) || V6.iter().any(|&network| holds_v6(network, ip))
        }
    }
}

fn holds_v4((first, prefix): (Ipv4Addr, u32), ip: Ipv4Addr) -> bool {
    (u32::from(first) ^ u32::from(ip)) >> (32 - prefix) == 0
}

fn holds_v6((first, prefix): (Ipv6Addr, u32), ip: Ipv6Addr) -> bool {
    (u128::from(first) ^ u128::from(ip)) >> (128 - prefix) == 0
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::is_reserved;

    fn reserved(text: &str) -> bool {
        let ip: IpAddr = text.parse().expect("an address");
        is_reserved(ip.to_canonical())
    }

    #[test]
    fn private_and_special_addresses_are_reserved() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.1.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.7",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.9",
            "203.0.113.5",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::10.0.0.1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "3fff::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ] {
            assert!(reserved(text), "{text}");
        }
    }

    #[test]
    fn public_addresses_are_not() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.0.0.1",
            "128.0.0.1",
            "169.253.1.1",
            "172.15.0.1",
            "172.32.0.0",
            "192.0.1.1",
            "192.167.1.1",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "2001:200::1",
            "2400:cb00::1",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
            "2001:4860:4860::8888",
        ] {
            assert!(!reserved(text), "{text}");
        }
    }
}
