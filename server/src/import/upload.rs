//! `POST /api/import` for scripts and `POST /import` for the page's form. Both stream the body.

use app::AppError;
use axum::Json;
use axum::body::Body;
use axum::extract::{Multipart, Query, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use domain::AuditAction;
use domain::url::encode;
use futures::StreamExt;
use serde::Deserialize;
use serde_json::json;

use super::Import;
use super::upload_task::{Chunk, UploadTask};
use crate::api::ApiCaller;
use crate::audit;
use crate::error::Error;
use crate::state::AppState;
use crate::web::problem::Problem;

/// Pasted text that is shown again if it cannot be saved.
const MAX_PASTED_BYTES: usize = 100_000;

#[derive(Deserialize)]
pub struct Params {
    name: Option<String>,
}

/// Imports the request body.
pub async fn post_import(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(params): Query<Params>,
    body: Body,
) -> Result<Response, Error> {
    let upload = UploadTask::start(Import::new(state.store.clone(), caller.workspace_id, params.name));
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(chunk) => upload.push(Chunk::Bytes(chunk)).await,
            Err(error) => {
                upload.push(Chunk::Failed(read_error(&error))).await;
                break;
            }
        }
    }
    let (run_id, report) = upload.finish().await?;
    audit::record_done(&state, &caller, caller.actor.entry(AuditAction::Import).about(&run_id)).await;
    let url = format!("/runs/{run_id}");
    Ok((StatusCode::CREATED, Json(json!({ "runId": run_id, "url": url, "report": report }))).into_response())
}

/// The innermost cause: the outer ones only say that the body could not be read.
fn read_error(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), read_error)
}

/// Imports the file or the pasted text of the page's form. Redirects to the run, or back to the form with the error. A
/// browser without JavaScript gets a page with the pasted text instead, if it could not be saved.
pub async fn post_import_form(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    form: Multipart,
) -> Response {
    let mut pasted = String::new();
    let error = match read_form(&state, caller.workspace_id, form, &mut pasted).await {
        Ok(run_id) => {
            audit::record_done(&state, &caller, caller.actor.entry(AuditAction::Import).about(&run_id)).await;
            return Redirect::to(&format!("/runs/{run_id}")).into_response();
        }
        Err(error) => AppError::from(error),
    };
    let accepts_html = headers.get(ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"));
    match error {
        AppError::Invalid { message, .. } => back_to_form(&message),
        error if accepts_html => {
            let typed = Some(pasted).filter(|pasted| !pasted.is_empty());
            Problem::form(&error, "/import", &typed.into_iter().collect::<Vec<_>>()).into_response()
        }
        error => back_to_form(&error.to_string()),
    }
}

fn back_to_form(problem: &str) -> Response {
    Redirect::to(&format!("/import?problem={}", encode(problem))).into_response()
}

/// `pasted` gets the text field, up to a limit.
async fn read_form(
    state: &AppState,
    workspace: crate::store::WorkspaceId,
    mut form: Multipart,
    pasted: &mut String,
) -> Result<String, Error> {
    let unreadable = |error: axum::extract::multipart::MultipartError| AppError::Invalid {
        field: "file".to_owned(),
        message: format!("The form could not be read: {}.", error.body_text()),
    };
    let mut file_name = None;
    while let Some(mut field) = form.next_field().await.map_err(unreadable)? {
        let source = field.file_name().map(str::to_owned);
        let is_text = source.is_none();
        file_name = file_name.or_else(|| source.clone().filter(|name| !name.is_empty()));
        let upload = UploadTask::start(Import::new(state.store.clone(), workspace, source));
        let mut is_empty = true;
        loop {
            match field.chunk().await {
                Ok(Some(chunk)) => {
                    is_empty &= chunk.trim_ascii().is_empty();
                    if is_text && pasted.len() + chunk.len() <= MAX_PASTED_BYTES {
                        pasted.push_str(&String::from_utf8_lossy(&chunk));
                    }
                    upload.push(Chunk::Bytes(chunk)).await;
                }
                Ok(None) => break,
                Err(error) => {
                    upload.push(Chunk::Failed(error.body_text())).await;
                    break;
                }
            }
        }
        // An empty field is skipped: the form has two, and one is usually empty.
        if !is_empty {
            return Ok(upload.finish().await?.0);
        }
    }
    let message = match file_name {
        Some(name) => format!("The file {name} is empty."),
        None => "Choose a file, or paste a log.".to_owned(),
    };
    Err(AppError::Invalid { field: "file".to_owned(), message }.into())
}
