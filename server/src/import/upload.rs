//! `POST /api/import`, for scripts. The body is streamed.

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use serde::Deserialize;

use super::upload_task::{Chunk, UploadTask};
use crate::api::ApiCaller;
use crate::error::Error;
use crate::state::AppState;

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
    let upload = UploadTask::start(&state, &caller, params.name);
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
    Ok((StatusCode::CREATED, Json(upload.finish().await?.to_json())).into_response())
}

/// The innermost cause: the outer ones only say that the body could not be read.
fn read_error(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), read_error)
}
