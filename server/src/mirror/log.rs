//! A run's log: fetched from the stream endpoint, stored as it comes.

use std::time::Duration;

use app::model::Marks;
use protocol::Event;

use crate::auth::Caller;
use crate::error::Error;
use crate::mirror::Freshness;
use crate::state::AppState;
use crate::workspace::fold_log;

/// A running run's stream does not end; when nothing has come for this long, its persisted part has been read.
const QUIET: Duration = Duration::from_millis(250);

/// Logs fetched after one sync of the list.
const FETCH_AT_MOST: u32 = 200;

/// Reads the log from where the store ends to its terminal event or, for a running run, until it goes quiet.
pub async fn fetch(state: &AppState, caller: &Caller, run_id: &str, running: bool) -> Result<(), Error> {
    let last_seq = state.store.last_seq(caller.workspace_id, run_id).await?;
    let mut stream = state
        .credentials
        .call(caller, |bearer| async move { state.mantyx.stream(&bearer, &caller.slug, run_id, last_seq).await })
        .await?;
    loop {
        let batch = match tokio::time::timeout(QUIET, stream.next_batch()).await {
            Ok(batch) => batch?,
            Err(_) if running => break,
            Err(_) => stream.next_batch().await?,
        };
        let Some(batch) = batch else { break };
        if store_events(state, caller, run_id, &batch).await? {
            break;
        }
        // A run that is busy never goes quiet; what has come is enough for the page, the relay brings the rest.
        if running && batch.len() < 2 {
            break;
        }
    }
    record_log_facts(state, caller, run_id).await
}

/// Fetches logs of ended runs in the background, newest first, so that the list can mark what they show. The list does
/// not wait for it.
pub fn fetch_missing_soon(state: &AppState, caller: &Caller) {
    if !state.mirror.begin_fetching(caller.workspace_id) {
        return;
    }
    let (state, caller) = (state.clone(), caller.clone());
    tokio::spawn(async move {
        let fetched = tokio::select! {
            fetched = fetch_missing(&state, &caller) => fetched,
            () = state.shutdown.cancelled() => Ok(()),
        };
        if let Err(error) = fetched {
            tracing::warn!(%error, "logs could not be fetched; the next look at the list tries again");
        }
        state.mirror.end_fetching(caller.workspace_id);
    });
}

async fn fetch_missing(state: &AppState, caller: &Caller) -> Result<(), Error> {
    for run_id in state.store.ended_runs_without_log(caller.workspace_id, FETCH_AT_MOST).await? {
        if let Freshness::Stale(error) = state.mirror.sync_run(state, caller, &run_id).await? {
            return Err(error.into());
        }
    }
    Ok(())
}

/// Stores a batch of events. `true` when the log has ended.
pub async fn store_events(state: &AppState, caller: &Caller, run_id: &str, events: &[Event]) -> Result<bool, Error> {
    state.store.insert_events(caller.workspace_id, run_id, events).await?;
    Ok(events.iter().any(Event::is_terminal))
}

/// What the stored log tells of the run: its marks, and whether it is complete.
pub async fn record_log_facts(state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
    let timeline = fold_log(state, caller, run_id).await?;
    let complete = timeline.outcome.is_some();
    state.store.finish_log(caller.workspace_id, run_id, Marks::of(&timeline), complete).await?;
    Ok(())
}
