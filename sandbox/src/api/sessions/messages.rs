//! `POST …/messages`: the next run of a session.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::Value;

use crate::api::auth::Caller;
use crate::api::body::{JsonBody, stored_json};
use crate::api::catalogue::resolve_model;
use crate::api::errors::{ApiError, ApiResult};
use crate::api::runs;
use crate::app::App;
use crate::clock::Clock;
use crate::engine::Launch;
use crate::provider::{Message, Pace};
use crate::secret;

/// What a message may replace for its own run. Identity stays the session's.
const OVERRIDES: [&str; 11] = [
    "tools",
    "reasoningLevel",
    "outputSchema",
    "loopDetection",
    "toolBudgets",
    "supervisor",
    "plan",
    "budgets",
    "modelId",
    "fallbackModelId",
    "name",
];

pub async fn post(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    JsonBody(body): JsonBody,
) -> ApiResult<(StatusCode, Json<Value>)> {
    caller.require("sessions:write")?;
    let run_id = secret::id("run_")?;
    let workspace = caller.workspace.slug;
    send(&app, workspace, &id, &body, run_id.clone(), Clock::Real, app.live_pace()).await?;
    Ok((StatusCode::ACCEPTED, Json(runs::created(workspace, &run_id))))
}

/// Starts the run that answers a message.
pub async fn send(
    app: &App,
    workspace: &'static str,
    session_id: &str,
    body: &Value,
    run_id: String,
    clock: Clock,
    pace: Pace,
) -> ApiResult<()> {
    let session = app.store.session(workspace, session_id).await?.ok_or_else(|| ApiError::not_found("Session"))?;
    if session.status != "active" {
        return Err(ApiError::new(StatusCode::CONFLICT, "session_ended", "The session has ended; start a new one."));
    }
    let faults = protocol::validate::validate_message(body);
    if !faults.is_empty() {
        return Err(ApiError::invalid_fields(faults));
    }
    let spec = spec_of_message(stored_json(Some(&session.spec)), body);
    let metadata_faults = protocol::validate::validate(&spec);
    if !metadata_faults.is_empty() {
        return Err(ApiError::invalid_fields(metadata_faults));
    }
    let model = resolve_model(&spec)?;
    let history = app.store.session_messages(session_id, i64::MAX, i64::MAX).await?;
    let history = history.into_iter().map(|message| match message.role == "assistant" {
        true => Message::Assistant { text: message.content, calls: Vec::new() },
        false => Message::User(message.content),
    });
    app.store.touch_session(session_id, clock.now().timestamp_millis()).await?;
    let session_id = Some(session_id.to_owned());
    app.engine
        .launch(Launch { run_id, workspace, session_id, spec, model, history: history.collect(), clock, pace })
        .await?;
    Ok(())
}

/// The session's spec with what the message brings; metadata is merged, the message's keys win.
fn spec_of_message(mut spec: Value, body: &Value) -> Value {
    for field in OVERRIDES.into_iter().chain(["prompt", "messages"]) {
        if !body[field].is_null() {
            spec[field] = body[field].clone();
        }
    }
    if let Some(added) = body["metadata"].as_object() {
        let mut metadata = spec["metadata"].as_object().cloned().unwrap_or_default();
        metadata.extend(added.clone());
        spec["metadata"] = Value::Object(metadata);
    }
    spec
}
