//! `/api/sessions`: the list, one session, and a page of its messages.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::{Extension, Json};
use domain::SessionsPage;
use domain::{SessionDetail, SessionMessages};
use protocol::Query as Filter;
use protocol::query::Term;
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use super::path_id::PathId;
use crate::auth::Granted;
use crate::auth::scopes::RUNS_READ;
use crate::error::Error;
use crate::sessions;
use crate::state::AppState;

#[derive(Deserialize)]
pub struct ListParams {
    #[serde(default)]
    q: String,
    status: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Deserialize)]
pub struct MessageParams {
    before: Option<u64>,
    limit: Option<u32>,
}

pub async fn list_sessions(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Result<Json<SessionsPage>, Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    let mut filter = Filter::parse_for_sessions(&params.q).map_err(|error| invalid("q", error.to_string()))?;
    if let Some(word) = &params.status {
        let status = Term::status(true, word);
        filter = filter.with(status.ok_or_else(|| invalid("status", "A session is active or ended.".to_owned()))?);
    }
    let limit = params.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(invalid("limit", "Use a limit from 1 to 200.".to_owned()));
    }
    let (_, page) = sessions::list(&state, &caller, &filter, params.cursor.as_deref(), limit).await?;
    Ok(Json(page))
}

pub async fn get_session(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Extension(granted): Extension<Granted>,
    PathId(id): PathId,
) -> Result<Json<SessionDetail>, Error> {
    let may_read_runs = granted.includes(&state, RUNS_READ).await?;
    Ok(Json(sessions::load_detail(&state, &caller, &id, may_read_runs).await?))
}

pub async fn session_messages(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
    params: Result<Query<MessageParams>, QueryRejection>,
) -> Result<Json<SessionMessages>, Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    let limit = params.limit.unwrap_or(sessions::MESSAGES);
    if !(1..=500).contains(&limit) {
        return Err(invalid("limit", "Use a limit from 1 to 500.".to_owned()));
    }
    Ok(Json(sessions::messages(&state, &caller, &id, params.before, limit).await?))
}
