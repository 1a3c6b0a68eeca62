//! Endpoints of sessions: create, list, read, replay, end.

pub mod messages;

use protocol::validate::{Body, validate};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, RawQuery, State};
use http::StatusCode;
use protocol::json::preview;
use serde_json::{Value, json};

use super::auth::Caller;
use super::body::{JsonBody, QueryPairs, cursor, iso, stored_json, stored_object};
use super::catalogue::{check_agent, check_reserved, choose_models};
use super::errors::{ApiError, ApiResult};
use crate::app::App;
use crate::secret;
use crate::store::{NewSession, RunFilter, SessionFilter, SessionMessage, SessionRecord};

type Ids = Path<(String, String)>;

pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    JsonBody(spec): JsonBody,
) -> ApiResult<(StatusCode, Json<Value>)> {
    caller.require("sessions:write")?;
    let id = secret::id("ses_")?;
    start(&app, Some(&caller), caller.workspace.slug, &id, &spec, app.now_ms()).await?;
    Ok((StatusCode::CREATED, Json(json!({ "sessionId": id }))))
}

/// Validates the spec of a session and stores it. The demonstration has no caller.
pub async fn start(
    app: &App,
    caller: Option<&Caller>,
    workspace: &str,
    id: &str,
    spec: &Value,
    created_at: i64,
) -> ApiResult<()> {
    let faults = validate(Body::Session, spec);
    if !faults.is_empty() {
        return Err(ApiError::invalid_fields(faults));
    }
    check_reserved(spec)?;
    check_agent(spec, caller)?;
    choose_models(app, spec)?;
    app.store.create_session(NewSession { id, workspace, spec, metadata: &spec["metadata"], created_at }).await?;
    Ok(())
}

pub async fn list(State(app): State<Arc<App>>, caller: Caller, RawQuery(query): RawQuery) -> ApiResult<Json<Value>> {
    caller.require("sessions:read")?;
    let query = QueryPairs::parse(query.as_deref());
    let status = match query.get("status") {
        None => None,
        Some(status @ ("active" | "ended")) => Some(status.to_owned()),
        Some(_) => return Err(ApiError::invalid("status", "choice", "status is active or ended.")),
    };
    let filter = SessionFilter { status, metadata: query.metadata()? };
    let limit = query.limit()?;
    let after = query.cursor()?;
    let offset = match after {
        Some(_) => 0,
        None => query.whole_number("offset")?.unwrap_or(0) as i64,
    };
    let mut rows = app.store.sessions(caller.workspace.slug, &filter, after, limit + 1, offset).await?;
    let more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next_cursor = rows.last().filter(|_| more).map(|last| cursor(last.last_used_at, &last.id));
    let total = match query.flag("includeTotal", true) {
        true => Some(app.store.count_sessions(caller.workspace.slug, &filter).await?),
        false => None,
    };
    let mut sessions = Vec::with_capacity(rows.len());
    for row in rows {
        let opening = app.store.first_message(&row.id).await?;
        sessions.push(json!({
            "sessionId": row.id, "name": row.name, "creationDate": iso(row.created_at),
            "lastInteractionDate": iso(row.last_used_at), "summary": opening.map(|text| preview(&text, 120)),
            "metadata": stored_object(&row.metadata), "status": row.status,
        }));
    }
    Ok(Json(json!({
        "total": total, "limit": limit, "offset": offset, "nextCursor": next_cursor, "sessions": sessions,
    })))
}

pub async fn detail(State(app): State<Arc<App>>, caller: Caller, Path((_, id)): Ids) -> ApiResult<Json<Value>> {
    caller.require("sessions:read")?;
    let session = find(&app, &caller, &id).await?;
    let messages = app.store.session_messages(&id, i64::MAX, i64::MAX).await?;
    let messages: Vec<Value> = messages
        .iter()
        .map(|message| {
            let mut out = json!({ "role": message.role, "content": message.content, "runId": message.run_id });
            add_attachments(&mut out, message);
            out
        })
        .collect();
    let filter = RunFilter { session_id: Some(id), ..RunFilter::default() };
    let runs = app.store.runs(caller.workspace.slug, &filter, None, 200).await?;
    let runs: Vec<Value> = runs
        .iter()
        .rev()
        .map(|run| {
            let model = stored_json(run.model.as_deref());
            json!({ "id": run.id, "status": run.status, "model": model, "createdAt": iso(run.created_at) })
        })
        .collect();
    Ok(Json(json!({
        "id": session.id, "name": session.name, "status": session.status, "createdAt": iso(session.created_at),
        "lastUsedAt": iso(session.last_used_at), "endedAt": session.ended_at.map(iso),
        "agentSpec": stored_json(Some(&session.spec)), "messages": messages, "runs": runs,
        "metadata": stored_object(&session.metadata),
    })))
}

/// Returns the transcript as frames in the format of a live stream.
pub async fn events(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Ids,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<Value>> {
    caller.require("sessions:read")?;
    find(&app, &caller, &id).await?;
    let query = QueryPairs::parse(query.as_deref());
    let last_messages = query.whole_number("lastMessages")?;
    let before_seq = query.whole_number("beforeSeq")?;
    if last_messages.is_some_and(|count| !(1..=500).contains(&count)) {
        return Err(ApiError::invalid("lastMessages", "range", "lastMessages is a whole number from 1 to 500."));
    }
    let (before, limit) = match (query.flag("full", false), last_messages, before_seq) {
        (true, ..) | (false, None, None) => (i64::MAX, i64::MAX),
        (false, count, before) => (before.map_or(i64::MAX, |seq| seq as i64), count.unwrap_or(100) as i64),
    };
    let messages = app.store.session_messages(&id, before, limit).await?;
    let total = app.store.count_session_messages(&id).await?;
    let first_seq = messages.first().map_or(1, |message| message.seq);
    let truncated = first_seq > 1;
    let events: Vec<Value> = messages.iter().map(replay_frame).collect();
    Ok(Json(json!({
        "sessionId": id, "total": total, "events": events, "nextBeforeSeq": truncated.then_some(first_seq),
        "truncated": truncated,
    })))
}

pub async fn end(State(app): State<Arc<App>>, caller: Caller, Path((_, id)): Ids) -> ApiResult<Json<Value>> {
    caller.require("sessions:write")?;
    find(&app, &caller, &id).await?;
    app.store.end_session(&id, app.now_ms()).await?;
    for run_id in app.store.runs_in_flight(&id).await? {
        app.engine.cancel(&run_id, "session_ended");
    }
    Ok(Json(json!({ "sessionId": id, "status": "ended" })))
}

/// Finds a session of the caller's workspace.
pub(super) async fn find(app: &App, caller: &Caller, id: &str) -> ApiResult<SessionRecord> {
    app.store.session(caller.workspace.slug, id).await?.ok_or_else(|| ApiError::not_found("Session"))
}

fn replay_frame(message: &SessionMessage) -> Value {
    let mut frame = json!({ "seq": message.seq });
    match message.role.as_str() {
        "user" => frame["type"] = "user_message".into(),
        "assistant" => frame["type"] = "assistant_message".into(),
        role => {
            frame["type"] = "message".into();
            frame["role"] = role.into();
        }
    }
    frame["text"] = message.content.as_str().into();
    add_attachments(&mut frame, message);
    frame
}

fn add_attachments(out: &mut Value, message: &SessionMessage) {
    if let Some(attachments) = &message.attachments {
        out["attachments"] = stored_json(Some(attachments));
    }
}
