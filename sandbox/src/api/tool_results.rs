//! `POST …/tool-results`: the client's answer to a local tool call.

use std::sync::Arc;

use axum::extract::{Path, State};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use protocol::RunStatus;
use serde_json::{Value, json};

use super::auth::Caller;
use super::body::JsonBody;
use super::errors::{ApiError, ApiResult};
use crate::app::App;
use crate::live::LocalAnswer;

// The documents disagree twice. An accepted result gets 200 in one, 204 in the later one. A result after a cancellation
// is accepted and ignored in one, and gets 409 like any late result in the other; with 409 the client knows that its
// result is not used.

const MAX_RESULT_BYTES: usize = 2 * 1024 * 1024;
const MAX_ERROR_BYTES: usize = 8 * 1024;
const MAX_FILES: usize = 20;
const MAX_FILES_BYTES: usize = 5 * 1024 * 1024;

pub async fn post(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    JsonBody(body): JsonBody,
) -> ApiResult<StatusCode> {
    caller.require("runs:write")?;
    submit(&app, caller.workspace.slug, &id, &body).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Passes an answer to the run that waits for it.
pub async fn submit(app: &App, workspace: &str, run_id: &str, body: &Value) -> ApiResult<()> {
    let run = app.store.run(workspace, run_id).await?.ok_or_else(|| ApiError::not_found("Run"))?;
    let (tool_use_id, answer) = parse(body)?;
    let live = app.engine.live.get(run_id);
    if RunStatus::parse(&run.status).is_none_or(RunStatus::is_terminal) || live.is_none() {
        return Err(ApiError::new(StatusCode::CONFLICT, "run_terminal", "The run has ended; the result is dropped."));
    }
    if live.is_some_and(|live| live.answer(&tool_use_id, answer)) {
        return Ok(());
    }
    let message = format!("No call “{tool_use_id}” waits for a result: it is unknown or already answered.");
    Err(ApiError::new(StatusCode::NOT_FOUND, "unknown_tool_use", message))
}

fn parse(body: &Value) -> ApiResult<(String, LocalAnswer)> {
    if !body.is_object() {
        return Err(ApiError::invalid("", "type", "A tool result is a JSON object."));
    }
    let tool_use_id = body["toolUseId"].as_str().filter(|id| !id.is_empty());
    let tool_use_id = tool_use_id.ok_or_else(|| ApiError::invalid("/toolUseId", "required", "Name the call."))?;
    let outcome = match (present(body, "result")?, present(body, "error")?) {
        (Some(_), Some(_)) => {
            return Err(ApiError::invalid("/error", "conflict", "Give a result or an error, not both."));
        }
        (None, None) => return Err(ApiError::invalid("/result", "required", "Give a result or an error.")),
        (Some(result), None) => Ok(within("/result", result, MAX_RESULT_BYTES)?),
        (None, Some(error)) => Err(within("/error", error, MAX_ERROR_BYTES)?),
    };
    // Only results have files.
    let files = if outcome.is_ok() { files(&body["files"])? } else { Vec::new() };
    Ok((tool_use_id.to_owned(), LocalAnswer { outcome, files }))
}

fn present<'a>(body: &'a Value, field: &str) -> ApiResult<Option<&'a str>> {
    match &body[field] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(ApiError::invalid(&format!("/{field}"), "type", "Send a text; write structured values as JSON.")),
    }
}

fn within(path: &str, text: &str, max_bytes: usize) -> ApiResult<String> {
    if text.len() > max_bytes {
        let message = format!("{path} may have at most {} KB.", max_bytes / 1024);
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", message));
    }
    Ok(text.to_owned())
}

/// Returns name, type and size of each file.
fn files(files: &Value) -> ApiResult<Vec<Value>> {
    let files = match files {
        Value::Null => return Ok(Vec::new()),
        Value::Array(files) if files.len() <= MAX_FILES => files,
        _ => return Err(ApiError::invalid("/files", "type", format!("Files are a list of at most {MAX_FILES}."))),
    };
    let mut total_bytes = 0;
    let mut kept = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let text = |field: &str| {
            let found = file[field].as_str().filter(|text| !text.is_empty());
            found.ok_or_else(|| ApiError::invalid(&format!("/files/{i}/{field}"), "required", "Required."))
        };
        let bytes = STANDARD.decode(text("data")?);
        let bytes = bytes.map_err(|_| ApiError::invalid(&format!("/files/{i}/data"), "base64", "Send base64."))?;
        total_bytes += bytes.len();
        kept.push(json!({ "filename": text("filename")?, "mimeType": text("mimeType")?, "sizeBytes": bytes.len() }));
    }
    if total_bytes > MAX_FILES_BYTES {
        let message = "The files of a result may have at most 5 MB together.";
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", message));
    }
    Ok(kept)
}
