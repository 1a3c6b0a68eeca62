//! Middleware that redacts the responses of the JSON API: of each endpoint, also of one that is added later.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::scope;

/// Marks a response that is left as it is: one that is redacted already, because it is too large to hold in memory, or one
/// without contents of runs.
#[derive(Clone, Copy, Debug)]
pub struct Masked;

pub async fn api_responses(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let patterns = match scope::in_scope() {
        Some(patterns) if !patterns.is_empty() => patterns,
        _ => return response,
    };
    if response.extensions().get::<Masked>().is_some() || !is_json(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let redacted = async {
        let mut body: Value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.ok()?).ok()?;
        patterns.redact_document(&mut body);
        serde_json::to_vec(&body).ok()
    };
    match redacted.await {
        Some(body) => {
            parts.headers.remove(CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(body))
        }
        None => {
            tracing::error!("a response of the API could not be redacted");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.contains("json"))
}
