//! Syncs MANTYX's list of sessions, page by page: from the last used to the known ones and, once in the background, to the
//! oldest. As with runs, an interruption leaves no gap.

use domain::SessionSummary;

use super::retry_later::affects_all_runs;
use crate::auth::Caller;
use crate::error::Error;
use crate::mantyx::{MantyxError, SessionList, SessionRow};
use crate::state::AppState;
use crate::store::{History, parse_time};

/// MANTYX's largest page.
const PAGE_LIMIT: u32 = 200;
/// The head walk overlaps with known sessions by this much, since sessions move while pages are read.
const OVERLAP_MS: i64 = 60_000;
/// Pages that a viewer waits for. The syncer reads the rest.
const REFRESH_PAGES: u32 = 5;

/// Syncs the sessions that were used since the last sync, up to a few pages.
pub async fn refresh_newest(state: &AppState, caller: &Caller) -> Result<(), Error> {
    walk_head(state, caller, REFRESH_PAGES).await
}

/// Syncs all sessions that were used since the last sync. A MANTYX or a grant without sessions is not an error.
pub async fn sync_head(state: &AppState, caller: &Caller) -> Result<(), Error> {
    optional(walk_head(state, caller, u32::MAX).await).map(drop)
}

/// Syncs the next page of the history. Returns whether there are more.
pub async fn sync_history_page(state: &AppState, caller: &Caller) -> Result<bool, Error> {
    let known = state.store.sync_state(caller.workspace_id).await?.sessions;
    let History::After(cursor) = &known.history else { return Ok(false) };
    let page = match fetch(state, caller, Some(cursor)).await {
        // The cursor may have expired: start again.
        Err(Error::Mantyx(MantyxError::Refused { status: 400, .. })) => {
            let start_again = |now: &mut crate::store::SyncState| now.sessions.known_until_ms = 0;
            state.store.update_sync_state(caller.workspace_id, start_again).await?;
            return Ok(false);
        }
        other => match optional(other)? {
            Some(page) => page,
            None => return Ok(false),
        },
    };
    let next = page.next_cursor.clone();
    store_page(state, caller, page).await?;
    let walked = known.history.clone();
    let after = state.store.update_sync_state(caller.workspace_id, |now| {
        if now.sessions.history == walked {
            now.sessions.history = next.map_or(History::Complete, History::After);
        }
    });
    Ok(after.await?.sessions.history != History::Complete)
}

async fn walk_head(state: &AppState, caller: &Caller, pages: u32) -> Result<(), Error> {
    let known = state.store.sync_state(caller.workspace_id).await?.sessions;
    let (mut newest_ms, mut first_next, mut cursor) = (None, None, None);
    for page in 0..pages {
        let rows = fetch(state, caller, cursor.as_deref()).await?;
        cursor = rows.next_cursor.clone();
        let times = store_page(state, caller, rows).await?;
        if page == 0 {
            newest_ms = times.iter().copied().max();
            first_next.clone_from(&cursor);
        }
        let oldest_ms = times.into_iter().min();
        let has_reached_known = known.known_until_ms == 0
            || cursor.is_none()
            || oldest_ms.is_none_or(|oldest| oldest < known.known_until_ms - OVERLAP_MS);
        if has_reached_known {
            let change = move |now: &mut crate::store::SyncState| {
                if now.sessions.known_until_ms == 0 {
                    now.sessions.history = first_next.map_or(History::Complete, History::After);
                }
                now.sessions.known_until_ms = now.sessions.known_until_ms.max(newest_ms.unwrap_or(0));
            };
            state.store.update_sync_state(caller.workspace_id, change).await?;
            return Ok(());
        }
    }
    Ok(())
}

async fn fetch(state: &AppState, caller: &Caller, cursor: Option<&str>) -> Result<SessionList, Error> {
    let list = |bearer| async move { state.mantyx.list_sessions(&bearer, &caller.slug, PAGE_LIMIT, cursor).await };
    Ok(state.credentials.call(caller, list).await?)
}

/// Stores a page. Returns the times at which its sessions were last used.
async fn store_page(state: &AppState, caller: &Caller, page: SessionList) -> Result<Vec<i64>, Error> {
    let sessions: Vec<SessionSummary> = page.sessions.into_iter().filter_map(summary).collect();
    state.store.upsert_sessions(caller.workspace_id, &sessions).await?;
    Ok(sessions.iter().map(|session| session.last_used_at_ms).collect())
}

/// Returns `None` when the caller cannot get sessions from this MANTYX, so that the sync of runs continues.
fn optional<T>(outcome: Result<T, Error>) -> Result<Option<T>, Error> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(error) if super::cannot_list(&error) => Ok(None),
        Err(Error::Mantyx(MantyxError::MissingScope { .. })) => Ok(None),
        Err(error) if affects_all_runs(&error) => Err(error),
        Err(error) => {
            tracing::warn!(%error, "cannot sync sessions");
            Ok(None)
        }
    }
}

fn summary(row: SessionRow) -> Option<SessionSummary> {
    Some(SessionSummary {
        created_at_ms: parse_time(&row.creation_date)?,
        last_used_at_ms: parse_time(&row.last_interaction_date)?,
        id: row.session_id,
        name: row.name,
        status: row.status,
        summary: row.summary,
        metadata: row.metadata,
    })
}
