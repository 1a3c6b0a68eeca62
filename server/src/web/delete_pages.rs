//! `/runs/{id}/delete` and `/sessions/{id}/delete`: the page that asks for confirmation, and the form that it sends. Plain
//! HTML, so that both work without JavaScript.

use app::AppError;
use app::plain_text::visible;
use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode_segment;

use super::plain_page::plain_page;
use super::problem::Problem;
use super::rejected_form::FormError;
use crate::api::ApiCaller;
use crate::auth::Caller;
use crate::erase;
use crate::error::Error;
use crate::html::escape;
use crate::state::AppState;
use crate::store::EraseTarget;

const CONSEQUENCES: &str = "The log, its search index, answers, feedback and drafts made from it are deleted here for \
    good and are not synced again. MANTYX keeps its own copy. This can't be undone.";

pub async fn ask_about_run(State(state): State<AppState>, caller: ApiCaller, Path(id): Path<String>) -> Response {
    respond(run_question(&state, &caller.0, &id).await, "/runs")
}

pub async fn delete_run(
    State(state): State<AppState>,
    Extension(notice): Extension<FormError>,
    caller: ApiCaller,
    Path(id): Path<String>,
) -> Response {
    let back = format!("/runs/{}", encode_segment(&id));
    let erased = erase::erase(&state, &caller.0, &EraseTarget::Run(id)).await;
    if erased.is_ok() {
        notice.announce("Run deleted.").await;
    }
    respond(erased.map(|_| Redirect::to("/runs").into_response()), &back)
}

pub async fn ask_about_session(State(state): State<AppState>, caller: ApiCaller, Path(id): Path<String>) -> Response {
    respond(session_question(&state, &caller.0, &id).await, "/sessions")
}

pub async fn delete_session(
    State(state): State<AppState>,
    Extension(notice): Extension<FormError>,
    caller: ApiCaller,
    Path(id): Path<String>,
) -> Response {
    let back = format!("/sessions/{}", encode_segment(&id));
    let erased = erase::erase(&state, &caller.0, &EraseTarget::Session(id)).await;
    if erased.is_ok() {
        notice.announce("Session deleted.").await;
    }
    respond(erased.map(|_| Redirect::to("/sessions").into_response()), &back)
}

async fn run_question(state: &AppState, caller: &Caller, id: &str) -> Result<Response, Error> {
    let run = state.store.run(caller.workspace_id, id).await?.ok_or_else(|| AppError::not_found("run"))?;
    Ok(question("Delete run", &run.title(), CONSEQUENCES, &format!("/runs/{}", encode_segment(id))))
}

async fn session_question(state: &AppState, caller: &Caller, id: &str) -> Result<Response, Error> {
    let session = state.store.session(caller.workspace_id, id).await?.ok_or_else(|| AppError::not_found("session"))?;
    let found = state.store.erasable(caller.workspace_id, &EraseTarget::Session(id.to_owned())).await?;
    let runs = match found.run_ids.len() {
        0 => "The session has no stored runs.".to_owned(),
        1 => "Its run is deleted with it.".to_owned(),
        runs => format!("Its {runs} runs are deleted with it."),
    };
    let title = session.name.unwrap_or(session.id);
    let href = format!("/sessions/{}", encode_segment(id));
    Ok(question("Delete session", &title, &format!("{runs} {CONSEQUENCES}"), &href))
}

/// `href` is the page of what is deleted.
fn question(action: &str, title: &str, consequences: &str, href: &str) -> Response {
    let (list, list_name) = if href.starts_with("/runs") { ("/runs", "Runs") } else { ("/sessions", "Sessions") };
    let (title, consequences, href) = (escape(&visible(title)), escape(consequences), escape(href));
    let body = format!(
        "<nav class=\"crumbs\" aria-label=\"Pages\"><a href=\"{list}\">{list_name}</a> / <a href=\"{href}\">{title}</a></nav>\
         <p><strong>{title}</strong></p><p>{consequences}</p><form method=\"post\" action=\"{href}/delete\">\
         <p><button class=\"button danger\" type=\"submit\">{action}</button> \
         <a class=\"button\" href=\"{href}\">Cancel</a></p></form>"
    );
    plain_page(action, &format!("{action}?"), &body).into_response()
}

fn respond(done: Result<Response, Error>, back: &str) -> Response {
    done.unwrap_or_else(|error| Problem::form(&error.into(), back, &[]).into_response())
}
