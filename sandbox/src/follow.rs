//! Reading a log as it grows.
//!
//! A follower holds a position and a wake-up, nothing else: it reads the database at its own speed, so a slow one costs
//! nobody anything.

use tokio::sync::watch;

use crate::app::App;
use crate::store::{Store, StoredEvent};

pub struct Follower {
    store: Store,
    run_id: String,
    after: u64,
    /// `None` once nothing more will be written.
    wake: Option<watch::Receiver<u64>>,
    ended: bool,
}

impl Follower {
    pub fn new(app: &App, run_id: String, after: u64) -> Self {
        // Subscribed before the first read: whatever is committed in between wakes this follower.
        let wake = app.engine.live.get(&run_id).map(|live| live.follow());
        Self { store: app.store.clone(), run_id, after, wake, ended: false }
    }

    /// Whether more may still be written.
    pub fn waits(&self) -> bool {
        self.wake.is_some()
    }

    /// From now on it gives what is written, and waits for nothing more.
    pub fn stop_waiting(&mut self) {
        self.wake = None;
    }

    /// The next events, as soon as there are any; `None` after the last one. Safe to give up and ask again.
    pub async fn next(&mut self) -> sqlx::Result<Option<Vec<StoredEvent>>> {
        while !self.ended {
            let events = self.store.events_after(&self.run_id, self.after).await?;
            if let Some(last) = events.last() {
                self.after = last.seq as u64;
                self.ended = last.is_terminal();
                return Ok(Some(events));
            }
            match &mut self.wake {
                None => self.ended = true,
                Some(wake) => {
                    if wake.changed().await.is_err() {
                        self.wake = None;
                    }
                }
            }
        }
        Ok(None)
    }
}
