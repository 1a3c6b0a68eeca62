//! The connections of each client. One client cannot take all places.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use domain::LockExt;

use crate::web::client_address::{TrustedProxies, network_of};

#[derive(Clone, Debug)]
pub struct ClientSlots {
    max_per_client: usize,
    /// Their connections are those of many clients.
    proxies: TrustedProxies,
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// Held by a connection.
#[derive(Debug)]
pub struct ClientSlot {
    client: IpAddr,
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl ClientSlots {
    pub fn new(max_per_client: usize, proxies: TrustedProxies) -> Self {
        Self { max_per_client, proxies, counts: Arc::default() }
    }

    /// Counts a connection. Returns `None` if its client has too many.
    pub fn take(&self, address: IpAddr) -> Option<ClientSlot> {
        let client = network_of(address);
        let mut counts = self.counts.locked();
        let count = counts.entry(client).or_insert(0);
        if *count >= self.max_per_client && !self.proxies.contain(address.to_canonical()) {
            return None;
        }
        *count += 1;
        Some(ClientSlot { client, counts: self.counts.clone() })
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut counts = self.counts.locked();
        if let Some(count) = counts.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_does_not_take_the_places_of_others() {
        let slots = ClientSlots::new(2, "10.0.0.1".parse().expect("a proxy"));
        let take = |address: &str| slots.take(address.parse().expect("an address"));
        let (first, second) = (take("2001:db8::1"), take("2001:db8::2"));
        assert!(first.is_some() && second.is_some());
        assert!(take("2001:db8::3").is_none(), "the same network");
        assert!(take("2001:db8:0:1::1").is_some(), "another one");
        drop(first);
        assert!(take("2001:db8::3").is_some());
        let of_proxy: Vec<_> = (0..5).map(|_| take("::ffff:10.0.0.1")).collect();
        assert!(of_proxy.iter().all(Option::is_some));
        drop((second, of_proxy));
        assert!(slots.counts.locked().is_empty());
    }
}
