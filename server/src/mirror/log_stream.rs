//! The stream of a run's log. An event that cannot be read may have been damaged on its way, and a stored event never changes.
//! So it is asked for again on new connections, and stored as it is only if it stays the same for a while.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use domain::LockExt;
use protocol::Event;

use crate::auth::Caller;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::mantyx::{EventStream, MantyxError, Received};
use crate::state::AppState;
use crate::store::WorkspaceId;

/// Damaged events are rare. If there are more, the oldest are forgotten and wait once more.
const MAX_BYTES: usize = 256 * 1024;
const MAX_AGE: Duration = Duration::from_secs(3_600);

pub struct LogStream {
    stream: EventStream,
    damaged: DamagedEvents,
    workspace: WorkspaceId,
    run_id: String,
    patience: Duration,
}

/// Events that could not be read, with the time when that was first seen.
#[derive(Clone, Debug)]
pub struct DamagedEvents(Arc<Mutex<BoundedCache<EventKey, Instant>>>);

type EventKey = (WorkspaceId, String, u64);

impl Default for DamagedEvents {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(BoundedCache::new(MAX_BYTES, MAX_AGE))))
    }
}

impl DamagedEvents {
    /// Returns how long ago an event could not be read for the first time.
    fn age(&self, key: EventKey) -> Duration {
        let mut seen = self.0.locked();
        if let Some(first) = seen.get(&key) {
            return first.elapsed();
        }
        let bytes = size_of::<EventKey>() + key.1.len();
        seen.insert(key, Instant::now(), bytes);
        Duration::ZERO
    }
}

impl LogStream {
    /// Opens MANTYX's stream of a run, after the last event that is stored.
    pub async fn open(state: &AppState, caller: &Caller, run_id: &str, last_seq: u64) -> Result<Self, Error> {
        let open = |bearer| async move { state.mantyx.stream(&bearer, &caller.slug, run_id, last_seq).await };
        Ok(Self {
            stream: state.credentials.call(caller, open).await?,
            damaged: state.mirror.damaged_events.clone(),
            workspace: caller.workspace_id,
            run_id: run_id.to_owned(),
            patience: state.limits.damaged_event_patience,
        })
    }

    /// Returns the next events, or `None` at the end.
    pub async fn next_batch(&mut self) -> Result<Option<Vec<Event>>, MantyxError> {
        match self.stream.next().await? {
            None => Ok(None),
            Some(Received::Events(events)) => Ok(Some(events)),
            Some(Received::Damaged(event)) => {
                let key = (self.workspace, self.run_id.clone(), event.seq);
                if self.damaged.age(key) < self.patience {
                    return Err(MantyxError::Unexpected(format!("event {} that cannot be read", event.seq)));
                }
                Ok(Some(vec![event]))
            }
        }
    }
}
