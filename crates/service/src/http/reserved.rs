//! Addresses that are not on the public internet, by IANA's registries of
//! special-purpose addresses.

use std::net::IpAddr;

/// Whether no provider can know anything of this address. An IPv4 address
/// that is written as IPv6 must have been made IPv4 before.
pub(crate) fn is_reserved(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => match ip.octets() {
            [0 | 127, ..] => true,       // this network, loopback
            [100, 64..=127, ..] => true, // shared, behind a provider's NAT
            [192, 0, 0, _] => true,      // protocol assignments
            [192, 88, 99, _] => true,    // former relays of 6to4
            [198, 18..=19, ..] => true,  // benchmarks
            [224..=255, ..] => true,     // multicast, reserved, broadcast
            _ => ip.is_private() || ip.is_link_local() || ip.is_documentation(),
        },
        IpAddr::V6(ip) => match ip.segments() {
            [0x2001, 0..=0x01ff, ..] => true, // protocol assignments, Teredo
            [0x2001, 0x0db8, ..] => true,     // documentation
            [0x2002, ..] => true,             // 6to4
            [0x3fff, 0..=0x0fff, ..] => true, // documentation
            // Outside of global unicast all is loopback, unique local, link-local, multicast, a
            // translation prefix or unassigned.
            [first, ..] => first & 0xe000 != 0x2000,
        },
    }
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
