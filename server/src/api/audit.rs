//! `GET /api/audit`: the audit log, newest first.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::{Extension, Json};
use domain::AuditPage;
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use crate::audit;
use crate::error::Error;
use crate::masking::Masked;
use crate::state::AppState;

#[derive(Deserialize)]
pub struct Params {
    limit: Option<u32>,
    cursor: Option<String>,
}

pub async fn list_audit(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    params: Result<Query<Params>, QueryRejection>,
) -> Result<(Extension<Masked>, Json<AuditPage>), Error> {
    let Query(params) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
    let limit = params.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(invalid("limit", "Use a limit from 1 to 200.".to_owned()));
    }
    let unknown = |_| invalid("cursor", "This place in the log is not known. Go back to the first page.".to_owned());
    let cursor = params.cursor.map(|cursor| cursor.parse::<i64>().map_err(unknown)).transpose()?;
    // The log has no contents of runs: ids and addresses are shown as they are.
    Ok((Extension(Masked), Json(audit::page(&state, &caller, cursor, limit).await?)))
}
