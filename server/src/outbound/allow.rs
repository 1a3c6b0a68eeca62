//! The operator's list of hosts and networks to allow beyond the public internet: `RUNLENS_OUTBOUND_ALLOW`.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use ipnet::IpNet;

/// Hosts, each with or without a port, and networks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// The slug of the only workspace that may use the entry.
    workspace: Option<String>,
    host: AllowedHost,
    /// `None` allows every port.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum AllowedHost {
    /// Allowed whatever address it resolves to.
    Name(String),
    Network(IpNet),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a host, a host:port or a network such as 10.1.0.0/16")]
pub struct BadEntry(String);

impl AllowList {
    /// Adds one address: that of the embedded sandbox.
    pub fn allow_address(&mut self, address: SocketAddr) {
        let host = AllowedHost::Network(IpNet::from(address.ip()));
        self.entries.push(Entry { workspace: None, host, port: Some(address.port()) });
    }

    /// Returns the entries for all workspaces and for this one.
    pub fn for_workspace(&self, slug: &str) -> Self {
        let is_for = |entry: &&Entry| entry.workspace.as_deref().is_none_or(|workspace| workspace == slug);
        Self { entries: self.entries.iter().filter(is_for).cloned().collect() }
    }

    /// The slugs that the list names.
    pub fn workspaces(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| entry.workspace.as_deref())
    }

    /// The entries as an operator writes them, without workspaces.
    pub fn hosts(&self) -> Vec<String> {
        self.entries.iter().map(Entry::to_string).collect()
    }

    /// Returns true if the list has this name with this port.
    pub fn contains_name(&self, name: &str, port: u16) -> bool {
        let name = normalized_name(name);
        self.entries.iter().any(|entry| entry.matches_port(port) && entry.host == AllowedHost::Name(name.clone()))
    }

    pub fn contains(&self, address: SocketAddr) -> bool {
        // ::ffff:127.0.0.1 is the same host as 127.0.0.1.
        let ip = address.ip().to_canonical();
        self.entries.iter().any(|entry| {
            let AllowedHost::Network(network) = &entry.host else { return false };
            entry.matches_port(address.port()) && network.contains(&ip)
        })
    }
}

impl Entry {
    fn matches_port(&self, port: u16) -> bool {
        self.port.is_none_or(|allowed| allowed == port)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        match &self.host {
            AllowedHost::Name(name) => write!(f, "{name}{port}"),
            AllowedHost::Network(network) if network.prefix_len() < network.max_prefix_len() => write!(f, "{network}"),
            AllowedHost::Network(network) => match (network.addr(), self.port) {
                (ip, Some(port)) => write!(f, "{}", SocketAddr::new(ip, port)),
                (ip, None) => write!(f, "{ip}"),
            },
        }
    }
}

impl FromStr for AllowList {
    type Err = BadEntry;

    /// Parses entries separated by commas.
    fn from_str(text: &str) -> Result<Self, BadEntry> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        Ok(Self { entries: entries.map(parse_entry).collect::<Result<_, _>>()? })
    }
}

fn parse_entry(text: &str) -> Result<Entry, BadEntry> {
    let Some((slug, host)) = text.split_once('=') else { return parse_host(text) };
    if !is_slug(slug.trim()) {
        return Err(BadEntry(text.to_owned()));
    }
    Ok(Entry { workspace: Some(slug.trim().to_owned()), ..parse_host(host.trim())? })
}

/// Returns true for texts that can be a workspace's slug.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn parse_host(text: &str) -> Result<Entry, BadEntry> {
    let network = |network: IpNet, port| Entry { workspace: None, host: AllowedHost::Network(network.trunc()), port };
    if let Ok(found) = text.parse::<IpNet>() {
        return Ok(network(found, None));
    }
    if let Ok(ip) = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        return Ok(network(ip.into(), None));
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(network(address.ip().into(), Some(address.port())));
    }
    let bad = || BadEntry(text.to_owned());
    let (name, port) = match text.split_once(':') {
        Some((name, port)) => (name, Some(port.parse().map_err(|_| bad())?)),
        None => (text, None),
    };
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        && name.chars().any(|c| c.is_ascii_alphabetic());
    if !is_name {
        return Err(bad());
    }
    Ok(Entry { workspace: None, host: AllowedHost::Name(normalized_name(name)), port })
}

fn normalized_name(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> AllowList {
        text.parse().expect(text)
    }

    fn address(text: &str) -> SocketAddr {
        text.parse().expect(text)
    }

    #[test]
    fn hosts_ports_and_networks_are_parsed() {
        let allowed = list("Tools.Internal, peer.internal:8443,10.1.0.0/16, 127.0.0.1:9000,[::1]:9000");
        assert!(allowed.contains_name("tools.internal.", 1) && allowed.contains_name("peer.internal", 8443));
        assert!(!allowed.contains_name("peer.internal", 443) && !allowed.contains_name("internal", 1));
        assert!(!allowed.contains_name("evil.tools.internal", 1));
        assert!(allowed.contains(address("10.1.9.9:80")) && !allowed.contains(address("10.2.0.1:80")));
        assert!(allowed.contains(address("127.0.0.1:9000")) && !allowed.contains(address("127.0.0.1:9001")));
        assert!(allowed.contains(address("[::1]:9000")) && allowed.contains(address("[::ffff:10.1.0.1]:1")));
    }

    #[test]
    fn an_entry_can_be_for_one_workspace() {
        let all = list("shared.internal, acme=tools.internal, acme=10.1.0.0/16");
        let (acme, other) = (all.for_workspace("acme"), all.for_workspace("other"));
        assert!(acme.contains_name("tools.internal", 1) && acme.contains(address("10.1.0.1:80")));
        assert!(!other.contains_name("tools.internal", 1) && !other.contains(address("10.1.0.1:80")));
        assert!(acme.contains_name("shared.internal", 1) && other.contains_name("shared.internal", 1));
        assert_eq!(all.workspaces().collect::<Vec<_>>(), ["acme", "acme"]);
    }

    #[test]
    fn entries_are_shown_as_they_are_written() {
        let all = list("peer.internal:8443, acme=tools.internal, 10.1.0.0/16, 127.0.0.1:9000, [::1]:9000, 10.0.0.1");
        let shown = ["peer.internal:8443", "tools.internal", "10.1.0.0/16", "127.0.0.1:9000", "[::1]:9000", "10.0.0.1"];
        assert_eq!(all.hosts(), shown);
        assert_eq!(all.for_workspace("other").hosts().len(), 5);
    }

    #[test]
    fn an_invalid_entry_is_named_in_the_error() {
        for text in ["http://x.test", "A B=x.test", "=x.test", "a b", "x:99999", "1.2.3", "10.0.0.0/40", "*"] {
            let error = text.parse::<AllowList>().expect_err(text).to_string();
            assert!(error.contains(text), "{error}");
        }
        assert_eq!(list(""), AllowList::default());
    }
}
