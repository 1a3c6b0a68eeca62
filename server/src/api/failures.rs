//! `GET /api/failures`, and `GET` and `PATCH /api/failures/{id}`: failure groups.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Query, State};
use domain::{FailureChange, FailureGroup, FailureGroups, FailureSort, FailureState};
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use super::path_id::PathId;
use crate::error::Error;
use crate::failures::{self, ListQuery, PAGE_SIZE, TimeRange};
use crate::state::AppState;

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct FailureParams {
    state: Option<String>,
    since: Option<String>,
    before: Option<String>,
    sort: Option<String>,
    cursor: Option<String>,
    limit: Option<u32>,
}

impl FailureParams {
    fn range(&self) -> Result<TimeRange, Error> {
        TimeRange::parse(self.since.as_deref(), self.before.as_deref())
    }
}

pub async fn list_failures(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<FailureParams>, QueryRejection>,
) -> Result<Json<FailureGroups>, Error> {
    let params = read(params)?;
    let one_of = |field: &str, known: &[&str]| invalid(field, format!("Use one of {}.", known.join(", ")));
    let query = ListQuery {
        state: match params.state.as_deref() {
            None | Some("") => None,
            Some(name) => Some(FailureState::parse(name).ok_or_else(|| one_of("state", &FailureState::NAMES))?),
        },
        sort: match params.sort.as_deref() {
            None | Some("") => FailureSort::default(),
            Some(name) => FailureSort::parse(name).ok_or_else(|| one_of("sort", &FailureSort::NAMES))?,
        },
        range: params.range()?,
        cursor: params.cursor.filter(|cursor| !cursor.is_empty()),
        limit: params.limit.unwrap_or(PAGE_SIZE),
    };
    Ok(Json(failures::list(&state, &caller, &query).await?.0))
}

pub async fn get_failure(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
    params: Result<Query<FailureParams>, QueryRejection>,
) -> Result<Json<FailureGroup>, Error> {
    Ok(Json(failures::find(&state, &caller, &id, &read(params)?.range()?).await?))
}

pub async fn change_failure(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
    body: Result<Json<FailureChange>, JsonRejection>,
) -> Result<Json<FailureGroup>, Error> {
    let Json(change) = body.map_err(|rejection| invalid("body", rejection.body_text()))?;
    Ok(Json(failures::change(&state, &caller, &id, change).await?))
}

fn read(params: Result<Query<FailureParams>, QueryRejection>) -> Result<FailureParams, Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    Ok(params)
}
