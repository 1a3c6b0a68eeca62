//! Limits that protect the server: how long it waits for clients, and how much of it one client can use.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For the head of the first request on a connection.
    pub header_timeout: Duration,
    /// For the head of each later one. Longer than the 60 s for which proxies keep an unused connection, so that a proxy
    /// doesn't send a request on one that is being closed.
    pub idle_timeout: Duration,
    /// Between two parts of a request's body.
    pub body_timeout: Duration,
    /// For a client to take a part of the response.
    pub write_timeout: Duration,
    pub max_connections: usize,
    pub max_streams: usize,
    pub max_streams_per_session: usize,
    /// A consent or a bearer in use is checked at MANTYX after this time.
    pub recheck_after: Duration,
    /// State-changing requests of one address without a sign-in, in a minute.
    pub anonymous_writes_per_minute: u32,
    /// The size of everything that is stored for clients that are not signed in.
    pub anonymous_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(60),
            max_connections: 4_096,
            max_streams: 1_024,
            max_streams_per_session: 32,
            recheck_after: Duration::from_secs(60),
            anonymous_writes_per_minute: 60,
            anonymous_bytes: 16 * 1024 * 1024,
        }
    }
}
