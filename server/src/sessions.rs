//! Sessions of a workspace: synced when they are looked at, filtered here, their messages passed on page by page.

use std::time::Duration;

use app::AppError;
use domain::{Facets, SessionSummary, SessionsPage};
use domain::{SessionDetail, SessionMessages};
use protocol::redact::redact;
use protocol::{Query, ids};
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::{LaunchFault, MantyxError};
use crate::state::AppState;
use crate::store::{SessionCursor, SessionPlan, UnsupportedClause, parse_time};
use crate::views;

/// How long a session that is known waits for MANTYX, which answers with all its messages.
const PATIENCE: Duration = Duration::from_secs(5);
/// Messages in one page of a conversation.
pub const MESSAGES: u32 = 100;

pub async fn list(
    state: &AppState,
    caller: &Caller,
    query: &Query,
    cursor: Option<&str>,
    limit: u32,
) -> Result<SessionsPage, Error> {
    let cursor = cursor.map(parse_cursor).transpose()?;
    let stale = match cursor {
        None => state.mirror.sync_sessions(state, caller).await?.stale(),
        Some(_) => None,
    };
    let plan = SessionPlan::new(caller.workspace_id, query, now_ms()).map_err(refused)?;
    let mut page = state.store.list_sessions(&plan, cursor.as_ref(), limit).await?;
    page.stale = stale;
    if page.sessions.is_empty() && cursor.is_none() {
        page.excluding = state.store.excluding_session_clauses(&plan).await?;
    }
    Ok(page)
}

pub async fn facets(state: &AppState, caller: &Caller, query: &Query) -> Result<Facets, Error> {
    let plan = SessionPlan::new(caller.workspace_id, query, now_ms()).map_err(refused)?;
    Ok(state.store.session_facets(&plan).await?)
}

/// What runs have and sessions have not.
fn refused(UnsupportedClause(clause): UnsupportedClause) -> AppError {
    AppError::Invalid {
        field: "q".to_owned(),
        message: format!(
            "Sessions cannot be filtered by `{clause}`. Use metadata, status, name, id, has, since, before or text."
        ),
    }
}

pub async fn open(state: &AppState, caller: &Caller, id: &str) -> Result<SessionDetail, Error> {
    check_id(id)?;
    // The totals are of the runs that are here. A sign-in that may not read runs sees the session all the same.
    if let Err(error) = state.mirror.sync_newest(state, caller).await {
        tracing::info!(%error, "runs could not be brought in for a session");
    }
    let known = state.store.session(caller.workspace_id, id).await?;
    let asked =
        state.credentials.call(caller, |bearer| async move { state.mantyx.session(&bearer, &caller.slug, id).await });
    let detail = match &known {
        None => asked.await,
        Some(_) => tokio::time::timeout(PATIENCE, asked)
            .await
            .unwrap_or_else(|_| Err(MantyxError::Unreachable("it has not answered in time".to_owned()))),
    };
    let now = now_ms();
    let (session, spec, ended_at_ms, stale) = match (detail, known) {
        (Ok(detail), _) if detail.id != id => {
            return Err(MantyxError::Unexpected("another session than the one asked for".to_owned()).into());
        }
        (Ok(detail), known) => {
            let session = SessionSummary {
                id: detail.id,
                name: detail.name,
                status: detail.status,
                summary: known.and_then(|known| known.summary),
                metadata: detail.metadata,
                created_at_ms: parse_time(&detail.created_at).unwrap_or(now),
                last_used_at_ms: parse_time(&detail.last_used_at).unwrap_or(now),
            };
            state.store.upsert_sessions(caller.workspace_id, std::slice::from_ref(&session)).await?;
            let ended_at_ms = detail.ended_at.as_deref().and_then(parse_time);
            (session, redacted(detail.agent_spec), ended_at_ms, None)
        }
        (Err(error @ (MantyxError::Unauthorized | MantyxError::MissingScope { .. })), _) => return Err(error.into()),
        (Err(MantyxError::NotFound), Some(known)) => {
            let gone = "MANTYX no longer has this session. What was stored here is shown.".to_owned();
            (known, Value::Null, None, Some(gone))
        }
        (Err(error), Some(known)) => (known, Value::Null, None, Some(AppError::from(Error::Mantyx(error)).advice())),
        (Err(error), None) => return Err(no_such_session(error)),
    };
    Ok(SessionDetail {
        totals: state.store.session_totals(caller.workspace_id, id).await?,
        spec,
        can_write: true,
        ended_at_ms,
        session,
        stale,
        now_ms: now,
    })
}

/// A session as it was last seen; opened where it never was.
pub async fn known(state: &AppState, caller: &Caller, id: &str) -> Result<SessionSummary, Error> {
    check_id(id)?;
    match state.store.session(caller.workspace_id, id).await? {
        Some(known) => Ok(known),
        None => Ok(open(state, caller, id).await?.session),
    }
}

/// Starts the run that answers a message.
pub async fn send(state: &AppState, caller: &Caller, id: &str, text: &str) -> Result<(), Error> {
    check_id(id)?;
    if text.is_empty() {
        let message = "Write what is to be said.".to_owned();
        return Err(AppError::Invalid { field: "text".to_owned(), message }.into());
    }
    let body = &json!({ "prompt": text });
    let post = |bearer| async move {
        match state.mantyx.send_message(&bearer, &caller.slug, id, body).await {
            // So that an access token that has ended is renewed.
            Err(LaunchFault::NotStarted(MantyxError::Unauthorized)) => Err(MantyxError::Unauthorized),
            other => Ok(other),
        }
    };
    let run_id = state.credentials.call(caller, post).await?.map_err(not_sent)?;
    if let Some(subject) = views::owner(state, caller).await? {
        state.store.record_launch(caller.workspace_id, &subject, &run_id, now_ms()).await?;
    }
    // The list is read again only after a while; the page that sent this looks at once.
    state.mirror.sync_snapshot(state, caller, &run_id).await
}

fn not_sent(fault: LaunchFault) -> Error {
    match fault {
        LaunchFault::NotStarted(MantyxError::Refused { code, .. }) if code == "session_ended" => {
            let message = "The session has ended, so nothing more can be said in it.".to_owned();
            AppError::Conflict { message }.into()
        }
        LaunchFault::NotStarted(error) => no_such_session(error),
        LaunchFault::Refused(refusal) => {
            AppError::Invalid { field: "text".to_owned(), message: refusal.message }.into()
        }
        LaunchFault::Unknown(why) => {
            let message = format!("Nobody knows whether the message arrived: {why}. Look before you send it again");
            AppError::Upstream { code: "no_answer".to_owned(), message }.into()
        }
    }
}

/// Ends a session; a run in flight is cancelled with it.
pub async fn end(state: &AppState, caller: &Caller, id: &str) -> Result<(), Error> {
    check_id(id)?;
    let end = |bearer| async move { state.mantyx.end_session(&bearer, &caller.slug, id).await };
    state.credentials.call(caller, end).await.map_err(no_such_session)
}

/// A page of a session's messages: the last ones, or those before a seq.
pub async fn messages(
    state: &AppState,
    caller: &Caller,
    id: &str,
    before_seq: Option<u64>,
    limit: u32,
) -> Result<SessionMessages, Error> {
    check_id(id)?;
    let page = state
        .credentials
        .call(caller, |bearer| async move {
            state.mantyx.session_events(&bearer, &caller.slug, id, limit, before_seq).await
        })
        .await
        .map_err(no_such_session)?;
    Ok(SessionMessages { events: page.events, next_before_seq: page.next_before_seq })
}

/// No page needs the secrets of a spec.
fn redacted(mut spec: Value) -> Value {
    redact(&mut spec);
    spec
}

fn check_id(id: &str) -> Result<(), AppError> {
    if ids::is_path_id(id) { Ok(()) } else { Err(AppError::not_found("session")) }
}

fn no_such_session(error: MantyxError) -> Error {
    match error {
        MantyxError::NotFound => AppError::not_found("session").into(),
        other => other.into(),
    }
}

fn parse_cursor(text: &str) -> Result<SessionCursor, AppError> {
    text.parse().map_err(|_| AppError::Invalid {
        field: "cursor".to_owned(),
        message: "This place in the list is not known. Go back to the first page.".to_owned(),
    })
}
