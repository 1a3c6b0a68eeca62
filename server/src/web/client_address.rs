//! The address of a request's client: of the connection or, behind a proxy that the settings trust, of the client that the
//! proxy names.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use ipnet::IpNet;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// A request extension.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub IpAddr);

/// Addresses and networks of proxies: `RUNLENS_TRUSTED_PROXIES`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not an address or a network such as 10.1.0.0/16")]
pub struct BadProxy(String);

impl FromStr for TrustedProxies {
    type Err = BadProxy;

    fn from_str(text: &str) -> Result<Self, BadProxy> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let parse = |entry: &str| {
            let address = entry.parse::<IpAddr>().map(IpNet::from);
            address.or_else(|_| entry.parse()).map_err(|_| BadProxy(entry.to_owned()))
        };
        entries.map(parse).collect::<Result<_, _>>().map(Self)
    }
}

impl TrustedProxies {
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Each proxy adds the address of its client at the end. Only what a trusted proxy has added counts.
    fn client(&self, connected: IpAddr, headers: &HeaderMap) -> IpAddr {
        let lines = headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok());
        let hops: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
        let mut client = connected.to_canonical();
        for hop in hops.iter().rev() {
            match hop.parse::<IpAddr>() {
                Ok(next) if self.contain(client) => client = next.to_canonical(),
                _ => break,
            }
        }
        client
    }
}

/// The network that counts as one client: one client usually has a whole IPv6 network of this size.
pub fn network_of(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6((u128::from(ip) & !u128::from(u64::MAX)).into()),
        ip => ip,
    }
}

/// Middleware that adds the [`ClientAddress`].
pub async fn find_client(State(proxies): State<TrustedProxies>, mut request: Request, next: Next) -> Response {
    let connected = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
    if let Some(connected) = connected {
        let client = proxies.client(connected, request.headers());
        request.extensions_mut().insert(ClientAddress(client));
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_trusted_proxy_says_counts() {
        let proxies: TrustedProxies = "10.0.0.0/8, 127.0.0.1".parse().expect("proxies");
        let client = |connected: &str, lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, line.parse().expect("a header"));
            }
            proxies.client(connected.parse().expect("an address"), &headers).to_string()
        };
        assert_eq!(client("198.51.100.7", &["203.0.113.9"]), "198.51.100.7");
        assert_eq!(client("127.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(client("::ffff:127.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        // The client invented the first one; the proxy saw the second one.
        assert_eq!(client("127.0.0.1", &["192.0.2.1, 203.0.113.9"]), "203.0.113.9");
        assert_eq!(client("127.0.0.1", &["192.0.2.1", "203.0.113.9, 10.1.2.3"]), "203.0.113.9");
        assert_eq!(client("127.0.0.1", &["unknown"]), "127.0.0.1");
        assert_eq!(client("127.0.0.1", &[]), "127.0.0.1");
        assert_eq!(TrustedProxies::default().client([127, 0, 0, 1].into(), &HeaderMap::new()).to_string(), "127.0.0.1");
    }

    #[test]
    fn an_invalid_proxy_is_named_in_the_error() {
        let error = "10.0.0.1,proxy".parse::<TrustedProxies>().expect_err("no address");
        assert!(error.to_string().contains("“proxy”"), "{error}");
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_client() {
        let parse = |text: &str| network_of(text.parse().expect(text));
        assert_eq!(parse("2001:db8::1"), parse("2001:db8::ffff:2"));
        assert_ne!(parse("2001:db8::1"), parse("2001:db8:0:1::1"));
        assert_eq!(parse("::ffff:10.0.0.1"), parse("10.0.0.1"));
    }
}
