//! `GET …/stream`: the persisted log from a position on, then the live tail, as server-sent events.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use futures::stream;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use protocol::sse::write_frame;

use super::auth::Caller;
use super::body::QueryPairs;
use super::errors::{ApiError, ApiResult};
use super::runs;
use crate::app::App;
use crate::follow::Follower;
use crate::store::StoredEvent;

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
    let follower = Follower::new(&app, id, after);
    let body = Body::from_stream(stream::try_unfold((app, follower), next_chunk));
    Ok(([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")], body).into_response())
}

/// One chunk of the body: what is new in the log, or a comment that keeps the connection.
async fn next_chunk((app, mut follower): (Arc<App>, Follower)) -> sqlx::Result<Option<(Bytes, (Arc<App>, Follower))>> {
    let events = loop {
        tokio::select! {
            events = follower.next() => break events?,
            // The server goes down: the last words of the runs are written by then, and still go out.
            () = app.closing.cancelled(), if follower.waits() => follower.stop_waiting(),
            () = tokio::time::sleep(app.heartbeat) => {
                return Ok(Some((Bytes::from_static(b": still here\n\n"), (app, follower))));
            }
        }
    };
    let chunk = events.map(|events| {
        let bytes = events.iter().map(|event| event.data.len() + ENVELOPE_BYTES).sum();
        let mut frames = String::with_capacity(bytes);
        events.iter().for_each(|event| write_event(event, &mut frames));
        Bytes::from(frames)
    });
    Ok(chunk.map(|chunk| (chunk, (app, follower))))
}

/// What a frame has around its data, about.
const ENVELOPE_BYTES: usize = 96;

/// Writes an event in place: under load, most of what a stream does is this.
fn write_event(event: &StoredEvent, out: &mut String) {
    let StoredEvent { seq, kind, data } = event;
    // The kinds are this crate's own words: they need no escaping.
    write_frame(out, *seq as u64, kind, format_args!(r#"{{"seq":{seq},"type":"{kind}","data":{data}}}"#));
}

/// The later of the two ways to say where to go on: a browser that reconnects repeats its first query.
fn position(query: &QueryPairs, headers: &HeaderMap) -> ApiResult<u64> {
    let from_query = query.whole_number("lastSeq")?.unwrap_or(0);
    let from_header = match headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?").trim()) {
        None | Some("") => 0,
        Some(text) => text
            .parse::<u64>()
            .map_err(|_| ApiError::invalid("Last-Event-ID", "range", "Last-Event-ID is the number of an event."))?
            // No log is longer: whoever is beyond that has seen all of it.
            .min(i64::MAX as u64),
    };
    Ok(from_query.max(from_header))
}
