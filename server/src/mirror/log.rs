//! Fetches a run's log from MANTYX's stream and stores it.

use std::time::Duration;

use protocol::Event;
use protocol::timeline::Replay;
use serde_json::Value;

use super::log_stream::LogStream;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::store::{Arrival, NewLog};

/// The stream of a run in progress does not end. After a pause this long, everything that MANTYX had stored has come.
pub const CATCH_UP_PAUSE: Duration = Duration::from_millis(250);

/// Longer logs are stored piece by piece, so that they are not held in memory.
const MAX_WHOLE_EVENTS: usize = 20_000;
const MAX_WHOLE_BYTES: usize = 32 * 1024 * 1024;

/// The log of an ended run as it came from the stream.
pub enum Fetched {
    Whole(Box<WholeLog>),
    /// The first events of a log that is long, out of order or without an end.
    Partial(Vec<Event>),
}

/// A whole log, packed and folded.
pub struct WholeLog {
    pub log: NewLog,
    pub replay: Replay,
}

/// Reads the log of an ended run at once where possible.
pub async fn read_ended(state: &AppState, stream: &mut LogStream, spec: Option<&Value>) -> Result<Fetched, Error> {
    let mut events: Vec<Event> = Vec::new();
    let mut bytes = 0;
    let is_long = |events: &[Event], bytes| events.len() > MAX_WHOLE_EVENTS || bytes > MAX_WHOLE_BYTES;
    while !is_long(&events, bytes) && !events.last().is_some_and(Event::is_terminal) {
        let Some(batch) = stream.next_batch().await? else { break };
        bytes += batch.iter().map(Event::memory_bytes).sum::<usize>();
        events.extend(batch);
    }
    let is_ordered = events.is_sorted_by(|a, b| a.seq < b.seq);
    if is_long(&events, bytes) || !is_ordered || !events.iter().any(Event::is_terminal) {
        return Ok(Fetched::Partial(events));
    }
    let replay = Replay::new(events);
    let log = NewLog::new(state.store.packer(), replay.events(), replay.latest(), spec)?;
    match log.filter(|log| log.summary.complete) {
        Some(log) => Ok(Fetched::Whole(Box::new(WholeLog { log, replay }))),
        None => Ok(Fetched::Partial(replay.events().to_vec())),
    }
}

/// Stores a stream to its terminal event or, for a run in progress, until it pauses.
pub async fn store_stream(
    state: &AppState,
    caller: &Caller,
    run_id: &str,
    mut stream: LogStream,
    first: Vec<Event>,
    in_progress: bool,
) -> Result<(), Error> {
    let mut ended = store_events(state, caller, run_id, &first, false).await?;
    while !ended {
        let batch = match tokio::time::timeout(CATCH_UP_PAUSE, stream.next_batch()).await {
            Ok(batch) => batch?,
            Err(_) if in_progress => break,
            Err(_) => stream.next_batch().await?,
        };
        let Some(batch) = batch else { break };
        ended = store_events(state, caller, run_id, &batch, false).await?;
        // A busy run never pauses. The page has enough to show, and the live relay sends the rest.
        if in_progress && batch.len() < 2 {
            break;
        }
    }
    record_log_facts(state, caller, run_id).await?;
    if !ended && !in_progress {
        // MANTYX has no more of it. The page says that the end is missing, and the syncer does not ask again.
        state.store.mark_log_gone(caller.workspace_id, run_id).await?;
    }
    Ok(())
}

/// Stores a batch of events. Returns true when the log has ended.
///
/// `live` events happened just now. Others were in MANTYX's log for an unknown time.
pub async fn store_events(
    state: &AppState,
    caller: &Caller,
    run_id: &str,
    events: &[Event],
    live: bool,
) -> Result<bool, Error> {
    let arrival = Arrival { at_ms: now_ms(), live };
    state.store.insert_events(caller.workspace_id, run_id, events, arrival).await?;
    Ok(events.iter().any(Event::is_terminal))
}

/// Records what the stored log says about the run: marks, tools, text, and whether it is complete.
pub async fn record_log_facts(state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
    state.timelines.record(&state.store, caller.workspace_id, run_id).await
}

/// A background task that indexes runs which an older version stored, a few at a time.
pub async fn reindex_old_runs(state: AppState) {
    loop {
        let runs = match state.store.unindexed_runs(100).await {
            Ok(runs) if runs.is_empty() => return,
            Ok(runs) => runs,
            Err(error) => return tracing::error!(%error, "cannot list runs to index again"),
        };
        for (workspace, run_id) in runs {
            if state.shutdown.is_cancelled() {
                return;
            }
            if let Err(error) = state.store.index_log(workspace, &run_id).await {
                return tracing::error!(%error, run_id, %workspace, "cannot index a stored run again");
            }
        }
    }
}
