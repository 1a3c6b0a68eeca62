//! A run's log: fetched from the stream endpoint, stored as it comes.

use std::time::Duration;

use protocol::Event;

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;
use crate::store::{NewLog, Seen, WorkspaceId};

/// A running run's stream does not end; when nothing has come for this long, its persisted part has been read.
pub const QUIET: Duration = Duration::from_millis(250);

/// Logs up to this many events are taken in at once; longer ones as they come.
const WHOLE_EVENTS: usize = 20_000;

/// The log of an ended run that is not here yet, read and packed. `None` where it must be taken in piece by piece.
pub async fn fetch_whole(state: &AppState, caller: &Caller, run_id: &str) -> Result<Option<NewLog>, Error> {
    if state.store.last_seq(caller.workspace_id, run_id).await? > 0 {
        return Ok(None);
    }
    let mut stream = state
        .credentials
        .call(caller, |bearer| async move { state.mantyx.stream(&bearer, &caller.slug, run_id, 0).await })
        .await?;
    let mut events: Vec<Event> = Vec::new();
    while let Some(batch) = stream.next_batch().await? {
        events.extend(batch);
        if events.len() > WHOLE_EVENTS {
            return Ok(None);
        }
        if events.last().is_some_and(Event::is_terminal) {
            break;
        }
    }
    // Not in order, twice, or without an end: the store sorts it out.
    let orderly = events.is_sorted_by(|a, b| a.seq < b.seq);
    Ok(NewLog::of(state.store.packer(), &events)?.filter(|log| orderly && log.facts.complete))
}

/// Reads the log from where the store ends to its terminal event or, for a running run, until it goes quiet.
pub async fn fetch(state: &AppState, caller: &Caller, run_id: &str, running: bool) -> Result<(), Error> {
    let last_seq = state.store.last_seq(caller.workspace_id, run_id).await?;
    let mut stream = state
        .credentials
        .call(caller, |bearer| async move { state.mantyx.stream(&bearer, &caller.slug, run_id, last_seq).await })
        .await?;
    let ended = loop {
        let batch = match tokio::time::timeout(QUIET, stream.next_batch()).await {
            Ok(batch) => batch?,
            Err(_) if running => break false,
            Err(_) => stream.next_batch().await?,
        };
        let Some(batch) = batch else { break false };
        if store_events(state, caller, run_id, &batch, false).await? {
            break true;
        }
        // A run that is busy never goes quiet; what has come is enough for the page, the relay brings the rest.
        if running && batch.len() < 2 {
            break false;
        }
    };
    record_log_facts(state, caller, run_id).await?;
    if !ended && !running {
        // MANTYX has said all that it has. The page shows that the end is missing; the background need not ask again.
        state.store.mark_log_gone(caller.workspace_id, run_id).await?;
    }
    Ok(())
}

/// Stores a batch of events. `true` when the log has ended.
///
/// `live`: they happened just now; else they were in MANTYX's log for nobody knows how long.
pub async fn store_events(
    state: &AppState,
    caller: &Caller,
    run_id: &str,
    events: &[Event],
    live: bool,
) -> Result<bool, Error> {
    let seen = Seen { at_ms: now_ms(), live };
    state.store.insert_events(caller.workspace_id, run_id, events, seen).await?;
    Ok(events.iter().any(Event::is_terminal))
}

/// What the stored log tells of the run: its marks, its tools, its words, and whether it is complete.
pub async fn record_log_facts(state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
    reread(state, caller.workspace_id, run_id).await
}

pub async fn reread(state: &AppState, workspace: WorkspaceId, run_id: &str) -> Result<(), Error> {
    Ok(state.store.index_log(workspace, run_id).await?)
}

/// Reads again what an older version stored, a little at a time.
pub async fn reread_old_runs(state: AppState) {
    loop {
        let unread = match state.store.unread_runs(100).await {
            Ok(unread) if unread.is_empty() => return,
            Ok(unread) => unread,
            Err(error) => return tracing::error!(%error, "stored runs could not be read again"),
        };
        for (workspace, run_id) in unread {
            if state.shutdown.is_cancelled() {
                return;
            }
            if let Err(error) = reread(&state, workspace, &run_id).await {
                return tracing::error!(%error, run_id, "a stored run could not be read again");
            }
        }
    }
}
