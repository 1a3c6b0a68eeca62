//! Notices about plain forms, shown once on the next page. If the server function of a form fails, the browser without
//! JavaScript would show the raw response, so it is redirected to the page of the form, which shows the error.

use std::sync::Arc;

use app::AppError;
use app::model::FormNotice;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, LOCATION, REFERER};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;
use serde::Serialize;
use tower_sessions::Session;

use super::local_path::local_path;
use super::problem::Problem;
use crate::auth::{Caller, SealedSessionStore};

const KEY: &str = "form notice";
/// Form fields with text that the user typed.
const TEXT_FIELDS: [&str; 4] = ["name", "text", "explanation", "system_prompt"];
/// The text of one form. What exceeds it is not stored.
const MAX_TEXT_BYTES: usize = 100_000;
/// The size of one form.
const MAX_FORM_BYTES: usize = 4 * 1024 * 1024;
/// Error responses are short.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// The notice about the last form, stored in the browser's session. It has a handle of its own on that session: if a change to
/// the request's handle cannot be saved, for example on a full disk, the whole response is lost.
#[derive(Clone)]
pub struct NoticeStore(Session);

impl NoticeStore {
    fn of(session: &Session, store: Arc<SealedSessionStore>) -> Self {
        Self(Session::new(session.id(), store, session.expiry()))
    }

    async fn store(&self, notice: FormNotice) -> Result<(), tower_sessions::session::Error> {
        self.0.insert(KEY, notice).await?;
        self.0.save().await
    }

    /// Shows a message about a success once, on the next page. If it cannot be stored, the page shows none.
    pub async fn announce(&self, message: &str) {
        if self.0.id().is_none() {
            return;
        }
        let notice = FormNotice { message: message.to_owned(), is_success: true, ..FormNotice::default() };
        if let Err(error) = self.store(notice).await {
            tracing::warn!(%error, "cannot store a notice in the session");
        }
    }

    /// Returns to a page, which shows the message and the draft once: its form with what was typed.
    pub async fn return_draft(&self, message: &str, draft: &impl Serialize, page: &str) -> Response {
        let draft = serde_json::to_string(draft).unwrap_or_default();
        let notice = FormNotice { message: message.to_owned(), draft: Some(draft.clone()), ..FormNotice::default() };
        match self.store(notice).await {
            Ok(()) => Redirect::to(page).into_response(),
            Err(_) => Problem::rejected_form(StatusCode::BAD_REQUEST, message, page, vec![draft]).into_response(),
        }
    }

    /// Returns to a page, which shows the error and the typed text once.
    pub async fn reject(&self, error: &AppError, page: &str, typed: Vec<String>) -> Response {
        let typed = shortened(typed);
        let notice = FormNotice { message: error.to_string(), input: typed.clone(), ..FormNotice::default() };
        match self.store(notice).await {
            Ok(()) => Redirect::to(page).into_response(),
            Err(_) => Problem::form(error, page, &typed).into_response(),
        }
    }

    /// If it cannot be removed, it is shown again.
    async fn remove(&self) {
        let removed = async {
            self.0.remove_value(KEY).await?;
            self.0.save().await
        };
        if let Err(error) = removed.await {
            tracing::warn!(%error, "cannot remove a notice from the session");
        }
    }
}

pub async fn return_to_form(
    State(store): State<Arc<SealedSessionStore>>,
    session: Session,
    mut request: Request,
    next: Next,
) -> Response {
    let notices = NoticeStore::of(&session, store);
    request.extensions_mut().insert(notices.clone());
    let is_page_load = accepts_html(request.headers());
    let is_function = request.uri().path().starts_with("/rpc/");
    if is_page_load && is_function && request.method() == Method::POST {
        return submit(&notices, request, next).await;
    }
    if is_page_load
        && !is_function
        && request.method() == Method::GET
        && let Ok(Some(notice)) = session.get::<FormNotice>(KEY).await
    {
        notices.remove().await;
        request.extensions_mut().insert(notice);
    }
    next.run(request).await
}

async fn submit(notices: &NoticeStore, request: Request, next: Next) -> Response {
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
    let typed = typed_text(&form);
    match notices.store(FormNotice { message: message.clone(), input: typed.clone(), ..FormNotice::default() }).await {
        Ok(()) => Redirect::to(&from).into_response(),
        Err(_) => Problem::rejected_form(parts.status, &message, &from, typed).into_response(),
    }
}

/// Returns to the page of a plain form, which shows the message.
pub async fn reject(notices: &NoticeStore, headers: &HeaderMap, message: &str) -> Response {
    let from = form_page(headers);
    match notices.store(FormNotice { message: message.to_owned(), ..FormNotice::default() }).await {
        Ok(()) => Redirect::to(&from).into_response(),
        Err(_) => Problem::rejected_form(StatusCode::BAD_REQUEST, message, &from, Vec::new()).into_response(),
    }
}

/// When a form cannot be parsed, Leptos redirects with its own error in the URL.
fn is_leptos_error(headers: &HeaderMap) -> bool {
    headers.get(LOCATION).and_then(|to| to.to_str().ok()).is_some_and(|to| to.contains("__err="))
}

pub fn accepts_html(headers: &HeaderMap) -> bool {
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
    shortened(typed.map(|(_, text)| text.into_owned()).collect())
}

/// Returns the texts that fit the limit.
fn shortened(texts: Vec<String>) -> Vec<String> {
    let mut room = MAX_TEXT_BYTES;
    let fits = |text: &String| match room.checked_sub(text.len()) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    texts.into_iter().filter(fits).collect()
}
