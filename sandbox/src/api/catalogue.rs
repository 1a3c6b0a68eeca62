//! What a run may choose from: models and saved agents.

use axum::Json;
use http::StatusCode;
use serde_json::{Value, json};

use super::auth::Caller;
use super::errors::{ApiError, ApiResult};
use crate::agents::AGENTS;
use crate::models::{self, DEFAULT_MODEL_ID, MODELS, Model};

pub async fn models(caller: Caller) -> ApiResult<Json<Value>> {
    caller.require("models:read")?;
    let models: Vec<Value> = MODELS.iter().map(Model::catalogue_entry).collect();
    Ok(Json(json!({ "models": models, "defaultModelId": DEFAULT_MODEL_ID })))
}

pub async fn agents(caller: Caller) -> ApiResult<Json<Value>> {
    caller.require("agents:read")?;
    let agents = AGENTS.iter();
    let agents: Vec<Value> =
        agents.map(|agent| json!({ "id": agent.id, "name": agent.name, "description": agent.description })).collect();
    Ok(Json(json!({ "agents": agents })))
}

/// The model that a spec asks for.
pub fn resolve_model(spec: &Value) -> ApiResult<&'static Model> {
    let Some(asked) = spec["modelId"].as_str() else { return Ok(models::default_model()) };
    models::find(asked).ok_or_else(|| {
        let candidates: Vec<&str> = MODELS.iter().map(|model| model.id).collect();
        let message = format!("There is no model “{asked}”. Choose one of: {}.", candidates.join(", "));
        ApiError::new(StatusCode::BAD_REQUEST, "invalid_model", message).with("candidates", json!(candidates))
    })
}

/// A saved agent must be one that the credential may use.
pub fn check_agent(spec: &Value) -> ApiResult<()> {
    match spec["agentId"].as_str() {
        Some(id) if crate::agents::find(id).is_none() => {
            let message = format!("This credential may not use the agent “{id}”.");
            Err(ApiError::new(StatusCode::FORBIDDEN, "forbidden", message))
        }
        _ => Ok(()),
    }
}
