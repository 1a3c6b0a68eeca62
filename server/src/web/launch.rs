//! `POST /launch`: the launch page's form. Scripts get the page that comes of it; a plain form is led to it, by way of the
//! draft.

use app::AppError;
use app::launch::sheet::LaunchAnswer;
use app::wire::Wire;
use axum::Json;
use axum::extract::{Extension, Multipart, State};
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Redirect, Response};
use tower_sessions::Session;

use crate::auth::Caller;
use crate::error::Error;
use crate::launch::{self, Launcher, MAX_DRAFT_BYTES, Posted, Upload, is_known, restore};
use crate::state::AppState;
use crate::web::problem::Problem;

const STASHED_KEY: &str = "launch form";
const NOT_KEPT: &str = "You are signed out, and what you have written is too large to be kept. Copy its JSON before you leave \
                        this page, then sign in again.";
const COMES_BACK: &str = "Sign in as them again, and it comes back; or open the launch page anew for one of your own.";
const COPY_IT: &str = "It is too large to be kept for them: copy its JSON before you leave this page.";
/// Kept of a form that this server did not give to anybody: enough for one without files, too little to fill the store.
const MAX_STRANGERS_BYTES: usize = 256 * 1024;

pub async fn send_form(
    State(state): State<AppState>,
    session: Session,
    caller: Option<Extension<Caller>>,
    headers: HeaderMap,
    form: Multipart,
) -> Result<Response, Error> {
    let scripted = headers.get(ACCEPT).is_some_and(|accept| accept == "application/json");
    let posted = read(form).await?;
    let Some(Extension(caller)) = caller else {
        if !stash(&state, &session, posted.fields).await {
            return Err(AppError::Conflict { message: NOT_KEPT.to_owned() }.into());
        }
        return if scripted { Err(AppError::SignedOut.into()) } else { Ok(to_sign_in()) };
    };
    let fields = posted.fields.clone();
    let sent = match Launcher::of(&state, &caller).await {
        Ok(launcher) => launch::send(&state, &launcher, &posted).await,
        Err(error) => Err(error),
    };
    match sent.map_err(AppError::from) {
        Ok(LaunchAnswer::Foreign { message }) => {
            let kept = stash(&state, &session, fields).await;
            let message = format!("{message} {}", if kept { COMES_BACK } else { COPY_IT });
            match scripted {
                true => Ok(Json(Wire(LaunchAnswer::Foreign { message })).into_response()),
                false => Ok(Problem::foreign_form(&message).into_response()),
            }
        }
        Ok(answer) if scripted => Ok(Json(Wire(answer)).into_response()),
        Ok(LaunchAnswer::Done { href }) => Ok(Redirect::to(&href).into_response()),
        Ok(LaunchAnswer::Page { page }) => {
            let place = page.focus.map(|id| format!("#{id}")).unwrap_or_default();
            Ok(Redirect::to(&format!("/launch{place}")).into_response())
        }
        Err(AppError::SignedOut) if !scripted => Ok(to_sign_in()),
        Err(error) => Err(error.into()),
    }
}

/// Keeps what was written in the browser's session, for whoever signs in there next and has written it. `false` where it
/// could not be kept.
async fn stash(state: &AppState, session: &Session, fields: Vec<(String, String)>) -> bool {
    let work = fields.iter().find(|(name, _)| name == "work").map(|(_, text)| text.as_str());
    let known = work.is_some_and(|work| is_known(&state.vault, work));
    let most = if known { MAX_DRAFT_BYTES } else { MAX_STRANGERS_BYTES };
    let bytes: usize = fields.iter().map(|(name, text)| name.len() + text.len()).sum();
    if bytes > most {
        return false;
    }
    let kept = session.insert(STASHED_KEY, fields).await;
    if let Err(error) = &kept {
        tracing::warn!(%error, "a form could not be kept for the next sign-in");
    }
    kept.is_ok()
}

/// After a sign-in: what was sent without one becomes the draft of the person who wrote it.
pub async fn unstash(state: &AppState, session: &Session, caller: &Caller) {
    let Ok(Some(fields)) = session.remove::<Vec<(String, String)>>(STASHED_KEY).await else { return };
    if let Err(error) = restore(state, caller, &Posted { fields, uploads: Vec::new() }).await {
        tracing::warn!(%error, "a form that was kept for the sign-in could not be taken up");
    }
}

async fn read(mut form: Multipart) -> Result<Posted, Error> {
    let unreadable = |error: axum::extract::multipart::MultipartError| {
        Error::from(AppError::Invalid { field: "form".to_owned(), message: error.body_text() })
    };
    let mut posted = Posted::default();
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name().map(str::to_owned) {
            None => posted.fields.push((name, field.text().await.map_err(unreadable)?)),
            Some(file_name) => {
                let mime = field.content_type().unwrap_or("application/octet-stream").to_owned();
                let bytes = field.bytes().await.map_err(unreadable)?.to_vec();
                posted.uploads.push(Upload { name, file_name, mime, bytes });
            }
        }
    }
    Ok(posted)
}

fn to_sign_in() -> Response {
    Redirect::to("/sign-in?return_to=%2Flaunch").into_response()
}
