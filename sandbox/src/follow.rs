//! Reading a log as it grows.
//!
//! A follower holds a position and a wake-up, nothing else. One that keeps up is given what was just committed; one that is
//! behind reads the database at its own speed, so that a slow one costs nobody anything.

use std::sync::Arc;

use tokio::sync::watch;

use crate::app::App;
use crate::store::{Store, StoredEvent};
use crate::tail::Tail;

pub struct Follower {
    store: Store,
    run_id: String,
    after: u64,
    /// `None` once nothing more will be written.
    wake: Option<watch::Receiver<u64>>,
    tail: Tail,
    ended: bool,
}

impl Follower {
    pub fn new(app: &App, run_id: String, after: u64) -> Self {
        // Subscribed before the first read: whatever is committed in between wakes this follower.
        let live = app.engine.live.get(&run_id);
        let wake = live.as_ref().map(|live| live.follow());
        // Only the tail, not the run: when that is forgotten, its followers must notice.
        let tail = live.map(|live| live.tail.clone()).unwrap_or_default();
        Self { store: app.store.clone(), run_id, after, wake, tail, ended: false }
    }

    /// Whether more may still be written.
    pub fn waits(&self) -> bool {
        self.wake.is_some()
    }

    /// From now on it gives what is written, and waits for nothing more.
    pub fn stop_waiting(&mut self) {
        self.wake = None;
    }

    /// Whether all that was announced has been given out.
    fn is_up_to_date(&self) -> bool {
        self.wake.as_ref().is_some_and(|wake| *wake.borrow() == self.after)
    }

    /// The next events, as soon as there are any; `None` after the last one. Safe to give up and ask again.
    pub async fn next(&mut self) -> sqlx::Result<Option<Vec<Arc<StoredEvent>>>> {
        while !self.ended {
            let events = match self.tail.after(self.after) {
                Some(events) => events,
                None if self.is_up_to_date() => Vec::new(),
                None => self.store.events_after(&self.run_id, self.after).await?.into_iter().map(Arc::new).collect(),
            };
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
