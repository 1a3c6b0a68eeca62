//! Polls for changes to the list of runs: updates the rows of unfinished runs and of runs whose logs are being synced, and
//! counts new runs.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::dom::is_hidden;
use crate::api::runs::load_run_updates;
use crate::wire::Wire;
use domain::{RunSummary, SyncProgress};

const POLL_INTERVAL: Duration = Duration::from_secs(4);

/// The list to update.
#[derive(Clone, Copy)]
pub struct WatchedList {
    pub q: StoredValue<String>,
    /// The first run of the first page. On other pages new runs are not counted.
    pub first: StoredValue<Option<String>>,
    pub rows: StoredValue<Vec<RwSignal<RunSummary>>>,
    pub sync: RwSignal<SyncProgress>,
    /// The number of new runs, and whether there are more than that.
    pub updates: RwSignal<(usize, bool)>,
    /// Reloads the list once after the logs that were missing have come: facets and charts have what they say.
    pub reload_when_synced: StoredValue<Option<Callback<()>>>,
}

pub fn watch_runs(watched: WatchedList) {
    Effect::new(move |_| {
        let tick = move || {
            if !is_hidden() {
                spawn_local(poll(watched));
            }
        };
        if let Ok(interval) = set_interval_with_handle(tick, POLL_INTERVAL) {
            on_cleanup(move || interval.clear());
        }
    });
}

async fn poll(watched: WatchedList) {
    // The viewer may have left the page.
    let Some((q, first)) = watched.q.try_get_value().zip(watched.first.try_get_value()) else { return };
    let Some(rows) = watched.rows.try_get_value() else { return };
    let logs_were_missing = watched.sync.try_with_untracked(|sync| sync.logs_missing > 0).unwrap_or(false);
    let may_change = |row: &&RwSignal<RunSummary>| {
        logs_were_missing || row.try_with_untracked(|run| !run.status.is_terminal()).unwrap_or(false)
    };
    let ids = rows.iter().filter(may_change).filter_map(|row| row.try_with_untracked(|run| run.id.clone())).collect();
    let Ok(update) = load_run_updates(q, first, ids).await.and_then(Wire::decode) else { return };
    let _ = watched.updates.try_set((update.newer, update.more));
    let are_logs_missing = update.sync.logs_missing > 0;
    let _ = watched.sync.try_set(update.sync);
    for run in update.rows {
        let is_same_run =
            |row: &&RwSignal<RunSummary>| row.try_with_untracked(|known| known.id == run.id).unwrap_or(false);
        if let Some(row) = rows.iter().find(is_same_run)
            && row.try_with_untracked(|known| *known != run) == Some(true)
        {
            let _ = row.try_set(run);
        }
    } // Not while new runs would move the rows.
    if !are_logs_missing
        && update.newer == 0
        && let Some(reload) = watched.reload_when_synced.try_update_value(Option::take).flatten()
    {
        reload.run(());
    }
}
