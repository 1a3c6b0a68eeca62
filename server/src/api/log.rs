//! `GET /api/runs/{id}/events` and `GET /api/runs/{id}/timeline`: a run's raw log, and the timeline that it folds to.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use protocol::Timeline;
use protocol::timeline::{Banner, Sentence, verdict};
use serde_json::{Value, json};

use super::caller::ApiCaller;
use crate::error::Error;
use crate::log_lines::LogLines;
use crate::runs;
use crate::state::AppState;

/// The log as NDJSON: one event per line, ordered by seq.
pub async fn get_events(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(id): Path<String>,
) -> Result<Response, Error> {
    runs::find_run(&state, &caller, &id).await?;
    let lines = LogLines::new(state.store.clone(), caller.workspace_id, id);
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines.into_stream())).into_response())
}

/// The folded log, as the run page shows it.
pub async fn get_timeline(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    runs::find_run(&state, &caller, &id).await?;
    let spec = runs::masked_spec(&state, &caller, &id).await?;
    let replay = state.timelines.replay(&state, &caller, &id).await?;
    let timeline = replay.latest();
    let banners = spec.as_ref().map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));
    Ok(Json(timeline_body(timeline, &verdict(timeline, spec.as_ref()), &banners)))
}

pub fn timeline_body(timeline: &Timeline, verdict: &[Sentence], banners: &[Banner]) -> Value {
    json!({
        "status": timeline.status(),
        "verdict": verdict,
        "banners": banners,
        "turns": timeline.turns,
        "plan": timeline.plan,
        "totals": timeline.totals,
        "outcome": timeline.outcome,
        "integrity": timeline.integrity,
    })
}
