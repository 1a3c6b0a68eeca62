//! `GET /waiting/live`: sends the number of waiting calls whenever the list changes.
//!
//! ```text
//!   data: {"calls":2}           the browser loads the list again
//!   event: end   data: {}       nothing more will come
//! ```

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::time::Duration;

use app::AppError;
use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::json;
use tokio::sync::watch;

use super::board::Board;
use crate::api::ApiCaller;
use crate::auth::{Caller, Granted, SessionId};
use crate::clock::now_ms;
use crate::error::Error;
use crate::live::{Lifetime, Progress, StreamSlot};
use crate::state::AppState;

/// The board is looked at this often without a notification: for changes by other processes, and for calls that are listed
/// after some time.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Waiting runs that are followed for one browser, so that their answers are noticed.
const MAX_FOLLOWED: usize = 50;

pub async fn relay(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Extension(granted): Extension<Granted>,
    session: Option<Extension<SessionId>>,
) -> Result<Response, Error> {
    let lifetime = Lifetime::new(&state, &caller, granted, session.map(|Extension(id)| id));
    let lifetime = lifetime.ok_or(AppError::SignedOut)?;
    let slot = state.streams.open(caller.workspace_id, lifetime.owner(), &state.limits)?;
    let changes = state.waiting.watch(caller.workspace_id);
    let watcher = Watcher { state, caller, changes, lifetime, slot, followed: HashMap::new(), sent: None, done: false };
    let frames = stream::unfold(watcher, |mut watcher| async move {
        let frame = watcher.next().await?;
        Some((Ok::<_, Infallible>(frame), watcher))
    });
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(frames).keep_alive(keep_alive).into_response())
}

/// One browser that shows the list.
struct Watcher {
    state: AppState,
    caller: Caller,
    changes: watch::Receiver<u64>,
    lifetime: Lifetime,
    slot: StreamSlot,
    followed: HashMap<String, watch::Receiver<Progress>>,
    /// The digest of the board that was announced last.
    sent: Option<u64>,
    done: bool,
}

impl Watcher {
    /// Returns the next frame to send, or `None` when the stream is over.
    async fn next(&mut self) -> Option<Frame> {
        if self.done {
            return None;
        }
        loop {
            if self.lifetime.is_over(&self.state, &self.caller).await {
                self.done = true;
                return Some(Frame::default().event("end").data("{}"));
            }
            // Read before the board: a change in between wakes the wait below.
            self.changes.mark_unchanged();
            match self.state.waiting.load(&self.state, self.caller.workspace_id).await {
                Ok(board) => {
                    self.follow(&board);
                    let (now, before) = (now_ms(), self.sent);
                    self.sent = Some(board.digest(now));
                    if self.sent != before {
                        let data = json!({ "calls": board.listed(now).count() });
                        return Some(Frame::default().data(data.to_string()));
                    }
                }
                Err(error) => {
                    tracing::error!(%error, workspace = %self.caller.workspace_id, "cannot read the waiting calls");
                }
            }
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = self.lifetime.wait_for_check() => {}
                () = self.slot.close.cancelled() => return None,
                () = self.state.shutdown.cancelled() => return None,
            }
        }
    }

    fn follow(&mut self, board: &Board) {
        let waiting: HashSet<&str> = board.run_ids().collect();
        self.followed.retain(|run_id, _| waiting.contains(run_id.as_str()));
        for run_id in waiting {
            if self.followed.len() >= MAX_FOLLOWED {
                break;
            }
            let follow = || self.state.live.follow(&self.state, &self.caller, run_id);
            self.followed.entry(run_id.to_owned()).or_insert_with(follow);
        }
    }
}
