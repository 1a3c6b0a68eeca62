//! Rate limits on the wire: the headers that every metered answer has, and the refusal.

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
use crate::rate_limits::{Bucket, Standing};
use crate::secret;

/// Where the request stands, told by who counts it to who writes the headers.
#[derive(Clone, Default)]
struct Counted(Arc<OnceLock<Standing>>);

/// Counts a request whose credential is known to be good; an error when there were too many before it.
pub fn count(app: &App, parts: &Parts) -> ApiResult<()> {
    let credential = secret::sha256(auth::credential(&parts.headers).unwrap_or(""));
    let bucket = Bucket::of(&parts.method, parts.uri.path());
    let Some(standing) = app.meter.count(&credential, bucket, Instant::now()) else { return Ok(()) };
    if let Some(counted) = parts.extensions.get::<Counted>() {
        let _ = counted.0.set(standing);
    }
    if standing.admitted {
        return Ok(());
    }
    let Standing { bucket, limit, .. } = standing;
    // `code` too: the error table of the documents has it as `error`, the text about limits as `code`.
    let code = "rate_limit_exceeded";
    let message = format!("More than {limit} requests of the bucket “{}” in a minute.", bucket.name());
    Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, code, message).with("code", code.into()))
}

/// Adds the headers to the answer of a request that was counted on its way.
pub async fn report(mut request: Request, next: Next) -> Response {
    let counted = Counted::default();
    request.extensions_mut().insert(counted.clone());
    let mut response = next.run(request).await;
    if let Some(standing) = counted.0.get() {
        write(standing, response.headers_mut());
    }
    response
}

fn write(standing: &Standing, headers: &mut HeaderMap) {
    let reset_seconds = standing.reset_after.as_secs_f64().ceil() as i64;
    let mut number = |name: HeaderName, value: i64| headers.insert(name, value.into());
    number(HeaderName::from_static("x-ratelimit-limit"), standing.limit.into());
    number(HeaderName::from_static("x-ratelimit-remaining"), standing.remaining.into());
    number(HeaderName::from_static("x-ratelimit-reset"), Utc::now().timestamp() + reset_seconds);
    if !standing.admitted {
        number(RETRY_AFTER, reset_seconds.max(1));
    }
    headers.insert("x-ratelimit-bucket", HeaderValue::from_static(standing.bucket.name()));
}
