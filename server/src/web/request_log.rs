//! Logs one line for each request, with an id that the response has too. Queries, cookies and bodies are never logged: they
//! contain codes and secrets.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::metrics::Metrics;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub async fn log_request(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let id = crate::random::reference();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", %id, %method, %path);
    let started = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    let took = started.elapsed();
    metrics.record(&route, status, took);
    let duration_ms = took.as_millis() as u64;
    span.in_scope(|| match status {
        500.. => tracing::warn!(status, duration_ms, "request finished"),
        _ if path.starts_with("/pkg/") || matches!(path.as_str(), "/healthz" | "/readyz") => {
            tracing::debug!(status, duration_ms, "request finished");
        }
        _ => tracing::info!(status, duration_ms, "request finished"),
    });
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}
