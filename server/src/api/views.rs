//! `/api/views` and `/api/default-view`: saved views.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use domain::{View, ViewChange, ViewList};
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use super::path_id::PathId;
use crate::error::Error;
use crate::state::AppState;
use crate::views;

#[derive(Deserialize)]
pub struct ListParams {
    #[serde(default)]
    list: ViewList,
}

#[derive(Deserialize)]
pub struct Choice {
    id: String,
    #[serde(default)]
    list: ViewList,
}

pub async fn list_views(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Result<Json<Vec<View>>, Error> {
    let Query(params) = params.map_err(|rejection| invalid("list", rejection.body_text()))?;
    Ok(Json(views::list(&state, &caller, params.list).await?))
}

pub async fn create_view(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    body: Result<Json<ViewChange>, JsonRejection>,
) -> Result<(StatusCode, Json<View>), Error> {
    let view = views::create(&state, &caller, read(body)?).await?;
    Ok((StatusCode::CREATED, Json(view)))
}

pub async fn change_view(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
    body: Result<Json<ViewChange>, JsonRejection>,
) -> Result<Json<View>, Error> {
    Ok(Json(views::change(&state, &caller, &id, read(body)?).await?))
}

pub async fn delete_view(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
) -> Result<StatusCode, Error> {
    views::delete(&state, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn choose_view(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    body: Result<Json<Choice>, JsonRejection>,
) -> Result<StatusCode, Error> {
    let choice = read(body)?;
    views::set_default(&state, &caller, choice.list, &choice.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn read<T>(body: Result<Json<T>, JsonRejection>) -> Result<T, Error> {
    body.map(|Json(body)| body).map_err(|rejection| invalid("body", rejection.body_text()))
}
