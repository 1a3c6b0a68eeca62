//! Handles plain form posts whose server function fails. Without JavaScript the browser would show the raw response, so it is
//! redirected to the page of the form, which shows the error once.

use app::AppError;
use app::model::RejectedForm;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, LOCATION, REFERER};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;
use tower_sessions::Session;

use super::local_path::local_path;
use super::problem::Problem;
use crate::auth::Caller;

const KEY: &str = "refused form";
/// Form fields with text that the user typed.
const TEXT_FIELDS: [&str; 4] = ["name", "text", "explanation", "system_prompt"];
/// The text of one form. What exceeds it is not stored.
const MAX_TEXT_BYTES: usize = 100_000;
/// The size of one form.
const MAX_FORM_BYTES: usize = 4 * 1024 * 1024;
/// Error responses are short.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

pub async fn return_to_form(session: Session, mut request: Request, next: Next) -> Response {
    let is_page_load = accepts_html(request.headers());
    let is_function = request.uri().path().starts_with("/rpc/");
    if is_page_load && is_function && request.method() == Method::POST {
        return submit(&session, request, next).await;
    }
    if is_page_load
        && !is_function
        && request.method() == Method::GET
        && let Ok(Some(rejected)) = session.get::<RejectedForm>(KEY).await
    {
        // The error is shown even if it cannot be removed; then it is shown again.
        if let Err(error) = session.remove_value(KEY).await {
            tracing::warn!(%error, "cannot remove a form error from the session");
        }
        request.extensions_mut().insert(rejected);
    }
    next.run(request).await
}

async fn submit(session: &Session, request: Request, next: Next) -> Response {
    let from = form_page(request.headers());
    let to_sign_in = || Redirect::to(&format!("/sign-in?return_to={}", encode(&from))).into_response();
    // Nothing is stored for clients that are not signed in.
    if request.extensions().get::<Caller>().is_none() {
        let response = next.run(request).await;
        let is_rejected = response.status() == StatusCode::UNAUTHORIZED || is_leptos_error(response.headers());
        return if is_rejected { to_sign_in() } else { response };
    }
    let (parts, body) = request.into_parts();
    let Ok(form) = to_bytes(body, MAX_FORM_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let response = next.run(Request::from_parts(parts, Body::from(form.clone()))).await;
    let (parts, body) = response.into_parts();
    if !is_leptos_error(&parts.headers) && !parts.status.is_client_error() && !parts.status.is_server_error() {
        return Response::from_parts(parts, body);
    }
    let body = to_bytes(body, MAX_RESPONSE_BYTES).await.unwrap_or_default();
    let message = match serde_json::from_slice::<AppError>(&body) {
        Ok(AppError::SignedOut) => return to_sign_in(),
        Ok(error) => error.to_string(),
        Err(_) => "This could not be done. Try again.".to_owned(),
    };
    let stored = async {
        session.insert(KEY, RejectedForm { message: message.clone(), input: typed_text(&form) }).await?;
        // Saved now: on a full disk the page says so instead of this middleware's response getting lost.
        session.save().await
    };
    match stored.await {
        Ok(()) => Redirect::to(&from).into_response(),
        Err(_) => {
            // Otherwise the session would be saved once more at the end of the request.
            let _ = session.remove_value(KEY).await;
            Problem::rejected_form(parts.status, &message, &from).into_response()
        }
    }
}

/// Returns to the page of a plain form, which shows the message.
pub async fn reject(session: &Session, headers: &HeaderMap, message: String) -> Response {
    match session.insert(KEY, RejectedForm { message: message.clone(), input: Vec::new() }).await {
        Ok(()) => Redirect::to(&form_page(headers)).into_response(),
        Err(_) => (StatusCode::BAD_REQUEST, message).into_response(),
    }
}

/// When a form cannot be parsed, Leptos redirects with its own error in the URL.
fn is_leptos_error(headers: &HeaderMap) -> bool {
    headers.get(LOCATION).and_then(|to| to.to_str().ok()).is_some_and(|to| to.contains("__err="))
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|accept| accept.contains("text/html"))
}

/// Returns the page of the form. Requests from other sites were rejected before.
pub fn form_page(headers: &HeaderMap) -> String {
    let referer = headers.get(REFERER).and_then(|referer| referer.to_str().ok());
    let uri = referer.and_then(|referer| referer.parse::<Uri>().ok());
    local_path(uri.as_ref().and_then(Uri::path_and_query).map(|path| path.as_str()))
}

fn typed_text(form: &Bytes) -> Vec<String> {
    let fields = url::form_urlencoded::parse(form);
    let typed = fields.filter(|(name, text)| TEXT_FIELDS.contains(&name.as_ref()) && !text.trim().is_empty());
    let mut kept: Vec<String> = Vec::new();
    let mut room = MAX_TEXT_BYTES;
    for (_, text) in typed {
        if let Some(rest) = room.checked_sub(text.len()) {
            room = rest;
            kept.push(text.into_owned());
        }
    }
    kept
}
