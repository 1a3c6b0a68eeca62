//! `POST /launch`: receives the launch form. JavaScript gets the new page model; a plain form is redirected to the page,
//! which shows the saved draft.

use app::AppError;
use app::model::launch::{LaunchPageModel, LaunchResponse};
use app::wire::Wire;
use axum::Json;
use axum::extract::{Extension, Multipart, State};
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Redirect, Response};
use tower_sessions::Session;

use crate::auth::Caller;
use crate::error::Error;
use crate::launch::Launcher;
use crate::launch::form::{self, MAX_DRAFT_BYTES, Submitted, SubmittedForm, UploadedFile};
use crate::pages;
use crate::state::AppState;
use crate::web::problem::Problem;

const STASHED_KEY: &str = "launch form";
const NOT_KEPT: &str = "You are signed out, and what you have written is too large to be kept. Copy its JSON before you leave \
                        this page, then sign in again.";
const COMES_BACK: &str = "Sign in as them again, and it comes back; or open the launch page anew for one of your own.";
const COPY_IT: &str = "It is too large to be kept for them: copy its JSON before you leave this page.";
/// The limit for a form that this server didn't give out: enough for one without files, too little to fill the store.
const MAX_UNKNOWN_FORM_BYTES: usize = 256 * 1024;

pub async fn send_form(
    State(state): State<AppState>,
    session: Session,
    caller: Option<Extension<Caller>>,
    headers: HeaderMap,
    body: Multipart,
) -> Result<Response, Error> {
    let scripted = headers.get(ACCEPT).is_some_and(|accept| accept == "application/json");
    let submitted = parse(body).await?;
    let Some(Extension(caller)) = caller else {
        if !stash(&state, &session, submitted.fields).await {
            return Err(AppError::Conflict { message: NOT_KEPT.to_owned() }.into());
        }
        return if scripted { Err(AppError::SignedOut.into()) } else { Ok(to_sign_in()) };
    };
    let fields = submitted.fields.clone();
    match respond(&state, &caller, &submitted).await.map_err(AppError::from) {
        Ok(LaunchResponse::Foreign { message }) => {
            let stashed = stash(&state, &session, fields).await;
            let message = format!("{message} {}", if stashed { COMES_BACK } else { COPY_IT });
            match scripted {
                true => Ok(Json(Wire(LaunchResponse::Foreign { message })).into_response()),
                false => Ok(Problem::foreign_form(&message).into_response()),
            }
        }
        Ok(response) if scripted => Ok(Json(Wire(response)).into_response()),
        Ok(LaunchResponse::Done { href }) => Ok(Redirect::to(&href).into_response()),
        Ok(LaunchResponse::Page { page }) => {
            let fragment = page.focus.map(|id| format!("#{id}")).unwrap_or_default();
            Ok(Redirect::to(&format!("/launch{fragment}")).into_response())
        }
        Err(AppError::SignedOut) if !scripted => Ok(to_sign_in()),
        Err(error) => Err(error.into()),
    }
}

async fn respond(state: &AppState, caller: &Caller, form: &SubmittedForm) -> Result<LaunchResponse, Error> {
    let launcher = Launcher::of(state, caller).await?;
    Ok(match form::submit(state, &launcher, form).await? {
        Submitted::Form { draft, focus, draft_status } => {
            let page = pages::launch::load_draft(state, &launcher, &draft).await?;
            LaunchResponse::Page { page: Box::new(LaunchPageModel { focus, draft_status, ..page }) }
        }
        Submitted::Done { href } => LaunchResponse::Done { href },
        Submitted::Foreign { message } => LaunchResponse::Foreign { message },
    })
}

/// Stores the form in the browser's session until its owner signs in again. Returns `false` if it could not be stored.
async fn stash(state: &AppState, session: &Session, fields: Vec<(String, String)>) -> bool {
    let is_ours = form::draft_of(&fields).is_some_and(|draft| form::is_ours(&state.vault, draft));
    let limit = if is_ours { MAX_DRAFT_BYTES } else { MAX_UNKNOWN_FORM_BYTES };
    let bytes: usize = fields.iter().map(|(name, text)| name.len() + text.len()).sum();
    if bytes > limit {
        return false;
    }
    let stored = session.insert(STASHED_KEY, fields).await;
    if let Err(error) = &stored {
        tracing::warn!(%error, "a launch form could not be stored until the next sign-in");
    }
    stored.is_ok()
}

/// Saves a stashed form as a draft after a sign-in, if the user who signed in is its owner.
pub async fn restore_stashed(state: &AppState, session: &Session, caller: &Caller) {
    let Ok(Some(fields)) = session.remove::<Vec<(String, String)>>(STASHED_KEY).await else { return };
    if let Err(error) = form::restore(state, caller, &SubmittedForm { fields, uploads: Vec::new() }).await {
        tracing::warn!(%error, "a stashed launch form could not be restored");
    }
}

async fn parse(mut body: Multipart) -> Result<SubmittedForm, Error> {
    let unreadable = |error: axum::extract::multipart::MultipartError| {
        Error::from(AppError::Invalid { field: "form".to_owned(), message: error.body_text() })
    };
    let mut form = SubmittedForm::default();
    while let Some(field) = body.next_field().await.map_err(unreadable)? {
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name().map(str::to_owned) {
            None => form.fields.push((name, field.text().await.map_err(unreadable)?)),
            Some(file_name) => {
                let mime = field.content_type().unwrap_or("application/octet-stream").to_owned();
                let bytes = field.bytes().await.map_err(unreadable)?.to_vec();
                form.uploads.push(UploadedFile { name, file_name, mime, bytes });
            }
        }
    }
    Ok(form)
}

fn to_sign_in() -> Response {
    Redirect::to("/sign-in?return_to=%2Flaunch").into_response()
}
