//! The clock of the engine: real, or virtual for demonstrations and tests.
//!
//! The engine waits in two ways. Simulated work (`pause`) advances a virtual clock. A timeout (`expire`) does not: the
//! simulated client advances the clock.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::watch;

#[derive(Clone)]
pub enum Clock {
    Real,
    Virtual(Arc<watch::Sender<DateTime<Utc>>>),
}

impl Clock {
    pub fn starting_at(start: DateTime<Utc>) -> Self {
        Self::Virtual(Arc::new(watch::channel(start).0))
    }

    pub fn now(&self) -> DateTime<Utc> {
        match self {
            Self::Real => Utc::now(),
            Self::Virtual(time) => *time.borrow(),
        }
    }

    /// Returns the time of a virtual clock. Nothing else shows when its events happened.
    pub fn virtual_now(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Real => None,
            Self::Virtual(_) => Some(self.now()),
        }
    }

    /// Waits for the duration of simulated work.
    pub async fn pause(&self, duration: Duration) {
        match self {
            Self::Real if duration.is_zero() => {}
            Self::Real => tokio::time::sleep(duration).await,
            Self::Virtual(_) => self.advance(duration),
        }
    }

    /// Resolves when `duration` has passed, without advancing the clock.
    pub fn expire(&self, duration: Duration) -> impl Future<Output = ()> + Send + 'static {
        let clock = self.clone();
        let deadline = self.now() + duration;
        let real = matches!(self, Self::Real).then(|| tokio::time::sleep(duration));
        async move {
            match (clock, real) {
                (Self::Virtual(time), _) => {
                    // Cannot fail: this future owns a sender.
                    let _ = time.subscribe().wait_for(|now| *now >= deadline).await;
                }
                (Self::Real, Some(sleep)) => sleep.await,
                (Self::Real, None) => {}
            }
        }
    }

    /// Advances a virtual clock. Does nothing for the real clock.
    pub fn advance(&self, duration: Duration) {
        if let Self::Virtual(time) = self {
            time.send_modify(|now| *now += duration);
        }
    }
}
