//! `POST /launch`: receives the launch form. JavaScript gets the new page model; a plain form is redirected to the page,
//! which shows the saved draft.

use app::AppError;
use app::model::launch::{LaunchPageModel, LaunchResponse};
use app::wire::Wire;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Redirect, Response};
use tower_sessions::Session;

use crate::auth::{Caller, MAX_ANONYMOUS_BYTES};
use crate::error::Error;
use crate::launch::Launcher;
use crate::launch::form::{self, MAX_DRAFT_BYTES, Outcome, Submitted, SubmittedForm, UploadedFile};
use crate::pages;
use crate::state::AppState;
use crate::web::multipart_form::{FormError, MultipartForm};
use crate::web::problem::Problem;

const STASHED_KEY: &str = "launch form";
const NOT_KEPT: &str = "You are signed out, and this form is too large to save. Copy its JSON before you leave \
                        this page, then sign in again.";
const COMES_BACK: &str = "Sign in as that user to restore it, or open a new launch form.";
const COPY_IT: &str = "It is too large to save. Copy its JSON before you leave this page.";
/// The limit for the whole body without a sign-in. Names and boundaries of fields take some of it.
const MAX_ANONYMOUS_BODY_BYTES: usize = 2 * MAX_ANONYMOUS_BYTES;
/// The limit for a form that this server didn't give out: enough for one without files.
const MAX_UNKNOWN_FORM_BYTES: usize = 256 * 1024;
/// The text of a form that a page shows when it could not be saved.
const MAX_TYPED_BYTES: usize = 100_000;

pub async fn send_form(
    State(state): State<AppState>,
    session: Session,
    caller: Option<Extension<Caller>>,
    headers: HeaderMap,
    body: MultipartForm,
) -> Response {
    let scripted = headers.get(ACCEPT).is_some_and(|accept| accept == "application/json");
    let mut typed = Vec::new();
    match receive(&state, &session, caller, body, scripted, &mut typed).await {
        Ok(response) => response,
        Err(error) if scripted => error.into_response(),
        Err(error) => match AppError::from(error) {
            AppError::SignedOut => Redirect::to("/sign-in?return_to=%2Flaunch").into_response(),
            error => Problem::form(&error, "/launch", &typed).into_response(),
        },
    }
}

/// `typed` gets the texts of the form, in case that they cannot be saved.
async fn receive(
    state: &AppState,
    session: &Session,
    caller: Option<Extension<Caller>>,
    body: MultipartForm,
    scripted: bool,
    typed: &mut Vec<String>,
) -> Result<Response, Error> {
    let Some(Extension(caller)) = caller else {
        let body = body.limited_to(MAX_ANONYMOUS_BODY_BYTES);
        let submitted = parse(body, MAX_ANONYMOUS_BYTES).await?.ok_or_else(|| AppError::conflict(NOT_KEPT))?;
        let stashed = stash(state, session, submitted.fields, MAX_ANONYMOUS_BYTES).await;
        return Err(if stashed { AppError::SignedOut } else { AppError::conflict(NOT_KEPT) }.into());
    };
    let form = parse(body, usize::MAX).await?.unwrap_or_default();
    *typed = typed_texts(&form.fields);
    let launcher = Launcher::of(state, &caller).await?;
    let Submitted { draft, outcome, is_saved, draft_status } = form::submit(&launcher, &form).await?;
    let json = |response: &LaunchResponse| Json(Wire::encode(response)).into_response();
    Ok(match outcome {
        Outcome::Form { focus } if scripted => {
            let page = pages::launch::load_draft(&launcher, &draft, draft_status).await?;
            json(&LaunchResponse::Page { page: Box::new(LaunchPageModel { focus, ..page }) })
        }
        Outcome::Form { .. } if !is_saved => {
            let message = format!("{draft_status} Go back in your browser: the form there still has your text.");
            return Err(AppError::conflict(message).into());
        }
        Outcome::Form { focus } => {
            let fragment = focus.map(|id| format!("#{id}")).unwrap_or_default();
            Redirect::to(&format!("/launch{fragment}")).into_response()
        }
        Outcome::Done { href } if scripted => json(&LaunchResponse::Done { href }),
        Outcome::Done { href } => Redirect::to(&href).into_response(),
        Outcome::Foreign { message } => {
            let stashed = stash(state, session, form.fields, MAX_DRAFT_BYTES).await;
            let message = format!("{message} {}", if stashed { COMES_BACK } else { COPY_IT });
            match scripted {
                true => json(&LaunchResponse::Foreign { message }),
                false => Problem::foreign_form(&message).into_response(),
            }
        }
    })
}

/// Stores the form in the browser's session until its owner signs in again. Returns `false` if it could not be stored.
async fn stash(state: &AppState, session: &Session, fields: Vec<(String, String)>, max_bytes: usize) -> bool {
    let is_ours = form::draft_of(&fields).is_some_and(|draft| form::is_ours(&state.vault, draft));
    let limit = if is_ours { max_bytes } else { max_bytes.min(MAX_UNKNOWN_FORM_BYTES) };
    let bytes: usize = fields.iter().map(|(name, text)| name.len() + text.len()).sum();
    if bytes > limit {
        return false;
    }
    let stored = async {
        session.insert(STASHED_KEY, fields).await?;
        // Saved now, so that the response can say if a limit of the session store was reached.
        session.save().await
    };
    let Err(error) = stored.await else { return true };
    tracing::warn!(%error, "a launch form could not be stored until the next sign-in");
    // Otherwise the session would be saved once more at the end of the request.
    let _ = session.remove_value(STASHED_KEY).await;
    false
}

/// Saves a stashed form as a draft after a sign-in, if the user who signed in is its owner.
pub async fn restore_stashed(state: &AppState, session: &Session, caller: &Caller) {
    let Ok(Some(fields)) = session.remove::<Vec<(String, String)>>(STASHED_KEY).await else { return };
    if let Err(error) = form::restore(state, caller, &SubmittedForm { fields, uploads: Vec::new() }).await {
        tracing::warn!(%error, "a stashed launch form could not be restored");
    }
}

/// Reads the form. Returns `None` as soon as it is larger than `max_bytes`.
async fn parse(mut body: MultipartForm, max_bytes: usize) -> Result<Option<SubmittedForm>, AppError> {
    let unreadable = |error: FormError| AppError::invalid("form", error.message);
    let mut form = SubmittedForm::default();
    let mut room = max_bytes;
    loop {
        let mut field = match body.next_field().await {
            Ok(Some(field)) => field,
            Ok(None) => return Ok(Some(form)),
            Err(error) if error.is_too_large => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        let name = field.name().unwrap_or_default().to_owned();
        let mut bytes = Vec::new();
        loop {
            let chunk = match field.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) if error.is_too_large => return Ok(None),
                Err(error) => return Err(unreadable(error)),
            };
            let Some(rest) = room.checked_sub(chunk.len()) else { return Ok(None) };
            room = rest;
            bytes.extend_from_slice(&chunk);
        }
        match field.file_name().map(str::to_owned) {
            None => form.fields.push((name, String::from_utf8_lossy(&bytes).into_owned())),
            Some(file_name) => {
                let mime = field.content_type().unwrap_or("application/octet-stream").to_owned();
                form.uploads.push(UploadedFile { name, file_name, mime, bytes });
            }
        }
    }
}

/// The texts of a form's controls, each with the name of its field.
fn typed_texts(fields: &[(String, String)]) -> Vec<String> {
    let mut room = MAX_TYPED_BYTES;
    let mut texts = Vec::new();
    for (name, text) in fields.iter().filter(|(_, text)| !text.trim().is_empty()) {
        let shown = name.strip_prefix("field:/").or_else(|| (name == "json").then_some("JSON"));
        if let (Some(shown), Some(rest)) = (shown, room.checked_sub(text.len())) {
            room = rest;
            texts.push(format!("{shown}\n{text}"));
        }
    }
    texts
}
