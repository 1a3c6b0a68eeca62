//! `POST /api/import` for scripts and `POST /import` for the page's form: both read the body as it comes.

use app::AppError;
use axum::Json;
use axum::body::Body;
use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;
use futures::StreamExt;
use serde::Deserialize;
use serde_json::json;

use super::Import;
use super::receiver::{Piece, Receiver};
use crate::api::ApiCaller;
use crate::error::Error;
use crate::state::AppState;

#[derive(Deserialize)]
pub struct Params {
    name: Option<String>,
}

/// The body is the file.
pub async fn post_import(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(params): Query<Params>,
    body: Body,
) -> Result<Response, Error> {
    let receiver = Receiver::of(Import::new(state.store.clone(), caller.workspace_id, params.name));
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(chunk) => receiver.take(Piece::Bytes(chunk)).await,
            Err(error) => {
                receiver.take(Piece::Broke(error.to_string())).await;
                break;
            }
        }
    }
    let (run_id, report) = receiver.finish().await?;
    let url = format!("/runs/{run_id}");
    Ok((StatusCode::CREATED, Json(json!({ "runId": run_id, "url": url, "report": report }))).into_response())
}

/// The page's form: a file, or a log that was pasted. Leads to the run, or back to the form with what was wrong.
pub async fn post_import_form(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    form: Multipart,
) -> Result<Redirect, Error> {
    match read_form(&state, caller.workspace_id, form).await {
        Ok(run_id) => Ok(Redirect::to(&format!("/runs/{run_id}"))),
        Err(Error::App(AppError::Invalid { message, .. })) => {
            let message = encode(&message);
            Ok(Redirect::to(&format!("/import?problem={message}")))
        }
        Err(error) => Err(error),
    }
}

async fn read_form(
    state: &AppState,
    workspace: crate::store::WorkspaceId,
    mut form: Multipart,
) -> Result<String, Error> {
    let unreadable = |error: axum::extract::multipart::MultipartError| AppError::Invalid {
        field: "file".to_owned(),
        message: format!("The form could not be read: {}.", error.body_text()),
    };
    let mut chosen = None;
    while let Some(mut field) = form.next_field().await.map_err(unreadable)? {
        let source = field.file_name().map(str::to_owned);
        chosen = chosen.or_else(|| source.clone().filter(|name| !name.is_empty()));
        let receiver = Receiver::of(Import::new(state.store.clone(), workspace, source));
        let mut empty = true;
        loop {
            match field.chunk().await {
                Ok(Some(chunk)) => {
                    empty &= chunk.trim_ascii().is_empty();
                    receiver.take(Piece::Bytes(chunk)).await;
                }
                Ok(None) => break,
                Err(error) => {
                    receiver.take(Piece::Broke(error.body_text())).await;
                    break;
                }
            }
        }
        // The other of the two fields may have it.
        if !empty {
            return Ok(receiver.finish().await?.0);
        }
    }
    let message = match chosen {
        Some(name) => format!("The file {name} is empty."),
        None => "Choose a file, or paste a log.".to_owned(),
    };
    Err(AppError::Invalid { field: "file".to_owned(), message }.into())
}
