//! Time as the engine sees it: the real one, or one that a demonstration moves.
//!
//! The engine tells two kinds of waiting apart. Work that takes time (`pause`) makes a virtual clock advance by itself.
//! Waiting for somebody else (`expire`) does not: whoever plays that somebody advances it.

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

    /// Takes the time that a piece of work needs.
    pub async fn pause(&self, duration: Duration) {
        match self {
            Self::Real if duration.is_zero() => {}
            Self::Real => tokio::time::sleep(duration).await,
            Self::Virtual(_) => self.advance(duration),
        }
    }

    /// Resolves once `duration` has passed from now on, without making it pass.
    pub fn expire(&self, duration: Duration) -> impl Future<Output = ()> + Send + 'static {
        let clock = self.clone();
        let deadline = self.now() + duration;
        let real = matches!(self, Self::Real).then(|| tokio::time::sleep(duration));
        async move {
            match (clock, real) {
                (Self::Virtual(time), _) => {
                    // The sender lives as long as this future, so waiting ends only with the deadline.
                    let _ = time.subscribe().wait_for(|now| *now >= deadline).await;
                }
                (Self::Real, Some(sleep)) => sleep.await,
                (Self::Real, None) => {}
            }
        }
    }

    /// Moves a virtual clock; the real one moves by itself.
    pub fn advance(&self, duration: Duration) {
        if let Self::Virtual(time) = self {
            time.send_modify(|now| *now += duration);
        }
    }
}
