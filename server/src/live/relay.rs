//! `GET /runs/{id}/live`: server-sent events about the progress of a run, from any seq.
//!
//! ```text
//!   id: 5    data: {"seq":5,"text":"Hel"}   text to append to the row that is being written; not in a workspace with redaction
//!                                           patterns, because a match can begin in one piece and end in another
//!   id: 9    data: {"seq":9}                anything else up to this seq: the browser asks for the new page state
//!   event: upstream    data: disconnected | connected     the stream from MANTYX
//!   event: end         data: {}                           nothing more will come
//! ```

use std::convert::Infallible;
use std::time::Duration;

use app::AppError;
use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{self, StreamExt};
use protocol::{Event, ids};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::hub::Progress;
use super::lifetime::Lifetime;
use super::streams::StreamSlot;
use crate::api::ApiCaller;
use crate::auth::{Caller, Granted, SessionId};
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::redaction;
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
    Extension(granted): Extension<Granted>,
    session: Option<Extension<SessionId>>,
    Path(run_id): Path<String>,
    Query(params): Query<Params>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    if !ids::is_path_id(&run_id) || !is_visible(&state, &caller, &run_id).await? {
        return Err(AppError::not_found("run").into());
    }
    let lifetime = Lifetime::new(&state, &caller, granted, session.map(|Extension(id)| id));
    let lifetime = lifetime.ok_or(AppError::SignedOut)?;
    let slot = state.streams.open(caller.workspace_id, lifetime.owner(), &state.limits)?;
    // A browser that reconnects sends the last seq that it got, which is newer than the one in its URL.
    let last_event_id = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let progress = state.live.follow(&state, &caller, &run_id);
    let after = last_event_id.or(params.after).unwrap_or(0);
    let watcher =
        Watcher { state, caller, run_id, after, progress, lifetime, slot, sent_disconnected: false, done: false };
    let frames = stream::unfold(watcher, |mut watcher| async move {
        let frames = watcher.next().await?;
        Some((stream::iter(frames.into_iter().map(Ok::<_, Infallible>)), watcher))
    });
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(frames.flatten()).keep_alive(keep_alive).into_response())
}

/// Returns true if the run belongs to the caller's workspace: it is stored, or MANTYX shows it to the caller.
async fn is_visible(state: &AppState, caller: &Caller, run_id: &str) -> Result<bool, Error> {
    if state.store.run(caller.workspace_id, run_id).await?.is_some() {
        return Ok(true);
    }
    match state.mirror.sync_snapshot(state, caller, run_id).await {
        Ok(()) => Ok(true),
        Err(Error::Mantyx(MantyxError::NotFound)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// One browser that watches a run.
struct Watcher {
    state: AppState,
    caller: Caller,
    run_id: String,
    after: u64,
    progress: watch::Receiver<Progress>,
    lifetime: Lifetime,
    slot: StreamSlot,
    /// The state of MANTYX's stream that was sent last.
    sent_disconnected: bool,
    done: bool,
}

impl Watcher {
    /// Returns the next frames to send, or `None` when the stream is over.
    async fn next(&mut self) -> Option<Vec<Frame>> {
        if self.done {
            return None;
        }
        loop {
            if self.lifetime.is_over(&self.state, &self.caller).await {
                return self.end();
            }
            // Read before the store: a batch that is stored in between wakes the wait below.
            let Progress { ended, disconnected, .. } = *self.progress.borrow_and_update();
            let store = &self.state.store;
            let events = match store.events_after(self.caller.workspace_id, &self.run_id, self.after, CHUNK).await {
                Ok(events) => events,
                Err(error) => {
                    let (run_id, workspace) = (&self.run_id, self.caller.workspace_id);
                    tracing::error!(%error, run_id, %workspace, "cannot read a live run from the database");
                    return None;
                }
            };
            if let Some(last) = events.last() {
                self.after = last.seq;
                // Read for each piece: patterns can be added while the stream is open.
                let patterns = redaction::patterns(&self.state, self.caller.workspace_id).await;
                return Some(frames(&events, patterns.is_ok_and(|patterns| patterns.is_empty())));
            }
            if ended {
                return self.end();
            }
            if disconnected != self.sent_disconnected {
                self.sent_disconnected = disconnected;
                let upstream = if disconnected { "disconnected" } else { "connected" };
                return Some(vec![Frame::default().event("upstream").data(upstream)]);
            }
            tokio::select! {
                changed = self.progress.changed() => changed.ok()?,
                () = self.lifetime.wait_for_check() => {}
                () = self.slot.close.cancelled() => return None,
                () = self.state.shutdown.cancelled() => return None,
            }
        }
    }

    /// Tells the browser not to reconnect.
    fn end(&mut self) -> Option<Vec<Frame>> {
        self.done = true;
        Some(vec![Frame::default().event("end").data("{}")])
    }
}

#[derive(Serialize)]
struct Update<'a> {
    seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// Returns one frame for each piece of text, and one for all other events between two of them. Without text, one for all.
fn frames(events: &[Event], with_text: bool) -> Vec<Frame> {
    let mut updates: Vec<Update<'_>> = Vec::new();
    for event in events {
        let text = event.data["text"].as_str().filter(|_| with_text && event.kind == "assistant_delta");
        match updates.last_mut() {
            Some(last) if last.text.is_none() && text.is_none() => last.seq = event.seq,
            _ => updates.push(Update { seq: event.seq, text }),
        }
    }
    // Without an event name: browsers deliver these frames to one handler.
    let frame = |update: &Update<'_>| {
        Some(Frame::default().id(update.seq.to_string()).data(serde_json::to_string(update).ok()?))
    };
    updates.iter().filter_map(frame).collect()
}
