//! `GET` and `PUT` of `/api/redaction` and `/api/prices`: settings that a workspace shares.

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::{Extension, Json};
use domain::{ModelPriceChange, ModelPrices, Redaction, RedactionChange};

use super::caller::ApiCaller;
use super::invalid;
use crate::error::Error;
use crate::masking::Masked;
use crate::state::AppState;
use crate::{prices, redaction};

/// Patterns are shown as they are, also one that matches itself.
type Patterns = (Extension<Masked>, Json<Redaction>);

pub async fn get_redaction(State(state): State<AppState>, ApiCaller(caller): ApiCaller) -> Result<Patterns, Error> {
    Ok((Extension(Masked), Json(redaction::load(&state, &caller).await?)))
}

pub async fn set_redaction(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    body: Result<Json<RedactionChange>, JsonRejection>,
) -> Result<Patterns, Error> {
    let Json(change) = body.map_err(|rejection| invalid("body", rejection.body_text()))?;
    Ok((Extension(Masked), Json(redaction::change(&state, &caller, change).await?)))
}

pub async fn get_prices(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> Result<Json<ModelPrices>, Error> {
    Ok(Json(prices::load(&state, &caller).await?))
}

pub async fn set_prices(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    body: Result<Json<ModelPriceChange>, JsonRejection>,
) -> Result<Json<ModelPrices>, Error> {
    let Json(change) = body.map_err(|rejection| invalid("body", rejection.body_text()))?;
    Ok(Json(prices::change(&state, &caller, change.own).await?))
}
