//! `DELETE /api/runs/{id}`, `DELETE /api/sessions/{id}` and `POST /api/erase`: deletion for good.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use super::path_id::PathId;
use crate::erase::{Erased, erase};
use crate::error::Error;
use crate::state::AppState;
use crate::store::EraseTarget;

#[derive(Deserialize)]
pub struct EraseRequest {
    metadata: Entry,
}

#[derive(Deserialize)]
struct Entry {
    key: String,
    value: String,
}

pub async fn delete_run(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
) -> Result<Json<Erased>, Error> {
    erase(&state, &caller, &EraseTarget::Run(id)).await.map(Json)
}

pub async fn delete_session(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
) -> Result<Json<Erased>, Error> {
    erase(&state, &caller, &EraseTarget::Session(id)).await.map(Json)
}

pub async fn erase_metadata(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    body: Result<Json<EraseRequest>, JsonRejection>,
) -> Result<Json<Erased>, Error> {
    let Json(EraseRequest { metadata }) = body.map_err(|rejection| invalid("body", rejection.body_text()))?;
    let Entry { key, value } = metadata;
    erase(&state, &caller, &EraseTarget::Metadata { key, value }).await.map(Json)
}
