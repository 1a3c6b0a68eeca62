//! The workspace of a signed-in user, as pages ask for it. It holds one workspace id and cannot be given another.

use app::AppError;
use app::backend::Workspace;
use app::model::{RunPage, RunSummary, RunsPage, Thumb, Viewer};
use async_trait::async_trait;
use protocol::{Query, Timeline, ids};

use crate::actions;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mirror::Freshness;
use crate::state::AppState;
use crate::store::Cursor;

/// Events read from the database at a time while a log is folded.
const FOLD_CHUNK: u32 = 2_000;

/// Pages of MANTYX's list that one look at ours may bring in.
const MAX_OLDER_PAGES: u32 = 5;

#[derive(Clone)]
pub struct SignedInWorkspace {
    pub state: AppState,
    pub caller: Caller,
    pub viewer: Viewer,
}

#[async_trait]
impl Workspace for SignedInWorkspace {
    fn viewer(&self) -> Viewer {
        self.viewer.clone()
    }

    async fn runs(&self, query: &Query, cursor: Option<&str>, limit: u32) -> Result<RunsPage, AppError> {
        Ok(list_runs(&self.state, &self.caller, query, cursor, limit).await?)
    }

    async fn run(&self, id: &str) -> Result<RunPage, AppError> {
        Ok(open_run(&self.state, &self.caller, id).await?)
    }

    async fn cancel_run(&self, id: &str) -> Result<(), AppError> {
        Ok(actions::cancel_run(&self.state, &self.caller, id).await?)
    }

    async fn answer_call(&self, id: &str, tool_use_id: &str, answer: Result<String, String>) -> Result<(), AppError> {
        Ok(actions::answer_call(&self.state, &self.caller, &self.viewer.email, id, tool_use_id, answer).await?)
    }

    async fn give_feedback(&self, id: &str, thumb: Thumb, explanation: &str) -> Result<(), AppError> {
        Ok(actions::give_feedback(&self.state, &self.caller, &self.viewer.email, id, thumb, explanation).await?)
    }
}

/// A page of runs from the mirror, brought up to date first when it is the first page.
pub async fn list_runs(
    state: &AppState,
    caller: &Caller,
    query: &Query,
    cursor: Option<&str>,
    limit: u32,
) -> Result<RunsPage, Error> {
    let cursor = cursor.map(parse_cursor).transpose()?;
    let stale = match cursor {
        None => state.mirror.sync_newest(state, caller).await?.stale(),
        Some(_) => None,
    };
    let limit = limit.clamp(1, 200);
    let mut older_pages = 0;
    let mut runs = loop {
        let runs = state.store.list_runs(caller.workspace_id, query, cursor.as_ref(), limit + 1).await?;
        let full = runs.len() > limit as usize;
        // The end of what is stored need not be the end of what there is.
        if full || older_pages == MAX_OLDER_PAGES || !state.mirror.sync_older(state, caller).await? {
            break runs;
        }
        older_pages += 1;
    };
    let more = runs.len() > limit as usize;
    runs.truncate(limit as usize);
    let next_cursor = runs.last().filter(|_| more).map(|run| format!("{}.{}", run.created_at_ms, run.id));
    Ok(RunsPage { runs, next_cursor, stale, now_ms: now_ms() })
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
        (None, Freshness::Fresh | Freshness::Gone) => Err(AppError::not_found("run").into()),
    }
}

/// One run with its log folded.
pub async fn open_run(state: &AppState, caller: &Caller, id: &str) -> Result<RunPage, Error> {
    let (run, freshness) = find_run(state, caller, id).await?;
    let (spec, _) = state.store.run_spec_and_log_state(caller.workspace_id, id).await?;
    let spec: serde_json::Value = spec.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    let prompt = protocol::spec::prompt_text(&spec);
    Ok(RunPage {
        timeline: fold_log(state, caller, id).await?,
        prompt: (!prompt.is_empty()).then(|| prompt.to_owned()).or_else(|| run.input_preview.clone()),
        system_prompt: spec["systemPrompt"].as_str().map(str::to_owned),
        run,
        stale: freshness.stale(),
        now_ms: now_ms(),
    })
}

pub async fn fold_log(state: &AppState, caller: &Caller, id: &str) -> Result<Timeline, Error> {
    let mut timeline = Timeline::default();
    loop {
        let events = state.store.events_after(caller.workspace_id, id, timeline.last_seq(), FOLD_CHUNK).await?;
        if events.is_empty() {
            return Ok(timeline);
        }
        for event in &events {
            timeline.apply(event);
        }
    }
}

fn parse_cursor(text: &str) -> Result<Cursor, AppError> {
    let parsed = text.split_once('.').and_then(|(at, id)| {
        Some(Cursor { created_at_ms: at.parse().ok()?, id: Some(id).filter(|id| ids::is_path_id(id))?.to_owned() })
    });
    parsed.ok_or_else(|| AppError::Invalid {
        field: "cursor".to_owned(),
        message: "This place in the list is not known. Go back to the first page.".to_owned(),
    })
}
