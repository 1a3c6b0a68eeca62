//! The configuration of a sandbox.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Clock;
use crate::provider::openai::OpenAi;
use crate::rate_limits::RateLimits;

pub struct Config {
    /// Listen address; port 0 picks a free port.
    pub addr: SocketAddr,
    /// SQLite file. Its folder is created.
    pub database: PathBuf,
    /// The redirect URIs of the OAuth client, matched exactly.
    pub redirect_uris: Vec<String>,
    /// Run the demonstration when the database is empty.
    pub demo: bool,
    /// Without it, only loopback addresses are accepted, because the keys are public.
    pub allow_remote: bool,
    /// Interval between heartbeats of an idle stream.
    pub heartbeat: Duration,
    pub rate_limits: RateLimits,
    /// In whole seconds, as `expires_in` has it.
    pub access_token_lifetime: Duration,
    /// The time of codes, tokens, sessions and runs. Tests can use a virtual clock.
    pub clock: Clock,
    /// The API for `openai/…` models; `None` if there is none.
    pub openai: Option<OpenAi>,
}

pub const CLIENT_ID: &str = "mantyx_oa_runlens";
pub const CLIENT_SECRET: &str = "mantyx_oas_sandbox";
pub const DEFAULT_REDIRECT_URIS: [&str; 2] =
    ["http://127.0.0.1:3000/auth/callback", "http://localhost:3000/auth/callback"];

pub const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(15);
pub const DEFAULT_ACCESS_TOKEN_LIFETIME: Duration = Duration::from_secs(3600);

/// Delay before each text delta of a live run, in milliseconds.
const DELTA_DELAY_VARIABLE: &str = "RUNLENS_SANDBOX_DELTA_MS";
const DEFAULT_DELTA_DELAY: Duration = Duration::from_millis(15);

impl Config {
    pub fn new(addr: SocketAddr, database: impl Into<PathBuf>) -> Self {
        Self {
            addr,
            database: database.into(),
            redirect_uris: DEFAULT_REDIRECT_URIS.map(str::to_owned).to_vec(),
            demo: true,
            allow_remote: false,
            heartbeat: DEFAULT_HEARTBEAT,
            // The embedding process is the only client.
            rate_limits: RateLimits::OFF,
            access_token_lifetime: DEFAULT_ACCESS_TOKEN_LIFETIME,
            clock: Clock::Real,
            openai: None,
        }
    }
}

/// Returns the delay before each text delta of a live run, which imitates the speed of a model.
pub fn delta_delay_from_environment() -> Duration {
    let asked = std::env::var(DELTA_DELAY_VARIABLE).ok().and_then(|text| text.parse().ok());
    asked.map_or(DEFAULT_DELTA_DELAY, Duration::from_millis)
}
