//! `GET /api/insights`: figures of the runs that match a filter.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use domain::Insights;
use protocol::Query as Filter;
use protocol::query::Term;
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use crate::error::Error;
use crate::insights;
use crate::state::AppState;

#[derive(Deserialize)]
pub struct InsightsParams {
    #[serde(default)]
    q: String,
    since: Option<String>,
    before: Option<String>,
    by: Option<String>,
}

pub async fn get_insights(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<InsightsParams>, QueryRejection>,
) -> Result<Json<Insights>, Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    let filter = Filter::parse(&params.q).map_err(|error| invalid("q", error.to_string()))?;
    let filter = insights::with_time(filter, "since", params.since.as_deref(), Term::Since)?;
    let filter = insights::with_time(filter, "before", params.before.as_deref(), Term::Before)?;
    let key = params.by.as_deref().unwrap_or(insights::DEFAULT_KEY);
    state.mirror.sync_newest(&state, &caller).await?;
    Ok(Json(insights::load(&state, &caller, &filter, key).await?))
}
