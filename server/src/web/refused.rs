//! Plain forms whose server function refuses: their browser would be left with the answer that is meant for scripts. It is
//! led back to the page that it came from, which says why, once.

use app::AppError;
use app::model::RejectedForm;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, LOCATION, REFERER};
use axum::http::{HeaderMap, Method, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;
use tower_sessions::Session;

use super::local_path::local_path;

const KEY: &str = "refused form";
/// Fields that people write in, of those that forms have.
const WRITTEN: [&str; 3] = ["name", "text", "explanation"];
/// The most that is kept of a field.
const MAX_WRITTEN_BYTES: usize = 100_000;
/// Answers that refuse are short.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

pub async fn lead_back(session: Session, mut request: Request, next: Next) -> Response {
    let for_people = accepts_html(request.headers());
    let is_function = request.uri().path().starts_with("/rpc/");
    if for_people && is_function && request.method() == Method::POST {
        return send(&session, request, next).await;
    }
    if for_people
        && !is_function
        && request.method() == Method::GET
        && let Ok(Some(refused)) = session.get::<RejectedForm>(KEY).await
    {
        // It is told either way: one that cannot be forgotten would be told again.
        if let Err(error) = session.remove_value(KEY).await {
            tracing::warn!(%error, "a form that was refused is told once more");
        }
        request.extensions_mut().insert(refused);
    }
    next.run(request).await
}

async fn send(session: &Session, request: Request, next: Next) -> Response {
    let from = came_from(request.headers());
    let (parts, body) = request.into_parts();
    // As large as the limit of the router lets it be.
    let Ok(form) = to_bytes(body, usize::MAX).await else {
        return axum::http::StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let answer = next.run(Request::from_parts(parts, Body::from(form.clone()))).await;
    let (parts, body) = answer.into_parts();
    // Where a form cannot even be read, Leptos leads back with its own words in the address.
    let led_back = parts.headers.get(LOCATION).and_then(|to| to.to_str().ok()).is_some_and(|to| to.contains("__err="));
    if !led_back && !parts.status.is_client_error() && !parts.status.is_server_error() {
        return Response::from_parts(parts, body);
    }
    let body = to_bytes(body, MAX_ANSWER_BYTES).await.unwrap_or_default();
    let message = match serde_json::from_slice::<AppError>(&body) {
        Ok(AppError::SignedOut) => {
            let back = encode(&from);
            return Redirect::to(&format!("/sign-in?return_to={back}")).into_response();
        }
        Ok(error) => error.to_string(),
        Err(_) => "This could not be done. Try again.".to_owned(),
    };
    match session.insert(KEY, RejectedForm { message, input: input(&form) }).await {
        Ok(()) => Redirect::to(&from).into_response(),
        Err(_) => Response::from_parts(parts, Body::from(body)),
    }
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|accept| accept.contains("text/html"))
}

/// The page that the form stands on. Requests from elsewhere do not come this far.
fn came_from(headers: &HeaderMap) -> String {
    let referer = headers.get(REFERER).and_then(|referer| referer.to_str().ok());
    let uri = referer.and_then(|referer| referer.parse::<Uri>().ok());
    local_path(uri.as_ref().and_then(Uri::path_and_query).map(|path| path.as_str()))
}

fn input(form: &Bytes) -> Vec<String> {
    let fields = url::form_urlencoded::parse(form);
    let input = fields.filter(|(name, text)| WRITTEN.contains(&name.as_ref()) && !text.trim().is_empty());
    input.filter(|(_, text)| text.len() <= MAX_WRITTEN_BYTES).map(|(_, text)| text.into_owned()).collect()
}
