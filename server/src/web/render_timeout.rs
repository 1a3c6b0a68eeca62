//! Answers when a page is not rendered in time. A request that changes something is never stopped: half of it may be done.

use std::time::Duration;

use app::AppError;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::form_notice::accepts_html;
use super::problem::Problem;
use crate::error::Error;

pub async fn limit_render_time(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let is_html = accepts_html(request.headers());
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) if is_html => Problem::too_slow(&path).into_response(),
        Err(_) => Error::from(AppError::Busy).into_response(),
    }
}
