//! The workspace of a signed-in user, as pages ask for it. It holds one workspace id and cannot be given another.

use app::AppError;
use app::backend::Workspace;
use app::model::{Comparison, RunPage, SessionMessages, SessionPage, Viewer};
use app::run::{RunState, RunView};
use async_trait::async_trait;
use domain::{
    ExcludingClause, FacetValue, Facets, Histogram, RunSummary, RunsPage, SessionSummary, SessionsPage, SyncProgress,
    Thumb, View, ViewChange, ViewList,
};
use protocol::{Query, ids};

use crate::actions;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::compare;
use crate::error::Error;
use crate::mirror::Freshness;
use crate::run_pages;
use crate::state::AppState;
use crate::store::RunCursor;
use crate::{mine, notices, sessions, views};

/// Pages of MANTYX's list that one look at ours may bring in.
const MAX_OLDER_PAGES: u32 = 5;

#[derive(Clone)]
pub struct SignedInWorkspace {
    pub state: AppState,
    pub caller: Caller,
    pub viewer: Viewer,
    /// What the sign-in was granted, separated by spaces; empty where MANTYX does not say.
    pub scopes: String,
}

impl SignedInWorkspace {
    fn may(&self, scope: &str) -> bool {
        self.scopes.is_empty() || self.scopes.split(' ').any(|granted| granted == scope)
    }
}

#[async_trait]
impl Workspace for SignedInWorkspace {
    fn viewer(&self) -> Viewer {
        self.viewer.clone()
    }

    async fn runs(&self, query: &Query, cursor: Option<&str>, limit: u32) -> Result<RunsPage, AppError> {
        let mut page = list_runs(&self.state, &self.caller, query, cursor, limit, History::Wanted).await?;
        if let Some(cursor) = cursor {
            let query = mine::resolve(&self.state, &self.caller, query).await?;
            let cursor = parse_cursor(cursor)?;
            let before =
                self.state.store.cursor_before(self.caller.workspace_id, &query, cursor, limit, now_ms()).await;
            page.previous_cursor = before.map_err(Error::from)?.map(|cursor| cursor.to_string());
        }
        Ok(page)
    }

    async fn newest_runs(&self, query: &Query, limit: u32) -> Result<RunsPage, AppError> {
        Ok(list_runs(&self.state, &self.caller, query, None, limit, History::NotWanted).await?)
    }

    async fn run(&self, id: &str, view: &RunView) -> Result<RunPage, AppError> {
        Ok(run_pages::open_run(&self.state, &self.caller, id, view, self.may("runs:write")).await?)
    }

    async fn run_state(&self, id: &str, view: &RunView) -> Result<RunState, AppError> {
        Ok(run_pages::view_run(&self.state, &self.caller, id, view, self.may("runs:write")).await?)
    }

    async fn compare(&self, left: &str, right: Option<&str>) -> Result<Comparison, AppError> {
        Ok(compare::compare(&self.state, &self.caller, left, right).await?)
    }

    async fn cancel_run(&self, id: &str) -> Result<(), AppError> {
        Ok(actions::cancel_run(&self.state, &self.caller, id).await?)
    }

    async fn answer_call(&self, id: &str, tool_use_id: &str, answer: Result<String, String>) -> Result<(), AppError> {
        Ok(actions::answer_call(&self.state, &self.caller, &self.viewer.email, id, tool_use_id, answer).await?)
    }

    async fn give_feedback(&self, id: &str, thumb: Thumb, explanation: &str) -> Result<String, AppError> {
        Ok(actions::give_feedback(&self.state, &self.caller, &self.viewer.email, id, thumb, explanation).await?)
    }

    async fn facets(&self, query: &Query) -> Result<Facets, AppError> {
        let query = mine::resolve(&self.state, &self.caller, query).await?;
        let found = self.state.store.facets(self.caller.workspace_id, &query, now_ms()).await;
        Ok(found.map_err(Error::from)?)
    }

    async fn values(&self, key: &str, prefix: &str) -> Result<Vec<FacetValue>, AppError> {
        let found = self.state.store.complete_values(self.caller.workspace_id, key, prefix).await;
        Ok(found.map_err(Error::from)?)
    }

    async fn histogram(&self, query: &Query, buckets: u32) -> Result<Histogram, AppError> {
        let query = mine::resolve(&self.state, &self.caller, query).await?;
        let found = self.state.store.histogram(self.caller.workspace_id, &query, buckets.into(), now_ms()).await;
        Ok(found.map_err(Error::from)?)
    }

    async fn sync_progress(&self) -> Result<SyncProgress, AppError> {
        Ok(self.state.mirror.progress(&self.state, self.caller.workspace_id).await?)
    }

    async fn set_sync_paused(&self, paused: bool) -> Result<SyncProgress, AppError> {
        Ok(self.state.mirror.set_paused(&self.state, &self.caller, paused).await?)
    }

    async fn views(&self, list: ViewList) -> Result<Vec<View>, AppError> {
        Ok(views::list(&self.state, &self.caller, list).await?)
    }

    async fn create_view(&self, view: ViewChange) -> Result<View, AppError> {
        Ok(views::create(&self.state, &self.caller, view).await?)
    }

    async fn change_view(&self, id: &str, change: ViewChange) -> Result<View, AppError> {
        Ok(views::change(&self.state, &self.caller, id, change).await?)
    }

    async fn delete_view(&self, id: &str) -> Result<(), AppError> {
        Ok(views::delete(&self.state, &self.caller, id).await?)
    }

    async fn set_default_view(&self, list: ViewList, id: &str) -> Result<(), AppError> {
        Ok(views::set_default(&self.state, &self.caller, list, id).await?)
    }

    async fn sessions(&self, query: &Query, cursor: Option<&str>, limit: u32) -> Result<SessionsPage, AppError> {
        Ok(sessions::list(&self.state, &self.caller, query, cursor, limit).await?)
    }

    async fn session(&self, id: &str) -> Result<SessionPage, AppError> {
        let page = sessions::open(&self.state, &self.caller, id).await?;
        Ok(SessionPage { can_write: self.may("sessions:write"), ..page })
    }

    async fn known_session(&self, id: &str) -> Result<SessionSummary, AppError> {
        Ok(sessions::known(&self.state, &self.caller, id).await?)
    }

    async fn session_facets(&self, query: &Query) -> Result<Facets, AppError> {
        Ok(sessions::facets(&self.state, &self.caller, query).await?)
    }

    async fn session_values(&self, key: &str, prefix: &str) -> Result<Vec<FacetValue>, AppError> {
        let found = self.state.store.complete_session_values(self.caller.workspace_id, key, prefix).await;
        Ok(found.map_err(Error::from)?)
    }

    async fn send_message(&self, id: &str, text: &str) -> Result<(), AppError> {
        Ok(sessions::send(&self.state, &self.caller, id, text).await?)
    }

    async fn end_session(&self, id: &str) -> Result<(), AppError> {
        Ok(sessions::end(&self.state, &self.caller, id).await?)
    }

    async fn session_messages(&self, id: &str, before_seq: Option<u64>) -> Result<SessionMessages, AppError> {
        Ok(sessions::messages(&self.state, &self.caller, id, before_seq, sessions::MESSAGES).await?)
    }
}

/// Whether a list that comes to the end of what is stored may ask MANTYX for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    Wanted,
    NotWanted,
}

/// A page of runs from the mirror, brought up to date first when it is the first page.
pub async fn list_runs(
    state: &AppState,
    caller: &Caller,
    query: &Query,
    cursor: Option<&str>,
    limit: u32,
    history: History,
) -> Result<RunsPage, Error> {
    let written = query;
    let query = &*mine::resolve(state, caller, query).await?;
    let cursor = cursor.map(parse_cursor).transpose()?;
    let stale = match cursor {
        None => state.mirror.sync_newest(state, caller).await?.stale(),
        Some(_) => None,
    };
    let limit = limit.clamp(1, 200);
    let now_ms = now_ms();
    let mut older_pages = 0;
    let mut page = loop {
        let known = state.store.sync_state(caller.workspace_id).await?;
        let list = state.store.list_runs(caller.workspace_id, query, cursor, limit, now_ms).await?;
        // The end of what is stored need not be the end of what there is.
        let may_ask = history == History::Wanted && !known.paused && known.can_list && older_pages < MAX_OLDER_PAGES;
        if list.next_cursor.is_some() || !may_ask {
            break list;
        }
        // The background may have brought in the last page while this list was read.
        if !state.mirror.sync_older(state, caller).await?
            && state.store.sync_state(caller.workspace_id).await?.history == known.history
        {
            break list;
        }
        older_pages += 1;
    };
    page.stale = stale;
    if page.runs.is_empty() && page.scanned.is_none() && cursor.is_none() {
        let indexes = state.store.excluding_clauses(caller.workspace_id, query, now_ms).await?;
        let texts = indexes.into_iter().filter_map(|index| Some((index, written.clauses.get(index)?.to_string())));
        page.excluding = texts.map(|(index, text)| ExcludingClause { index, text }).collect();
    }
    if history == History::Wanted {
        page.query_hints = notices::of_unknown(&state.store, caller.workspace_id, query).await?;
    }
    Ok(page)
}

/// A run of the caller's workspace, brought up to date first. Where MANTYX cannot be reached, what is stored is given
/// and said to be.
pub async fn find_run(state: &AppState, caller: &Caller, id: &str) -> Result<(RunSummary, Freshness), Error> {
    if !ids::is_path_id(id) {
        return Err(AppError::not_found("run").into());
    }
    let freshness = state.mirror.sync_run(state, caller, id).await?;
    match (state.store.run(caller.workspace_id, id).await?, freshness) {
        (Some(run), freshness) => Ok((run, freshness)),
        (None, Freshness::Stale(error)) => Err(error.into()),
        (None, Freshness::Fresh | Freshness::Gone | Freshness::CannotList | Freshness::Slow) => {
            Err(AppError::not_found("run").into())
        }
    }
}

fn parse_cursor(text: &str) -> Result<RunCursor, AppError> {
    text.parse().map_err(|_| AppError::Invalid {
        field: "cursor".to_owned(),
        message: "This place in the list is not known. Go back to the first page.".to_owned(),
    })
}
