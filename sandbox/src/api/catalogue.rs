//! The catalogues: models, saved agents, tools and plugins.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde_json::{Value, json};

use super::auth::Caller;
use super::errors::{ApiError, ApiResult};
use crate::agents::{self, AGENTS};
use crate::app::App;
use crate::engine::{Builtin, ChosenModels};
use crate::models::{DEFAULT_MODEL_ID, Model};

pub async fn models(State(app): State<Arc<App>>, caller: Caller) -> ApiResult<Json<Value>> {
    caller.require("models:read")?;
    let models: Vec<Value> = app.models.list().await.iter().map(|model| model.catalogue_entry()).collect();
    Ok(Json(json!({ "models": models, "defaultModelId": DEFAULT_MODEL_ID })))
}

/// Lists the saved agents that the credential may use.
pub async fn agents(caller: Caller) -> ApiResult<Json<Value>> {
    caller.require("agents:read")?;
    let agents = AGENTS.iter().filter(|agent| caller.may_use_agent(agent.id));
    let agents: Vec<Value> = agents
        .map(|agent| {
            json!({
                "id": agent.id, "name": agent.name, "description": agent.description,
                "modelId": agent.model_id.unwrap_or(DEFAULT_MODEL_ID), "tools": agent.tools,
            })
        })
        .collect();
    Ok(Json(json!({ "agents": agents })))
}

/// Lists the workspace tools, which a `mantyx` reference names by id.
pub async fn tools(caller: Caller) -> ApiResult<Json<Value>> {
    caller.require("tools:read")?;
    let tools: Vec<Value> = Builtin::ALL
        .into_iter()
        .map(|tool| {
            json!({
                "id": format!("tool_{}", tool.name()), "name": tool.name(), "description": tool.description(),
                "parameters": tool.parameters(),
            })
        })
        .collect();
    Ok(Json(json!({ "tools": tools })))
}

/// Lists the same tools as plugins, for `mantyx_plugin` references.
pub async fn plugins(caller: Caller) -> ApiResult<Json<Value>> {
    caller.require("plugins:read")?;
    let tools: Vec<Value> = Builtin::ALL
        .into_iter()
        .map(|tool| {
            json!({
                "name": format!("@sandbox/{}", tool.name().replace('_', "-")), "description": tool.description(),
                "parameters": tool.parameters(),
            })
        })
        .collect();
    let description = "The tools that the sandbox runs itself.";
    Ok(Json(json!({ "plugins": [{ "name": "@sandbox", "description": description, "tools": tools }] })))
}

/// Resolves the models of a spec: the first one, the fallback, and the judge of the supervisor.
pub fn choose_models(app: &App, spec: &Value) -> ApiResult<ChosenModels> {
    let primary = match spec["modelId"].as_str().or(agents::of_spec(spec).and_then(|agent| agent.model_id)) {
        Some(asked) => find_model(app, "/modelId", asked)?,
        None => app.models.default_model(),
    };
    let fallback =
        spec["fallbackModelId"].as_str().map(|asked| find_model(app, "/fallbackModelId", asked)).transpose()?;
    if fallback.as_ref().is_some_and(|fallback| fallback.id == primary.id) {
        let message = "The fallback must be another model than the one it stands in for.";
        return Err(ApiError::invalid("/fallbackModelId", "same_model", message));
    }
    let judge = match spec["supervisor"]["modelId"].as_str() {
        Some(asked) => find_model(app, "/supervisor/modelId", asked)?,
        None => app.models.default_model(),
    };
    // A session that switched to its fallback model keeps it.
    match spec["activeModelId"].as_str().and_then(|active| app.models.find(active)) {
        Some(active) => Ok(ChosenModels { first: active, fallback: None, judge }),
        None => Ok(ChosenModels { first: primary, fallback, judge }),
    }
}

fn find_model(app: &App, path: &str, asked: &str) -> ApiResult<Arc<Model>> {
    app.models.find(asked).ok_or_else(|| {
        let candidates = app.models.ids();
        let message = format!("There is no model “{asked}”. Choose one of: {}.", candidates.join(", "));
        ApiError::new(StatusCode::BAD_REQUEST, "invalid_model", message)
            .with("candidates", json!(candidates))
            .with("path", path.into())
    })
}

/// Checks that the saved agent exists and that the caller may use it. The error is the same for both.
pub fn check_agent(spec: &Value, caller: Option<&Caller>) -> ApiResult<()> {
    let Some(id) = spec["agentId"].as_str() else { return Ok(()) };
    if !protocol::ids::is_path_id(id) {
        return Err(ApiError::invalid("/agentId", "pattern", "This is not the id of an agent."));
    }
    if agents::find(id).is_none() || caller.is_some_and(|caller| !caller.may_use_agent(id)) {
        let message = format!("This credential may not use the agent “{id}”.");
        return Err(ApiError::new(StatusCode::FORBIDDEN, "forbidden", message));
    }
    Ok(())
}

/// Rejects `activeModelId`, which only the server sets.
pub fn check_reserved(spec: &Value) -> ApiResult<()> {
    match spec.get("activeModelId") {
        Some(_) => Err(ApiError::invalid("/activeModelId", "not_allowed", "Only MANTYX sets this field.")),
        None => Ok(()),
    }
}
