//! `GET …/stream`: the stored log from a position, then new events, as server-sent events.

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

/// Returns the next chunk of the body: new events, or a comment as heartbeat.
async fn next_chunk((app, mut follower): (Arc<App>, Follower)) -> sqlx::Result<Option<(Bytes, (Arc<App>, Follower))>> {
    let events = loop {
        tokio::select! {
            events = follower.next() => break events?,
            // On shutdown, the last events of the runs are already stored, and still sent.
            () = app.closing.cancelled(), if follower.is_live() => follower.stop_waiting(),
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

/// Approximate size of a frame without its data.
const ENVELOPE_BYTES: usize = 96;

/// Appends an event as a frame. Writes in place, because this is most of the work of a stream.
fn write_event(event: &StoredEvent, out: &mut String) {
    let StoredEvent { seq, kind, data, at_ms } = event;
    // Event types are constants of this crate, so they need no escaping.
    match at_ms {
        None => write_frame(out, *seq as u64, kind, format_args!(r#"{{"seq":{seq},"type":"{kind}","data":{data}}}"#)),
        Some(at_ms) => {
            let envelope = format_args!(r#"{{"seq":{seq},"type":"{kind}","data":{data},"at":{at_ms}}}"#);
            write_frame(out, *seq as u64, kind, envelope);
        }
    }
}

/// Returns the later of the query's and the header's position, because a browser that reconnects repeats its first query.
fn position(query: &QueryPairs, headers: &HeaderMap) -> ApiResult<u64> {
    let from_query = query.whole_number("lastSeq")?.unwrap_or(0);
    let from_header = match headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?").trim()) {
        None | Some("") => 0,
        Some(text) => text
            .parse::<u64>()
            .map_err(|_| ApiError::invalid("Last-Event-ID", "range", "Last-Event-ID is the number of an event."))?
            // Larger than any log.
            .min(i64::MAX as u64),
    };
    Ok(from_query.max(from_header))
}
