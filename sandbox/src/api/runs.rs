//! Endpoints of runs: create, list, read, cancel.

use protocol::validate::{Body, validate};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, RawQuery, State};
use http::StatusCode;
use protocol::RunStatus;
use protocol::json::preview;
use serde_json::{Value, json};

use super::auth::Caller;
use super::body::{JsonBody, QueryPairs, cursor, iso, stored_json, stored_object};
use super::catalogue::{check_agent, check_reserved, choose_models};
use super::errors::{ApiError, ApiResult};
use crate::app::App;
use crate::clock::Clock;
use crate::engine::Launch;
use crate::secret;
use crate::store::{RunFilter, RunRecord};

type Ids = Path<(String, String)>;

pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    JsonBody(spec): JsonBody,
) -> ApiResult<(StatusCode, Json<Value>)> {
    caller.require("runs:write")?;
    let run_id = secret::id("run_")?;
    let (workspace, pace) = (caller.workspace.slug, app.live_pace());
    let launch = validate_launch(&app, Some(&caller), spec, run_id.clone(), workspace, app.clock.clone(), pace)?;
    app.engine.launch(launch).await?;
    Ok((StatusCode::ACCEPTED, Json(created(workspace, &run_id))))
}

/// Validates a spec. The demonstration has no caller.
pub fn validate_launch(
    app: &App,
    caller: Option<&Caller>,
    spec: Value,
    run_id: String,
    workspace: &'static str,
    clock: Clock,
    pace: crate::provider::Pace,
) -> ApiResult<Launch> {
    let faults = validate(Body::Run, &spec);
    if !faults.is_empty() {
        return Err(ApiError::invalid_fields(faults));
    }
    check_reserved(&spec)?;
    check_agent(&spec, caller)?;
    let models = choose_models(app, &spec)?;
    Ok(Launch { run_id, workspace, session_id: None, spec, models, history: Vec::new(), clock, pace })
}

pub async fn list(State(app): State<Arc<App>>, caller: Caller, RawQuery(query): RawQuery) -> ApiResult<Json<Value>> {
    caller.require("runs:read")?;
    let query = QueryPairs::parse(query.as_deref());
    let status = query.get("status").map(|word| {
        RunStatus::parse(word).ok_or_else(|| {
            let known = RunStatus::ALL.map(RunStatus::as_str).join(", ");
            ApiError::invalid("status", "choice", format!("status is one of {known}."))
        })
    });
    let filter = RunFilter {
        status: status.transpose()?,
        model_id: query.get("modelId").map(Into::into),
        agent_id: query.get("agentId").map(Into::into),
        session_id: query.get("sessionId").map(Into::into),
        metadata: query.metadata()?,
    };
    let limit = query.limit()?;
    let mut rows = app.store.runs(caller.workspace.slug, &filter, query.cursor()?, limit + 1).await?;
    let more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next_cursor = rows.last().filter(|_| more).map(|last| cursor(last.created_at, &last.id));
    let total = match query.flag("includeTotal", false) {
        true => Some(app.store.count_runs(caller.workspace.slug, &filter).await?),
        false => None,
    };
    let runs: Vec<Value> = rows.iter().map(row).collect();
    Ok(Json(json!({ "total": total, "limit": limit, "nextCursor": next_cursor, "runs": runs })))
}

pub async fn snapshot(State(app): State<Arc<App>>, caller: Caller, Path((_, id)): Ids) -> ApiResult<Json<Value>> {
    caller.require("runs:read")?;
    let run = find(&app, &caller, &id).await?;
    Ok(Json(json!({
        "id": run.id, "sessionId": run.session_id, "status": run.status, "specName": run.spec_name,
        "agentId": run.agent_id, "modelId": run.model_id, "finalText": run.final_text, "error": run.error,
        "failureReason": stored_json(run.failure_reason.as_deref()), "agentSpec": stored_json(Some(&run.spec)),
        "metadata": stored_object(&run.metadata), "tokens": stored_json(run.tokens.as_deref()), "turns": run.turns,
        "model": stored_json(run.model.as_deref()), "toolCallCount": run.tool_call_count,
        "durationMs": duration_ms(&run), "createdAt": iso(run.created_at), "completedAt": run.completed_at.map(iso),
    })))
}

/// Idempotent: a run that has ended does not change.
pub async fn cancel(State(app): State<Arc<App>>, caller: Caller, Path((_, id)): Ids) -> ApiResult<Json<Value>> {
    caller.require("runs:write")?;
    let run = find(&app, &caller, &id).await?;
    app.engine.cancel(&id, "user");
    Ok(Json(json!({ "id": run.id, "status": run.status })))
}

/// Finds a run of the caller's workspace.
pub async fn find(app: &App, caller: &Caller, id: &str) -> ApiResult<RunRecord> {
    app.store.run(caller.workspace.slug, id).await?.ok_or_else(|| ApiError::not_found("Run"))
}

/// Returns the response for a new run.
pub fn created(workspace: &str, run_id: &str) -> Value {
    json!({ "runId": run_id, "streamUrl": format!("/api/v1/workspaces/{workspace}/agent-runs/{run_id}/stream") })
}

fn row(run: &RunRecord) -> Value {
    json!({
        "id": run.id, "sessionId": run.session_id, "status": run.status, "specName": run.spec_name,
        "agentId": run.agent_id, "modelId": run.model_id, "inputPreview": run.input_preview,
        "outputPreview": run.final_text.as_deref().map(|text| preview(text, 200)),
        "error": run.error.as_deref().map(|text| preview(text, 200)), "tokens": stored_json(run.tokens.as_deref()),
        "turns": run.turns, "durationMs": duration_ms(run), "toolCallCount": run.tool_call_count,
        "metadata": stored_object(&run.metadata), "createdAt": iso(run.created_at),
        "completedAt": run.completed_at.map(iso),
    })
}

fn duration_ms(run: &RunRecord) -> Option<i64> {
    run.completed_at.map(|completed_at| completed_at - run.created_at)
}
