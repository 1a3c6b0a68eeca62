//! `GET /api/runs/{id}/events` and `GET /api/runs/{id}/timeline`: a run's log as it came, and as it is read.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures::stream;
use protocol::timeline::verdict;
use serde_json::{Value, json};

use super::caller::ApiCaller;
use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;
use crate::{run_pages, workspace};

/// Events read and written at a time.
const CHUNK: u32 = 1_000;

/// The log as NDJSON, one envelope a line, in the order of seq. It is read as it is sent: a log of any size needs the
/// memory of one chunk.
pub async fn get_events(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(id): Path<String>,
) -> Result<Response, Error> {
    workspace::find_run(&state, &caller, &id).await?;
    let reader = Reader { state, caller, id, after: 0 };
    let lines = stream::unfold(reader, |mut reader| async move {
        let chunk = reader.next_chunk().await?;
        Some((chunk, reader))
    });
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response())
}

/// The log as it is read: the same reading as the page's.
pub async fn get_timeline(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    workspace::find_run(&state, &caller, &id).await?;
    let spec = run_pages::spec(&state, &caller, &id).await?;
    let replay = state.timelines.replay(&state, &caller, &id).await?;
    let timeline = replay.latest();
    let banners = spec.as_ref().map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));
    Ok(Json(json!({
        "status": timeline.status(),
        "verdict": verdict(timeline, spec.as_ref()),
        "banners": banners,
        "turns": timeline.turns,
        "plan": timeline.plan,
        "totals": timeline.totals,
        "outcome": timeline.outcome,
        "integrity": timeline.integrity,
    })))
}

struct Reader {
    state: AppState,
    caller: Caller,
    id: String,
    after: u64,
}

impl Reader {
    async fn next_chunk(&mut self) -> Option<Result<Bytes, std::io::Error>> {
        let store = &self.state.store;
        let events = match store.events_after(self.caller.workspace_id, &self.id, self.after, CHUNK).await {
            Ok(events) => events,
            Err(error) => {
                tracing::error!(%error, "a log could not be read from the database");
                // Ends the answer in the middle, so that nobody takes it for whole.
                return Some(Err(std::io::Error::other("the log could not be read to its end")));
            }
        };
        self.after = events.last()?.seq;
        let mut lines = Vec::new();
        for event in &events {
            serde_json::to_writer(&mut lines, event).ok()?;
            lines.push(b'\n');
        }
        Some(Ok(lines.into()))
    }
}
