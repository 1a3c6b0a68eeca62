//! Syncs MANTYX's list of runs, page by page.
//!
//! ```text
//!  newest ─────────────▶ known_until ─────────────────────▶ oldest
//!  └── head, each time ──┘ └── history, once, by its cursor ──┘
//! ```
//!
//! The head walk moves `known_until` up only when it has reached it, so an interruption leaves no gap: the next walk starts
//! from the newest run again. The history walk stores its cursor after each page. Pages may overlap, repeat or be shuffled
//! as runs arrive, since storing a run again changes nothing. If MANTYX counts more runs than are stored although the
//! history is complete, the history is walked once more, and again only when still more are missing: MANTYX may count runs
//! that it does not list, or that cannot be parsed.

use protocol::messages::RunListResponse;

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{History, RunUpdate, SyncState};

/// MANTYX's largest page.
const PAGE_LIMIT: u32 = 200;
/// The head walk overlaps with known runs by this much, since a run can be listed a little after its creation time.
const OVERLAP_MS: i64 = 60_000;
/// The interval between requests for the total, which cost MANTYX more than a page.
const COUNT_EVERY_MS: i64 = 10 * 60_000;

/// Syncs the newest page. Returns true when there are runs between this page and the known ones.
pub async fn sync_newest_page(state: &AppState, caller: &Caller) -> Result<bool, Error> {
    let known = state.store.sync_state(caller.workspace_id).await?;
    let walk = Walk::first_page(state, caller, &known).await?;
    let is_complete = walk.has_reached_known_runs(&known);
    walk.record(state, caller, is_complete).await?;
    Ok(!is_complete)
}

/// Syncs everything that is newer than the known runs.
pub async fn sync_head(state: &AppState, caller: &Caller) -> Result<(), Error> {
    let known = state.store.sync_state(caller.workspace_id).await?;
    let mut walk = Walk::first_page(state, caller, &known).await?;
    while !walk.has_reached_known_runs(&known) {
        walk.next_page(state, caller, &known).await?;
    }
    walk.record(state, caller, true).await
}

/// Syncs the next page of the history. Returns whether there are more, or `None` when the history was complete.
pub async fn sync_history_page(state: &AppState, caller: &Caller) -> Result<Option<bool>, Error> {
    let known = state.store.sync_state(caller.workspace_id).await?;
    let cursor = match &known.history {
        History::Complete => return Ok(None),
        History::NotBegun => None,
        History::After(cursor) => Some(cursor.as_str()),
    };
    let page = match fetch(state, caller, cursor, false).await {
        Ok(page) => page,
        // The cursor may have expired: start again.
        Err(Error::Mantyx(MantyxError::Refused { status: 400, .. })) if cursor.is_some() => {
            state.store.update_sync_state(caller.workspace_id, |now| now.history = History::NotBegun).await?;
            return Ok(Some(true));
        }
        Err(error) => return Err(error),
    };
    let next = page.next_cursor().map(str::to_owned);
    let updates = store_page(state, caller, &page, &known).await?;
    let too_old = updates.is_empty() && known.keep_after_ms > 0;
    let walked_from = known.history;
    let count = i64::try_from(updates.len()).unwrap_or(0);
    let after = state
        .store
        .update_sync_state(caller.workspace_id, |now| {
            // If another walk moved the cursor meanwhile, the page is stored and its cursor wins.
            if now.history == walked_from {
                now.history = next.filter(|_| !too_old).map_or(History::Complete, History::After);
                now.history_runs += count;
            }
        })
        .await?;
    Ok(Some(after.history != History::Complete))
}

/// A walk from the newest run to the known ones.
struct Walk {
    newest_ms: Option<i64>,
    oldest_ms: Option<i64>,
    next: Option<String>,
    first_next: Option<String>,
    total: Option<i64>,
}

impl Walk {
    async fn first_page(state: &AppState, caller: &Caller, known: &SyncState) -> Result<Self, Error> {
        let count = known.total_at_ms.is_none_or(|at| now_ms() - at > COUNT_EVERY_MS);
        let page = fetch(state, caller, None, count).await?;
        let (next, total) =
            (page.next_cursor().map(str::to_owned), page.total().and_then(|total| i64::try_from(total).ok()));
        let updates = store_page(state, caller, &page, known).await?;
        let times = || updates.iter().map(|update| update.summary.created_at_ms);
        Ok(Self { newest_ms: times().max(), oldest_ms: times().min(), first_next: next.clone(), next, total })
    }

    async fn next_page(&mut self, state: &AppState, caller: &Caller, known: &SyncState) -> Result<(), Error> {
        let page = fetch(state, caller, self.next.as_deref(), false).await?;
        self.next = page.next_cursor().map(str::to_owned);
        let updates = store_page(state, caller, &page, known).await?;
        self.oldest_ms = updates.iter().map(|update| update.summary.created_at_ms).min().or(Some(i64::MIN));
        Ok(())
    }

    /// Returns true when nothing is missing between the newest run and the known ones. The first walk of a workspace ends
    /// after one page: the history walk continues from there.
    fn has_reached_known_runs(&self, known: &SyncState) -> bool {
        known.known_until_ms == 0
            || self.next.is_none()
            || self.oldest_ms.is_none_or(|oldest| oldest < known.known_until_ms - OVERLAP_MS)
    }

    async fn record(self, state: &AppState, caller: &Caller, is_complete: bool) -> Result<(), Error> {
        let now = now_ms();
        let stored = state.store.count_mirrored_runs(caller.workspace_id).await?;
        let change = move |known: &mut SyncState| {
            (known.can_list, known.synced_at_ms, known.last_error) = (true, now, None);
            if let Some(total) = self.total {
                (known.total, known.total_at_ms) = (Some(total), Some(now));
                let missing = total - stored;
                if known.history == History::Complete && missing > known.history_gap && known.keep_after_ms == 0 {
                    known.history = History::NotBegun;
                    known.history_gap = missing;
                }
            }
            if known.known_until_ms == 0 && known.history == History::NotBegun {
                known.history = self.first_next.map_or(History::Complete, History::After);
            }
            if is_complete {
                known.known_until_ms = known.known_until_ms.max(self.newest_ms.unwrap_or(0));
            }
        };
        state.store.update_sync_state(caller.workspace_id, change).await?;
        Ok(())
    }
}

async fn fetch(state: &AppState, caller: &Caller, cursor: Option<&str>, count: bool) -> Result<RunListResponse, Error> {
    let list = |bearer| async move { state.mantyx.list_runs(&bearer, &caller.slug, PAGE_LIMIT, cursor, count).await };
    Ok(state.credentials.call(caller, list).await?)
}

async fn store_page(
    state: &AppState,
    caller: &Caller,
    page: &RunListResponse,
    known: &SyncState,
) -> Result<Vec<RunUpdate>, Error> {
    let mut updates: Vec<RunUpdate> = page.runs().filter_map(RunUpdate::from_row).collect();
    updates.retain(|update| update.summary.created_at_ms >= known.keep_after_ms);
    state.store.upsert_runs(caller.workspace_id, &updates).await?;
    Ok(updates)
}
