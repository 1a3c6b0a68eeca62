//! Rate limits over HTTP: the headers of limited responses, and the 429 error.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use chrono::Utc;
use http::header::RETRY_AFTER;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::auth;
use super::errors::{ApiError, ApiResult};
use crate::app::App;
use crate::rate_limits::{Bucket, LimitStatus};
use crate::secret;

/// Passes the status from the authentication, which counts the request, to the middleware, which writes the headers.
#[derive(Clone, Default)]
struct Counted(Arc<OnceLock<LimitStatus>>);

/// Counts a request with a valid credential. Fails if there were too many.
pub fn count(app: &App, parts: &Parts) -> ApiResult<()> {
    let credential = secret::sha256(auth::credential(&parts.headers).unwrap_or(""));
    let bucket = Bucket::of(&parts.method, parts.uri.path());
    let Some(status) = app.rate_limiter.count(&credential, bucket, Instant::now()) else { return Ok(()) };
    if let Some(counted) = parts.extensions.get::<Counted>() {
        let _ = counted.0.set(status);
    }
    if status.admitted {
        return Ok(());
    }
    let LimitStatus { bucket, limit, .. } = status;
    // Also as `code`: the documents have it as `error` in the table of errors, as `code` in the text about limits.
    let code = "rate_limit_exceeded";
    let message = format!("More than {limit} requests of the bucket “{}” in a minute.", bucket.name());
    Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, code, message).with("code", code.into()))
}

/// Adds the headers to the response of a request that was counted.
pub async fn report(mut request: Request, next: Next) -> Response {
    let counted = Counted::default();
    request.extensions_mut().insert(counted.clone());
    let mut response = next.run(request).await;
    if let Some(status) = counted.0.get() {
        write(status, response.headers_mut());
    }
    response
}

fn write(status: &LimitStatus, headers: &mut HeaderMap) {
    let reset_seconds = status.reset_after.as_secs_f64().ceil() as i64;
    let mut number = |name: HeaderName, value: i64| headers.insert(name, value.into());
    number(HeaderName::from_static("x-ratelimit-limit"), status.limit.into());
    number(HeaderName::from_static("x-ratelimit-remaining"), status.remaining.into());
    number(HeaderName::from_static("x-ratelimit-reset"), Utc::now().timestamp() + reset_seconds);
    if !status.admitted {
        number(RETRY_AFTER, reset_seconds.max(1));
    }
    headers.insert("x-ratelimit-bucket", HeaderValue::from_static(status.bucket.name()));
}
