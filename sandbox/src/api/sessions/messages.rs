//! `POST …/messages`: the next run of a session.

use protocol::validate::{Body, validate};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::Value;

use crate::api::auth::Caller;
use crate::api::body::{JsonBody, stored_json};
use crate::api::catalogue::{check_agent, choose_models};
use crate::api::errors::{ApiError, ApiResult};
use crate::api::runs;
use crate::app::App;
use crate::clock::Clock;
use crate::engine::Launch;
use crate::provider::{Message, Pace, ToolCall};
use crate::secret;
use crate::store::{Retained, SessionMessage};

/// Fields of the session's spec that a message can override for its run.
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
    // The caller may differ from the one that created the session, and needs access to its agent too.
    check_agent(&stored_json(Some(&super::find(&app, &caller, &id).await?.spec)), Some(&caller))?;
    send(&app, workspace, &id, &body, run_id.clone(), app.clock.clone(), app.live_pace()).await?;
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
        return Err(session_ended());
    }
    let faults = validate(Body::Message, body);
    if !faults.is_empty() {
        return Err(ApiError::invalid_fields(faults));
    }
    let spec = spec_of_message(stored_json(Some(&session.spec)), body);
    let metadata_faults = validate(Body::Run, &spec);
    if !metadata_faults.is_empty() {
        return Err(ApiError::invalid_fields(metadata_faults));
    }
    let models = choose_models(app, &spec)?;
    let messages = app.store.session_messages(session_id, i64::MAX, i64::MAX).await?;
    let history = history(messages, &app.store.retained(session_id).await?);
    app.store.touch_session(session_id, clock.now().timestamp_millis()).await?;
    let session_id = Some(session_id.to_owned());
    let launch = Launch { run_id, workspace, session_id, spec, models, history, clock, pace };
    if app.engine.launch(launch).await? { Ok(()) } else { Err(session_ended()) }
}

fn session_ended() -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "session_ended", "The session has ended; start a new one.")
}

/// Returns the messages of the session, with retained tool results before the answer of their run.
fn history(stored: Vec<SessionMessage>, retained: &[Retained]) -> Vec<Message> {
    let mut messages = Vec::new();
    for (i, message) in stored.iter().enumerate() {
        let closes_run = stored.get(i + 1).is_none_or(|next| next.run_id != message.run_id);
        if message.role == "assistant" && closes_run {
            messages.extend(retained.iter().filter(|result| result.run_id == message.run_id).flat_map(replayed));
        }
        messages.push(match message.role == "assistant" {
            true => Message::assistant(&message.content),
            false => Message::user(&message.content),
        });
    }
    messages
}

fn replayed(result: &Retained) -> [Message; 2] {
    let (id, name) = (result.call_id.clone(), result.name.clone());
    let call = ToolCall { id: id.clone(), name: name.clone(), input: stored_json(Some(&result.input)) };
    [
        Message::Assistant { text: String::new(), calls: vec![call] },
        Message::ToolResult { call_id: id, name, ok: true, text: result.output.clone() },
    ]
}

/// Merges the message into the session's spec. Metadata is merged by key; the message wins.
fn spec_of_message(mut spec: Value, body: &Value) -> Value {
    // A message with its own model uses that model, also after the session switched to its fallback, and without the
    // session's fallback.
    if let (Some(fields), true) = (spec.as_object_mut(), body["modelId"].is_string()) {
        fields.retain(|name, _| name != "activeModelId" && name != "fallbackModelId");
    }
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
