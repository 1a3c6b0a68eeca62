//! `POST …/feedback`: one verdict per run; the last one counts.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::{Value, json};

use super::auth::Caller;
use super::body::JsonBody;
use super::errors::{ApiError, ApiResult};
use super::runs;
use crate::app::App;
use crate::secret;
use crate::store::Verdict;

const MAX_EXPLANATION_CHARS: usize = 8000;

pub async fn post(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    JsonBody(body): JsonBody,
) -> ApiResult<(StatusCode, Json<Value>)> {
    caller.require("feedback:write")?;
    let run = runs::find(&app, &caller, &id).await?;
    let verdict = match body["verdict"].as_str() {
        Some(verdict @ ("UP" | "DOWN")) => verdict,
        _ => return Err(ApiError::invalid("/verdict", "choice", "A verdict is UP or DOWN.")),
    };
    let explanation = optional_text(&body, "explanation")?;
    if explanation.is_some_and(|text| text.chars().count() > MAX_EXPLANATION_CHARS) {
        let message = format!("An explanation may have at most {MAX_EXPLANATION_CHARS} characters.");
        return Err(ApiError::invalid("/explanation", "too_long", message));
    }
    let content_snapshot = optional_text(&body, "contentSnapshot")?.or(run.final_text.as_deref());
    let new_id = secret::id("fb_")?;
    let (first, feedback_id) =
        app.store.give_feedback(&id, Verdict { id: &new_id, verdict, explanation, content_snapshot }).await?;
    let status = if first { StatusCode::CREATED } else { StatusCode::OK };
    let body = json!({ "id": feedback_id, "verdict": verdict, "targetKind": "agent_run", "agentRunId": id });
    Ok((status, Json(body)))
}

fn optional_text<'a>(body: &'a Value, field: &str) -> ApiResult<Option<&'a str>> {
    match &body[field] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(ApiError::invalid(&format!("/{field}"), "type", "This field is a text.")),
    }
}
