//! `GET /api/runs/{id}/events` and `GET /api/runs/{id}/timeline`: a run's raw log, and the timeline that it folds to.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use protocol::Timeline;
use protocol::timeline::{Banner, Entry, Sentence, Span, Timing, Turn, verdict};
use serde_json::{Value, json};

use super::caller::ApiCaller;
use super::path_id::PathId;
use crate::error::Error;
use crate::log_lines::LogLines;
use crate::pages::run::load_banners;
use crate::runs;
use crate::state::AppState;

/// The log as NDJSON: one event per line, ordered by seq.
pub async fn get_events(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
) -> Result<Response, Error> {
    runs::find_run(&state, &caller, &id).await?;
    let lines = LogLines::new(state.store.clone(), caller.workspace_id, id);
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines.into_stream())).into_response())
}

/// The folded log, as the run page shows it.
pub async fn get_timeline(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    PathId(id): PathId,
) -> Result<Json<Value>, Error> {
    let (run, _) = runs::find_run(&state, &caller, &id).await?;
    let spec = runs::masked_spec(&state, &caller, &id).await?;
    let replay = state.timelines.replay(&state, &caller, &id).await?;
    let timeline = replay.latest();
    let banners = load_banners(&state, &caller, &id, &replay, spec.as_ref()).await?;
    let timing = Timing::of(timeline, Some(run.created_at_ms));
    Ok(Json(timeline_body(timeline, timing.as_ref(), &verdict(timeline, spec.as_ref()), &banners)))
}

pub fn timeline_body(timeline: &Timeline, timing: Option<&Timing>, verdict: &[Sentence], banners: &[Banner]) -> Value {
    let turns: Vec<Value> = timeline.turns.iter().map(|turn| turn_body(turn, timing)).collect();
    json!({
        "status": timeline.status(),
        "verdict": verdict,
        "banners": banners,
        "turns": turns,
        "plan": timeline.plan,
        "totals": timeline.totals,
        "outcome": timeline.outcome,
        "integrity": timeline.integrity,
    })
}

/// A turn and its calls, with their times where these are known.
fn turn_body(turn: &Turn, timing: Option<&Timing>) -> Value {
    let mut body = json!(turn);
    let Some(timing) = timing else { return body };
    add_span(&mut body, timing.turn(turn.index), timing);
    for (i, entry) in turn.entries.iter().enumerate() {
        if let Entry::Call(call) = entry {
            add_span(&mut body["entries"][i]["call"], timing.call(call), timing);
        }
    }
    body
}

fn add_span(body: &mut Value, span: Option<Span>, timing: &Timing) {
    let Some(span) = span else { return };
    body["startedAtMs"] = span.start_ms.into();
    if let Some(duration_ms) = span.duration_ms {
        body["durationMs"] = duration_ms.into();
    }
    body["observed"] = timing.observed.into();
}
