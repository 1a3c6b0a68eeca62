//! The state shared by all request handlers.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::engine::Engine;
use crate::models::Catalogue;
use crate::provider::Pace;
use crate::rate_limits::RateLimiter;
use crate::store::Store;

pub struct App {
    pub store: Store,
    pub engine: Engine,
    pub models: Catalogue,
    pub redirect_uris: Vec<String>,
    /// Set on shutdown, so that open streams end.
    pub closing: CancellationToken,
    pub delta_delay: Duration,
    pub heartbeat: Duration,
    pub rate_limiter: RateLimiter,
    pub clock: Clock,
    pub access_token_lifetime: Duration,
}

impl App {
    pub fn now_ms(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }

    /// Returns the pace of live runs: the text is delayed as with a real model, but not the first piece.
    pub fn live_pace(&self) -> Pace {
        Pace { before_first_piece: Duration::ZERO, per_delta: self.delta_delay }
    }
}
