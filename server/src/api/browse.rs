//! `GET /api/count`, `GET /api/facets`, `GET /api/values`, `GET /api/histogram`, `GET` and `POST /api/sync`: values, counts
//! and sync progress beside a list.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Query, State};
use domain::{FacetValue, Facets, Histogram, MatchCount, SyncProgress};
use protocol::Query as Filter;
use protocol::query::RESERVED;
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use crate::clock::now_ms;
use crate::error::Error;
use crate::is_mine;
use crate::state::AppState;

/// Buckets of a histogram by default.
const BUCKETS: u32 = 60;

#[derive(Deserialize)]
pub struct FilterParams {
    #[serde(default)]
    q: String,
    buckets: Option<u32>,
}

#[derive(Deserialize)]
pub struct ValueParams {
    key: String,
    #[serde(default)]
    prefix: String,
}

#[derive(Deserialize)]
pub struct SyncChange {
    paused: bool,
}

pub async fn count(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<FilterParams>, QueryRejection>,
) -> Result<Json<MatchCount>, Error> {
    let (filter, _) = filter(params)?;
    let filter = is_mine::resolve(&state, &caller, &filter).await?;
    let plan = state.store.plan(caller.workspace_id, &filter, now_ms()).await?;
    Ok(Json(state.store.count_matches(&plan).await?))
}

pub async fn facets(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<FilterParams>, QueryRejection>,
) -> Result<Json<Facets>, Error> {
    let (filter, _) = filter(params)?;
    let filter = is_mine::resolve(&state, &caller, &filter).await?;
    let plan = state.store.plan(caller.workspace_id, &filter, now_ms()).await?;
    Ok(Json(state.store.facets(&plan).await?))
}

/// Get the values of one key, for completion.
pub async fn values(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<ValueParams>, QueryRejection>,
) -> Result<Json<Vec<FacetValue>>, Error> {
    let Query(params) = params.map_err(|rejection| invalid("key", rejection.body_text()))?;
    // As in the query language: any other word is a metadata key.
    let key = match params.key {
        key if RESERVED.contains(&key.as_str()) || key.starts_with("metadata.") => key,
        key => format!("metadata.{key}"),
    };
    Ok(Json(state.store.complete_values(caller.workspace_id, &key, &params.prefix).await?))
}

pub async fn histogram(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<FilterParams>, QueryRejection>,
) -> Result<Json<Histogram>, Error> {
    let (filter, buckets) = filter(params)?;
    if !(1..=500).contains(&buckets) {
        return Err(invalid("buckets", "Use 1 to 500 buckets.".to_owned()));
    }
    let filter = is_mine::resolve(&state, &caller, &filter).await?;
    let plan = state.store.plan(caller.workspace_id, &filter, now_ms()).await?;
    Ok(Json(state.store.histogram(&plan, buckets.into()).await?))
}

pub async fn sync(State(state): State<AppState>, ApiCaller(caller): ApiCaller) -> Result<Json<SyncProgress>, Error> {
    Ok(Json(state.mirror.progress(&state, caller.workspace_id).await?))
}

pub async fn set_sync(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    change: Result<Json<SyncChange>, JsonRejection>,
) -> Result<Json<SyncProgress>, Error> {
    let Json(change) = change.map_err(|rejection| invalid("body", rejection.body_text()))?;
    Ok(Json(state.mirror.set_paused(&state, &caller, change.paused).await?))
}

fn filter(params: Result<Query<FilterParams>, QueryRejection>) -> Result<(Filter, u32), Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    let filter = Filter::parse(&params.q).map_err(|error| invalid("q", error.to_string()))?;
    Ok((filter, params.buckets.unwrap_or(BUCKETS)))
}
