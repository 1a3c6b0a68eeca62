//! The runs of a workspace: lists, one run, and its spec. Pages and the JSON API read runs through this module.

use app::AppError;
use domain::{ExcludingClause, RunSort, RunSummary, RunsPage};
use protocol::{Query, ids};
use serde_json::Value;

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::masking::mask_spec;
use crate::mirror::Freshness;
use crate::state::AppState;
use crate::store::{QueryPlan, RunCursor};
use crate::{is_mine, query_hints};

/// Pages of MANTYX's list that one request may sync.
const MAX_OLDER_PAGES: u32 = 5;

/// The behaviour of a list that reaches the end of the stored runs: sync older ones, or stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    Sync,
    StoredOnly,
}

/// Returns a page of runs in an order, and the plan that found it. The first page is synced with MANTYX first.
pub async fn list_runs(
    state: &AppState,
    caller: &Caller,
    query: &Query,
    sort: RunSort,
    cursor: Option<&str>,
    limit: u32,
    history: History,
) -> Result<(QueryPlan, RunsPage), Error> {
    let original = query;
    let query = &*is_mine::resolve(state, caller, query).await?;
    let cursor = cursor.map(|cursor| parse_cursor(cursor, sort)).transpose()?;
    let stale = match cursor {
        None => state.mirror.sync_newest(state, caller).await?.stale(),
        Some(_) => None,
    };
    let limit = limit.clamp(1, 200);
    let now_ms = now_ms();
    let mut older_pages = 0;
    let (plan, mut page) = loop {
        let known = state.store.sync_state(caller.workspace_id).await?;
        // Planned again after each synced page: new runs may bring tags that the plan looks up.
        let plan = state.store.plan(caller.workspace_id, query, now_ms).await?;
        let page = state.store.list_runs(&plan, sort, cursor, limit).await?;
        // MANTYX may have older runs than the store.
        let may_sync = history == History::Sync && !known.paused && known.can_list && older_pages < MAX_OLDER_PAGES;
        if page.next_cursor.is_some() || !may_sync {
            break (plan, page);
        }
        // The background sync may have stored the last page in the meantime.
        if !state.mirror.sync_older(state, caller).await?
            && state.store.sync_state(caller.workspace_id).await?.history == known.history
        {
            break (plan, page);
        }
        older_pages += 1;
    };
    page.stale = stale;
    if page.runs.is_empty() && page.scanned.is_none() && cursor.is_none() {
        let indexes = state.store.excluding_clauses(&plan).await?;
        let texts = indexes.into_iter().filter_map(|index| Some((index, original.clauses.get(index)?.to_string())));
        page.excluding = texts.map(|(index, text)| ExcludingClause { index, text }).collect();
    }
    if history == History::Sync {
        page.query_hints = query_hints::hints_for_unknown(&state.store, caller.workspace_id, query).await?;
    }
    Ok((plan, page))
}

/// Returns a run after syncing it. If MANTYX can't be reached, the stored run is returned as stale.
pub async fn find_run(state: &AppState, caller: &Caller, id: &str) -> Result<(RunSummary, Freshness), Error> {
    if !ids::is_path_id(id) {
        return Err(AppError::not_found("run").into());
    }
    let freshness = state.mirror.sync_run(state, caller, id).await?;
    match (state.store.run(caller.workspace_id, id).await?, freshness) {
        (Some(run), freshness) => Ok((run, freshness)),
        (None, Freshness::Stale(error)) => Err(error.into()),
        (None, Freshness::CannotSave) => Err(AppError::CannotSave.into()),
        (None, Freshness::Fresh | Freshness::Gone | Freshness::CannotList | Freshness::Slow) => {
            Err(AppError::not_found("run").into())
        }
    }
}

/// Returns the spec of a stored run, with its secrets masked.
pub async fn masked_spec(state: &AppState, caller: &Caller, id: &str) -> Result<Option<Value>, Error> {
    let (json, _) = state.store.run_spec_and_log_state(caller.workspace_id, id).await?;
    let mut spec: Option<Value> = json.and_then(|json| serde_json::from_str(&json).ok());
    spec.iter_mut().for_each(mask_spec);
    Ok(spec.filter(Value::is_object))
}

/// Parses the cursor of a list with this order.
pub fn parse_cursor(text: &str, sort: RunSort) -> Result<RunCursor, AppError> {
    let cursor = text.parse().ok().filter(|cursor: &RunCursor| cursor.belongs_to(sort));
    cursor.ok_or_else(|| AppError::Invalid {
        field: "cursor".to_owned(),
        message: "This page of the list no longer exists. Go back to the first page.".to_owned(),
    })
}
