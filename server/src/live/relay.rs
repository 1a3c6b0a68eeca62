//! `GET /runs/{id}/live`: a run's events for a browser, from any seq, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{self, StreamExt};
use protocol::{Event, ids};
use serde::Deserialize;
use tokio::sync::watch;

use super::follower::Progress;
use app::AppError;

use crate::api::ApiCaller;
use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;

/// Events read and sent at a time.
const CHUNK: u32 = 500;

#[derive(Deserialize)]
pub struct Params {
    after: Option<u64>,
}

pub async fn relay(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(run_id): Path<String>,
    Query(params): Query<Params>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    if !ids::is_path_id(&run_id) || !is_visible(&state, &caller, &run_id).await? {
        return Err(AppError::not_found("run").into());
    }
    // A browser that reconnects says what it has seen; that is newer than the address it was given.
    let seen = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let progress = state.live.follow(&state, &caller, &run_id);
    let after = seen.or(params.after).unwrap_or(0);
    let watcher = Watcher { state, caller, run_id, after, progress, told_broken: false, done: false };
    let frames = stream::unfold(watcher, |mut watcher| async move {
        let frames = watcher.next().await?;
        Some((stream::iter(frames.into_iter().map(Ok::<_, Infallible>)), watcher))
    });
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(frames.flatten()).keep_alive(keep_alive).into_response())
}

/// Whether the run belongs to the caller's workspace: known here, or known to MANTYX under the caller's credential.
async fn is_visible(state: &AppState, caller: &Caller, run_id: &str) -> Result<bool, Error> {
    if state.store.run(caller.workspace_id, run_id).await?.is_some() {
        return Ok(true);
    }
    state.mirror.sync_run(state, caller, run_id).await?;
    Ok(state.store.run(caller.workspace_id, run_id).await?.is_some())
}

struct Watcher {
    state: AppState,
    caller: Caller,
    run_id: String,
    after: u64,
    progress: watch::Receiver<Progress>,
    /// What the browser was told of MANTYX's stream.
    told_broken: bool,
    done: bool,
}

impl Watcher {
    /// The next frames to send; `None` when the stream is over.
    async fn next(&mut self) -> Option<Vec<Frame>> {
        if self.done {
            return None;
        }
        loop {
            // Read before the store is: what is stored meanwhile wakes the wait below.
            let Progress { ended, broken, .. } = *self.progress.borrow_and_update();
            let store = &self.state.store;
            let events = match store.events_after(self.caller.workspace_id, &self.run_id, self.after, CHUNK).await {
                Ok(events) => events,
                Err(error) => {
                    tracing::error!(%error, "a live stream could not be read from the database");
                    return None;
                }
            };
            if let Some(last) = events.last() {
                self.after = last.seq;
                return Some(events.iter().filter_map(frame).collect());
            }
            if ended {
                // Tells the browser not to come again.
                self.done = true;
                return Some(vec![Frame::default().event("end").data("{}")]);
            }
            if broken != self.told_broken {
                self.told_broken = broken;
                return Some(vec![Frame::default().event("upstream").data(if broken { "broken" } else { "back" })]);
            }
            tokio::select! {
                changed = self.progress.changed() => changed.ok()?,
                () = self.state.shutdown.cancelled() => return None,
            }
        }
    }
}

/// Without an event name: browsers deliver all of them to one handler.
fn frame(event: &Event) -> Option<Frame> {
    Some(Frame::default().id(event.seq.to_string()).data(serde_json::to_string(event).ok()?))
}
