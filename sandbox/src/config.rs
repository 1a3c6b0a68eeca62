//! What a sandbox is started with.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Clock;
use crate::provider::openai::OpenAi;
use crate::rate_limits::RateLimits;

pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub addr: SocketAddr,
    /// Its own SQLite file. The folder is created.
    pub database: PathBuf,
    /// The redirect URIs of the OAuth client, matched exactly.
    pub redirect_uris: Vec<String>,
    /// Run the demonstration when the database is empty.
    pub demo: bool,
    /// Otherwise it refuses to listen beyond loopback: its keys are public knowledge.
    pub allow_remote: bool,
    /// How long a stream is silent before it says that it is still there.
    pub heartbeat: Duration,
    pub rate_limits: RateLimits,
    /// How long an access token is good for; whole seconds, as its answer tells it.
    pub access_token_lifetime: Duration,
    /// The time that codes, tokens, sessions and runs go by. A test may hand in one that it moves.
    pub clock: Clock,
    /// Where `openai/…` models are; without it there are none.
    pub openai: Option<OpenAi>,
}

pub const CLIENT_ID: &str = "mantyx_oa_runlens";
pub const CLIENT_SECRET: &str = "mantyx_oas_sandbox";
pub const DEFAULT_REDIRECT_URIS: [&str; 2] =
    ["http://127.0.0.1:3000/auth/callback", "http://localhost:3000/auth/callback"];

pub const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(15);
pub const DEFAULT_ACCESS_TOKEN_LIFETIME: Duration = Duration::from_secs(3600);

/// The pause before each piece of text of a live run, in milliseconds.
pub const DELTA_DELAY_VARIABLE: &str = "RUNLENS_SANDBOX_DELTA_MS";
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
            // Whoever embeds a sandbox is its only client: there is nobody to protect from whom.
            rate_limits: RateLimits::OFF,
            access_token_lifetime: DEFAULT_ACCESS_TOKEN_LIFETIME,
            clock: Clock::Real,
            openai: None,
        }
    }
}

/// How long a live run waits before each piece of text, so that following it looks like following a model.
pub fn delta_delay_from_environment() -> Duration {
    let asked = std::env::var(DELTA_DELAY_VARIABLE).ok().and_then(|text| text.parse().ok());
    asked.map_or(DEFAULT_DELTA_DELAY, Duration::from_millis)
}
