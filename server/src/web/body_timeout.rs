//! Stops waiting for the rest of a request's body that does not come.

use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures::StreamExt;
use futures::stream::{self, Stream};

pub async fn limit_body_time(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    next.run(request.map(|body| Body::from_stream(limited(body.into_data_stream(), limit)))).await
}

/// Returns the parts of a body. Fails when the next one does not come in time.
fn limited(body: BodyDataStream, limit: Duration) -> impl Stream<Item = Result<Bytes, BoxError>> {
    stream::unfold(Some(body), move |body| async move {
        let mut body = body?;
        match tokio::time::timeout(limit, body.next()).await {
            Ok(Some(Ok(part))) => Some((Ok(part), Some(body))),
            Ok(Some(Err(error))) => Some((Err(error.into()), None)),
            Ok(None) => None,
            Err(_) => Some((Err("the rest of the request did not come in time".into()), None)),
        }
    })
}
