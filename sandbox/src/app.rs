//! What every request handler shares.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::engine::Engine;
use crate::models::Catalogue;
use crate::provider::Pace;
use crate::rate_limits::Meter;
use crate::store::Store;

pub struct App {
    pub store: Store,
    pub engine: Engine,
    pub models: Catalogue,
    pub redirect_uris: Vec<String>,
    /// Set when the server goes down: open streams end.
    pub closing: CancellationToken,
    pub delta_delay: Duration,
    pub heartbeat: Duration,
    pub meter: Meter,
    pub clock: Clock,
    pub access_token_lifetime: Duration,
}

impl App {
    pub fn now_ms(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }

    /// Live runs write at the speed of a model, but nobody has to wait for one to think.
    pub fn live_pace(&self) -> Pace {
        Pace { before_first_piece: Duration::ZERO, per_delta: self.delta_delay }
    }
}
