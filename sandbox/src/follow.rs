//! A reader that follows the log of a run while it is written.
//!
//! A follower keeps only a position and a wake-up channel. If it is up to date, it gets new events from memory; if it is
//! behind, it reads the database at its own speed, so that slow clients do not delay the run or other clients.

use std::sync::Arc;

use tokio::sync::watch;

use crate::app::App;
use crate::store::{Store, StoredEvent};
use crate::tail::Tail;

pub struct Follower {
    store: Store,
    run_id: String,
    after: u64,
    /// `None` when no more events will be written.
    wake: Option<watch::Receiver<u64>>,
    tail: Tail,
    ended: bool,
}

impl Follower {
    pub fn new(app: &App, run_id: String, after: u64) -> Self {
        // Subscribes before the first read, so that no event is missed in between.
        let live = app.engine.live.get(&run_id);
        let wake = live.as_ref().map(|live| live.follow());
        // Keeps the tail, not the run: dropping the run must close the wake-up channel.
        let tail = live.map(|live| live.tail.clone()).unwrap_or_default();
        Self { store: app.store.clone(), run_id, after, wake, tail, ended: false }
    }

    /// Returns true if more events may be written.
    pub fn is_live(&self) -> bool {
        self.wake.is_some()
    }

    /// Makes [`Self::next`] return the stored events only.
    pub fn stop_waiting(&mut self) {
        self.wake = None;
    }

    /// Returns true if all announced events have been returned.
    fn is_up_to_date(&self) -> bool {
        self.wake.as_ref().is_some_and(|wake| *wake.borrow() == self.after)
    }

    /// Waits for the next events; `None` after the last one. Cancel safe.
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
