//! `GET …/stream`: the persisted log from a position on, then the live tail, as server-sent events.
//!
//! A reader holds a position and a wake-up, nothing else: it reads the database at its own speed.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use futures::stream;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use protocol::sse::write_frame;
use tokio::sync::watch;

use super::auth::Caller;
use super::body::QueryPairs;
use super::errors::{ApiError, ApiResult};
use super::runs;
use crate::app::App;
use crate::store::StoredEvent;

const HEARTBEAT_AFTER: Duration = Duration::from_secs(15);
const PAGE: i64 = 256;

pub async fn follow(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    caller.require("runs:read")?;
    let after = position(&QueryPairs::parse(query.as_deref()), &headers)?;
    runs::find(&app, &caller, &id).await?;
    // Subscribed before the first read: whatever is committed in between wakes this reader.
    let wake = app.engine.live.get(&id).map(|live| live.follow());
    let reader = Reader { app, run_id: id, after, wake, ended: false };
    let body = Body::from_stream(stream::try_unfold(reader, Reader::next_chunk));
    Ok(([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")], body).into_response())
}

struct Reader {
    app: Arc<App>,
    run_id: String,
    after: u64,
    /// `None` once nothing more will be written.
    wake: Option<watch::Receiver<u64>>,
    ended: bool,
}

impl Reader {
    async fn next_chunk(mut self) -> Result<Option<(Bytes, Self)>, sqlx::Error> {
        loop {
            if self.ended {
                return Ok(None);
            }
            let events = self.app.store.events_after(&self.run_id, self.after, PAGE).await?;
            if let Some(last) = events.last() {
                self.after = last.seq as u64;
                self.ended = last.is_terminal();
                let chunk: String = events.iter().map(frame).collect();
                return Ok(Some((chunk.into(), self)));
            }
            let Some(wake) = &mut self.wake else { return Ok(None) };
            tokio::select! {
                changed = wake.changed() => {
                    if changed.is_err() {
                        self.wake = None;
                    }
                }
                () = self.app.closing.cancelled() => return Ok(None),
                () = tokio::time::sleep(HEARTBEAT_AFTER) => {
                    return Ok(Some((Bytes::from_static(b": still here\n\n"), self)));
                }
            }
        }
    }
}

fn frame(event: &StoredEvent) -> String {
    // The kinds are this crate's own words: they need no escaping.
    let envelope = format!(r#"{{"seq":{},"type":"{}","data":{}}}"#, event.seq, event.kind, event.data);
    write_frame(event.seq as u64, &event.kind, &envelope)
}

/// The later of the two ways to say where to go on: a browser that reconnects repeats its first query.
fn position(query: &QueryPairs, headers: &HeaderMap) -> ApiResult<u64> {
    let from_query = query.whole_number("lastSeq")?.unwrap_or(0);
    let from_header = match headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?").trim()) {
        None | Some("") => 0,
        Some(text) => text
            .parse()
            .map_err(|_| ApiError::invalid("Last-Event-ID", "range", "Last-Event-ID is the number of an event."))?,
    };
    Ok(from_query.max(from_header))
}
