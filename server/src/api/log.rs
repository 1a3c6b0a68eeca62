//! `GET /api/runs/{id}/events` and `GET /api/runs/{id}/timeline`: a run's raw log, and the timeline that it folds to.

use std::io::Write;

use axum::Extension;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use protocol::timeline::{Timing, verdict};
use serde::Deserialize;

use super::caller::ApiCaller;
use super::invalid;
use super::path_id::PathId;
use super::timeline_body::TimelineBody;
use crate::error::Error;
use crate::log_lines::LogLines;
use crate::masking::{Masked, current};
use crate::pages::run::load_banners;
use crate::runs;
use crate::state::AppState;
use crate::web::json_stream::{buffered_json, json_stream};
use crate::web::response_slots::PART;

/// Timelines that take at most this much memory are serialised at once.
const MAX_BUFFERED_BYTES: usize = 1024 * 1024;

/// A part of a log or of a timeline. Without parameters it is the whole.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Window {
    /// The first event, or an event of the first turn.
    #[serde(default)]
    pub from_seq: u64,
    /// Events, or turns.
    pub limit: Option<usize>,
}

impl Window {
    fn from_params(params: Result<Query<Self>, QueryRejection>) -> Result<Self, Error> {
        let Query(window) = params.map_err(|rejection| invalid("query", rejection.body_text()))?;
        match window.limit {
            Some(0) => Err(invalid("limit", "Use a whole number from 1.".to_owned())),
            _ => Ok(window),
        }
    }
}

/// The log as NDJSON: one event per line, ordered by seq.
pub async fn get_events(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
    params: Result<Query<Window>, QueryRejection>,
) -> Result<Response, Error> {
    let window = Window::from_params(params)?;
    runs::find_run(&state, &caller, &id).await?;
    let slot = state.response_slots.acquire(caller.workspace_id, PART).await?;
    let lines =
        LogLines::new(state.store.clone(), caller.workspace_id, id, current()).within(window.from_seq, window.limit);
    Ok((Extension(Masked), [(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines.into_stream(slot)))
        .into_response())
}

/// The folded log, as the run page shows it.
pub async fn get_timeline(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
    params: Result<Query<Window>, QueryRejection>,
) -> Result<Response, Error> {
    let window = Window::from_params(params)?;
    let (run, _) = runs::find_run(&state, &caller, &id).await?;
    let spec = runs::masked_spec(&state, &caller, &id).await?;
    let replay = state.timelines.replay(&state, &caller, &id).await?;
    let banners = load_banners(&state, &caller, &id, &replay, spec.as_ref()).await?;
    let is_small = replay.memory_bytes() <= MAX_BUFFERED_BYTES;
    let patterns = current();
    let write = move |writer: &mut dyn Write| {
        let timeline = replay.latest();
        let timing = Timing::of(timeline, run.asked_at_ms());
        let verdict = verdict(timeline, spec.as_ref());
        let body = TimelineBody::new(timeline, timing.as_ref(), &verdict, &banners, &patterns);
        serde_json::to_writer(writer, &body.within(window))
    };
    if is_small {
        return Ok(buffered_json(write));
    }
    let stream = json_stream(state.response_slots.acquire(caller.workspace_id, PART).await?, write);
    Ok((Extension(Masked), stream).into_response())
}
