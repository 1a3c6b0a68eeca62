//! Sessions of a workspace. They are synced when a page or the API loads them; filters run on stored sessions, and
//! messages are fetched from MANTYX page by page.

use std::time::Duration;

use app::AppError;
use app::launch::LaunchMode;
use domain::{AuditAction, SessionSummary, SessionsPage, ToolAnswerers};
use domain::{SessionDetail, SessionMessages, SessionTotals};
use protocol::{Query, ids};
use serde_json::{Value, json};

use crate::audit;
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::launch::{self, LaunchRequest, Launcher};
use crate::mantyx::{LaunchFault, MantyxError};
use crate::masking::mask_document;
use crate::state::AppState;
use crate::store::NewAuditEntry;
use crate::store::{SessionCursor, SessionPlan, UnsupportedClause, parse_time};
use crate::views;

/// The timeout for refreshing a stored session. MANTYX's response contains all messages, so it can be slow.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);
/// Messages in one page of a conversation.
pub const MESSAGES: u32 = 100;

/// Returns a page of sessions, with the plan for what else a page shows of the same query.
pub async fn list(
    state: &AppState,
    caller: &Caller,
    query: &Query,
    cursor: Option<&str>,
    limit: u32,
) -> Result<(SessionPlan, SessionsPage), Error> {
    let cursor = cursor.map(parse_cursor).transpose()?;
    let stale = match cursor {
        None => state.mirror.sync_sessions(state, caller).await?.stale(),
        Some(_) => None,
    };
    let plan = SessionPlan::new(caller.workspace_id, query, now_ms()).map_err(unsupported_clause)?;
    let mut page = state.store.list_sessions(&plan, cursor.as_ref(), limit).await?;
    page.stale = stale;
    add_first_prompts(state, caller, &mut page.sessions).await?;
    if page.sessions.is_empty() && cursor.is_none() {
        page.excluding = state.store.excluding_session_clauses(&plan).await?;
    }
    Ok((plan, page))
}

/// Sessions have no summary at first, and some MANTYX servers report none. Then the first prompt is shown instead.
async fn add_first_prompts(state: &AppState, caller: &Caller, sessions: &mut [SessionSummary]) -> Result<(), Error> {
    let lacking: Vec<&str> =
        sessions.iter().filter(|session| session.summary.is_none()).map(|session| session.id.as_str()).collect();
    let mut prompts = state.store.first_prompts(caller.workspace_id, &lacking).await?;
    for session in sessions.iter_mut().filter(|session| session.summary.is_none()) {
        session.summary = prompts.remove(&session.id);
    }
    Ok(())
}

/// The error for a clause that only runs support.
fn unsupported_clause(UnsupportedClause(clause): UnsupportedClause) -> AppError {
    AppError::Invalid {
        field: "q".to_owned(),
        message: format!(
            "Sessions cannot be filtered by `{clause}`. Use metadata, status, name, id, has, since, before or text."
        ),
    }
}

/// A session as MANTYX has it now, or as it is stored.
pub struct OpenedSession {
    pub session: SessionSummary,
    pub spec: Value,
    pub ended_at_ms: Option<i64>,
    /// Set when the data may be behind MANTYX.
    pub stale: Option<String>,
    pub now_ms: i64,
}

/// Loads a session from MANTYX, or the stored copy if MANTYX can't answer.
pub async fn open(state: &AppState, caller: &Caller, id: &str) -> Result<OpenedSession, Error> {
    check_available(state, caller, id).await?;
    let known = state.store.session(caller.workspace_id, id).await?;
    let request =
        state.credentials.call(caller, |bearer| async move { state.mantyx.session(&bearer, &caller.slug, id).await });
    let detail = match &known {
        None => request.await,
        Some(_) => tokio::time::timeout(REFRESH_TIMEOUT, request)
            .await
            .unwrap_or_else(|_| Err(MantyxError::Unreachable("it has not answered in time".to_owned()))),
    };
    let now = now_ms();
    let (session, spec, ended_at_ms, stale) = match (detail, known) {
        (Ok(detail), _) if detail.id != id => {
            return Err(MantyxError::Unexpected("another session than the one asked for".to_owned()).into());
        }
        (Ok(detail), known) => {
            let mut session = SessionSummary {
                id: detail.id,
                name: detail.name,
                status: detail.status,
                summary: known.and_then(|known| known.summary),
                metadata: detail.metadata,
                created_at_ms: parse_time(&detail.created_at).unwrap_or(now),
                last_used_at_ms: parse_time(&detail.last_used_at).unwrap_or(now),
            };
            add_first_prompts(state, caller, std::slice::from_mut(&mut session)).await?;
            let stored = state.store.upsert_sessions(caller.workspace_id, std::slice::from_ref(&session)).await;
            let stale = match stored.map_err(Error::from) {
                Ok(()) => None,
                Err(error) if error.cannot_save() => Some(AppError::from(error).advice()),
                Err(error) => return Err(error),
            };
            let ended_at_ms = detail.ended_at.as_deref().and_then(parse_time);
            (session, redacted(detail.agent_spec), ended_at_ms, stale)
        }
        (Err(error @ (MantyxError::Unauthorized | MantyxError::MissingScope { .. })), _) => return Err(error.into()),
        (Err(MantyxError::NotFound), Some(known)) => {
            let note = "MANTYX no longer has this session. The stored copy is shown.".to_owned();
            (known, Value::Null, None, Some(note))
        }
        (Err(error), Some(known)) => (known, Value::Null, None, Some(AppError::from(Error::Mantyx(error)).advice())),
        (Err(error), None) => return Err(session_error(error)),
    };
    Ok(OpenedSession { session, spec, ended_at_ms, stale, now_ms: now })
}

/// Loads a session with the totals of its runs, which are empty for a caller who may not read runs.
pub async fn load_detail(
    state: &AppState,
    caller: &Caller,
    id: &str,
    may_read_runs: bool,
) -> Result<SessionDetail, Error> {
    // The totals include stored runs only.
    if may_read_runs && let Err(error) = state.mirror.sync_newest(state, caller).await {
        tracing::info!(%error, workspace = %caller.workspace_id, "could not sync runs for a session");
    }
    let OpenedSession { session, spec, ended_at_ms, stale, now_ms } = open(state, caller, id).await?;
    let totals = match may_read_runs {
        true => state.store.session_totals(caller.workspace_id, id).await?,
        false => SessionTotals::default(),
    };
    Ok(SessionDetail { session, totals, spec, ended_at_ms, stale, now_ms })
}

/// Returns a stored session, or loads it from MANTYX.
pub async fn find(state: &AppState, caller: &Caller, id: &str) -> Result<SessionSummary, Error> {
    check_id(id)?;
    match state.store.session(caller.workspace_id, id).await? {
        Some(known) => Ok(known),
        None => Ok(open(state, caller, id).await?.session),
    }
}

/// The fields of the form for a new session.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Created with the form: the same key starts one session.
    pub key: String,
    /// Empty for the workspace's default.
    pub model_id: String,
    pub system_prompt: String,
    pub text: String,
}

/// Starts a session with its first message, and returns its id.
pub async fn start(state: &AppState, caller: &Caller, new: NewSession) -> Result<String, Error> {
    check_message(&new.text)?;
    let launcher = Launcher::of(state, caller).await?;
    let mut spec = json!({ "systemPrompt": new.system_prompt, "prompt": new.text });
    if !new.model_id.is_empty() {
        spec["modelId"] = new.model_id.into();
    }
    let (mode, answers) = (LaunchMode::NewSession, ToolAnswerers::default());
    let request = LaunchRequest { key: new.key, mode, spec, answers, origin_run_id: None };
    let launched = launch::launch(&launcher, &request).await?;
    launched.session_id.ok_or(Error::Unconfirmed)
}

/// Starts the run that answers a message.
pub async fn send(state: &AppState, caller: &Caller, id: &str, text: &str) -> Result<(), Error> {
    check_id(id)?;
    check_message(text)?;
    let body = &json!({ "prompt": text });
    let post = |bearer| async move { state.mantyx.send_message(&bearer, &caller.slug, id, body).await };
    let run_id = state.credentials.call(caller, post).await.map_err(send_error)?;
    let entry = caller.actor.entry(AuditAction::Launch).about(&run_id).with_detail(format!("message in {id}"));
    record_sent(state, caller, &run_id, entry).await;
    // The list is synced only at intervals, but the page that sent the message reloads now.
    match state.mirror.sync_snapshot(state, caller, &run_id).await {
        Ok(()) => state.live.follow_launched(state, caller, &run_id),
        Err(error) => {
            tracing::info!(%error, run_id, workspace = %caller.workspace_id, "the run of a message could not be fetched at once");
        }
    }
    Ok(())
}

/// Records the run of a message. The message is sent, so a failure is only logged: an error would suggest to send it again.
async fn record_sent(state: &AppState, caller: &Caller, run_id: &str, entry: NewAuditEntry) {
    let recorded = match views::owner(state, caller).await {
        Ok(Some(subject)) => {
            let recorded = state.store.record_launch(caller.workspace_id, &subject, run_id, &entry).await;
            recorded.map(|()| true).map_err(Error::from)
        }
        Ok(None) => Ok(false),
        Err(error) => Err(error),
    };
    if let Err(error) = &recorded {
        tracing::error!(%error, run_id, workspace = %caller.workspace_id, "a message was sent and its run could not be recorded");
    }
    if !matches!(recorded, Ok(true)) {
        audit::record_done(state, caller, entry).await;
    }
}

fn send_error(fault: LaunchFault) -> Error {
    match fault {
        LaunchFault::NotStarted(MantyxError::Refused { code, .. }) if code == "session_ended" => {
            let message = "The session has ended, so no more messages can be sent.".to_owned();
            AppError::Conflict { message }.into()
        }
        LaunchFault::NotStarted(error) => session_error(error),
        LaunchFault::Refused(refusal) => {
            AppError::Invalid { field: "text".to_owned(), message: refusal.message }.into()
        }
        LaunchFault::Unknown(why) => {
            let message =
                format!("The message may not have arrived ({why}). Check the conversation before you send it again");
            AppError::Upstream { code: "no_answer".to_owned(), message }.into()
        }
    }
}

/// Ends a session and cancels its run in progress.
pub async fn end(state: &AppState, caller: &Caller, id: &str) -> Result<(), Error> {
    check_id(id)?;
    let end = |bearer| async move { state.mantyx.end_session(&bearer, &caller.slug, id).await };
    state.credentials.call(caller, end).await.map_err(session_error)?;
    audit::record_done(state, caller, caller.actor.entry(AuditAction::EndSession).about(id)).await;
    Ok(())
}

/// Returns the last page of a session's messages, or the page before a seq.
pub async fn messages(
    state: &AppState,
    caller: &Caller,
    id: &str,
    before_seq: Option<u64>,
    limit: u32,
) -> Result<SessionMessages, Error> {
    check_available(state, caller, id).await?;
    let page = state
        .credentials
        .call(caller, |bearer| async move {
            state.mantyx.session_events(&bearer, &caller.slug, id, limit, before_seq).await
        })
        .await
        .map_err(session_error)?;
    Ok(SessionMessages { events: page.events, next_before_seq: page.next_before_seq })
}

/// Masks secrets, which no page needs.
fn redacted(mut spec: Value) -> Value {
    mask_document(&mut spec);
    spec
}

fn check_message(text: &str) -> Result<(), AppError> {
    match text.is_empty() {
        true => Err(AppError::Invalid { field: "text".to_owned(), message: "Enter a message.".to_owned() }),
        false => Ok(()),
    }
}

/// Fails if the id is invalid, or if the session was deleted here for good.
async fn check_available(state: &AppState, caller: &Caller, id: &str) -> Result<(), Error> {
    check_id(id)?;
    match state.store.is_session_erased(caller.workspace_id, id).await? {
        true => Err(AppError::not_found("session").into()),
        false => Ok(()),
    }
}

fn check_id(id: &str) -> Result<(), AppError> {
    if ids::is_path_id(id) { Ok(()) } else { Err(AppError::not_found("session")) }
}

fn session_error(error: MantyxError) -> Error {
    match error {
        MantyxError::NotFound => AppError::not_found("session").into(),
        other => other.into(),
    }
}

fn parse_cursor(text: &str) -> Result<SessionCursor, AppError> {
    text.parse().map_err(|_| AppError::Invalid {
        field: "cursor".to_owned(),
        message: "This page of the list no longer exists. Go back to the first page.".to_owned(),
    })
}
