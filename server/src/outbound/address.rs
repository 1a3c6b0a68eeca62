//! Classification of IP addresses and names: public internet or not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// IPv4 networks outside the public internet.
const SPECIAL_V4: [(Ipv4Addr, u8); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // carrier-grade NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, broadcast
];

/// IPv6 global unicast; loopback, link-local, unique local and multicast are outside.
const GLOBAL_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks within global unicast that are not ordinary hosts.
const SPECIAL_V6: [(Ipv6Addr, u8); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // Teredo and other protocol assignments
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4, which hides an IPv4 address
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// NAT64: the last 32 bits are the IPv4 address that the connection reaches.
const NAT64: (Ipv6Addr, u8) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Returns true if the address is on the public internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            Some(ip) => is_public_v4(ip),
            None if in_v6(NAT64, ip) => is_public_v4(last_four_bytes(ip)),
            None => in_v6(GLOBAL_V6, ip) && !SPECIAL_V6.into_iter().any(|net| in_v6(net, ip)),
        },
    }
}

/// The addresses of a local name.
pub const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Returns true if the name means this machine by definition.
pub fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    !SPECIAL_V4.into_iter().any(|(net, prefix)| Ipv4Net::new_assert(net, prefix).contains(&ip))
}

fn in_v6((net, prefix): (Ipv6Addr, u8), ip: Ipv6Addr) -> bool {
    Ipv6Net::new_assert(net, prefix).contains(&ip)
}

fn last_four_bytes(ip: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = ip.octets();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().expect(text))
    }

    #[test]
    fn ordinary_hosts_are_public() {
        for ip in ["1.1.1.1", "93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::5"] {
            assert!(public(ip), "{ip}");
        }
    }

    #[test]
    fn private_and_special_networks_are_not_public() {
        for ip in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "203.0.113.5",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!public(ip), "{ip}");
        }
        for ip in
            ["::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1", "100::1", "5f00::1"]
        {
            assert!(!public(ip), "{ip}");
        }
    }

    #[test]
    fn an_ipv4_address_does_not_hide_in_an_ipv6_one() {
        for ip in [
            "::ffff:127.0.0.1",                     // mapped
            "::ffff:169.254.169.254",               // mapped
            "::127.0.0.1",                          // compatible
            "2002:7f00:1::",                        // 6to4
            "2002:a00:1::1",                        // 6to4
            "64:ff9b::7f00:1",                      // NAT64
            "64:ff9b::a9fe:a9fe",                   // NAT64
            "64:ff9b:1::1",                         // NAT64, local use
            "2001:0:4136:e378:8000:63bf:3fff:fdd2", // Teredo
        ] {
            assert!(!public(ip), "{ip}");
        }
        assert!(public("::ffff:1.1.1.1") && public("64:ff9b::101:101"));
    }

    #[test]
    fn local_names_are_recognized_in_any_spelling() {
        assert!(is_local_name("localhost") && is_local_name("LOCALHOST.") && is_local_name("a.localhost"));
        assert!(!is_local_name("localhost.example.com") && !is_local_name("mylocalhost"));
    }
}
