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
    /// For a whole body, without the time in which the server doesn't read it. A body with files gets more as it arrives.
    pub body_deadline: Duration,
    /// A body with files gets a second for each of these many bytes.
    pub min_upload_bytes_per_second: u64,
    /// For a client to take a part of the response.
    pub write_timeout: Duration,
    /// Until a page's first byte. A page whose rendering panics would otherwise never respond.
    pub render_timeout: Duration,
    pub max_connections: usize,
    /// Of one address, or of one IPv6 network. Doesn't apply to trusted proxies.
    pub max_connections_per_client: usize,
    pub max_streams: usize,
    /// So that one workspace does not take the streams of others.
    pub max_streams_per_workspace: usize,
    pub max_streams_per_session: usize,
    /// A consent or a bearer in use is checked at MANTYX after this time.
    pub recheck_after: Duration,
    /// An event of MANTYX that cannot be read is asked for again for this long, and then stored as it is.
    pub damaged_event_patience: Duration,
    /// State-changing requests of one address without a sign-in, in a minute.
    pub anonymous_writes_per_minute: u32,
    /// Sign-ins from one address, in a minute.
    pub sign_ins_per_minute: u32,
    /// The size of everything that is stored for clients that are not signed in.
    pub anonymous_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(30),
            body_deadline: Duration::from_secs(60),
            min_upload_bytes_per_second: 16 * 1024,
            write_timeout: Duration::from_secs(60),
            render_timeout: Duration::from_secs(90),
            max_connections: 4_096,
            max_connections_per_client: 1_024,
            max_streams: 1_024,
            max_streams_per_workspace: 512,
            max_streams_per_session: 32,
            recheck_after: Duration::from_secs(60),
            damaged_event_patience: Duration::from_secs(30),
            anonymous_writes_per_minute: 60,
            sign_ins_per_minute: 60,
            anonymous_bytes: 16 * 1024 * 1024,
        }
    }
}
