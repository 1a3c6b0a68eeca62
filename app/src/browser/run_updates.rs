//! Keeps the list of runs in step: rows that go on are redrawn, and new ones are counted.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::dom::is_hidden;
use crate::api::runs::load_run_updates;
use crate::wire::Wire;
use domain::{RunSummary, SyncProgress};

const EVERY: Duration = Duration::from_secs(4);

/// What is kept in step.
#[derive(Clone, Copy)]
pub struct WatchedList {
    pub q: StoredValue<String>,
    /// The first run of the first page; on other pages nothing is counted.
    pub first: StoredValue<Option<String>>,
    pub rows: StoredValue<Vec<RwSignal<RunSummary>>>,
    pub sync: RwSignal<SyncProgress>,
    /// New runs, and whether there are more than were counted.
    pub updates: RwSignal<(usize, bool)>,
}

pub fn watch_runs(watched: WatchedList) {
    Effect::new(move |_| {
        let look = move || {
            if !is_hidden() {
                spawn_local(read(watched));
            }
        };
        if let Ok(interval) = set_interval_with_handle(look, EVERY) {
            on_cleanup(move || interval.clear());
        }
    });
}

async fn read(watched: WatchedList) {
    // The page may be left at any time.
    let Some((q, first)) = watched.q.try_get_value().zip(watched.first.try_get_value()) else { return };
    let Some(rows) = watched.rows.try_get_value() else { return };
    let going = |row: &&RwSignal<RunSummary>| row.try_with_untracked(|run| !run.status.is_terminal()).unwrap_or(false);
    let ids = rows.iter().filter(going).filter_map(|row| row.try_with_untracked(|run| run.id.clone())).collect();
    let Ok(Wire(news)) = load_run_updates(q, first, ids).await else { return };
    let _ = watched.updates.try_set((news.newer, news.more));
    let _ = watched.sync.try_set(news.sync);
    for run in news.rows {
        let same = |row: &&RwSignal<RunSummary>| row.try_with_untracked(|known| known.id == run.id).unwrap_or(false);
        if let Some(row) = rows.iter().find(same)
            && row.try_with_untracked(|known| *known != run) == Some(true)
        {
            let _ = row.try_set(run);
        }
    }
}
