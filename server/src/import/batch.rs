//! `POST /api/import/batch`: many logs as the files of one multipart form, with a result for each.

use std::collections::VecDeque;

use app::AppError;
use axum::Json;
use axum::extract::State;
use axum::extract::multipart::MultipartRejection;
use serde_json::{Value, json};

use super::MAX_SMALL_BYTES;
use super::upload_task::UploadTask;
use crate::api::ApiCaller;
use crate::error::{self, Error};
use crate::state::AppState;
use crate::web::multipart_form::MultipartForm;

/// Logs of one form.
const MAX_LOGS: usize = 1_000;
const TOO_MANY: &str = "At most 1,000 logs can be imported at once. Send the rest in another request.";
/// Small logs that were read and are not stored yet. After a large one, everything is stored before the next one is read.
const MAX_UNSTORED: usize = 64;

/// Imports each file. One that cannot be imported does not stop the others.
pub async fn post_batch(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    form: Result<MultipartForm, MultipartRejection>,
) -> Result<Json<Value>, Error> {
    let mut form = form.map_err(|rejection| invalid(rejection.body_text()))?;
    let mut batch = Batch::default();
    let unread = loop {
        let field = match form.next_field().await {
            Ok(Some(field)) => field,
            Ok(None) => break None,
            Err(error) => break Some((None, format!("The form could not be read: {}.", error.message))),
        };
        let name = field.file_name().map(str::to_owned);
        if batch.results.len() + batch.unstored.len() == MAX_LOGS {
            break Some((name, TOO_MANY.to_owned()));
        }
        let upload = UploadTask::start(&state, &caller, name.clone());
        let mut bytes = 0;
        upload.push_field(field, |chunk| bytes += chunk.len() as u64).await;
        upload.end().await;
        batch.unstored.push_back((name, upload));
        batch.wait(if bytes > MAX_SMALL_BYTES { 0 } else { MAX_UNSTORED }).await;
    };
    batch.wait(0).await;
    if let Some((name, message)) = unread {
        batch.add_error(name, invalid(message));
    }
    batch.response().map(Json)
}

/// The logs of a form, in their order.
#[derive(Default)]
struct Batch {
    unstored: VecDeque<(Option<String>, UploadTask)>,
    results: Vec<Value>,
    imported: usize,
    /// The first error that is not about the content of a log.
    failure: Option<AppError>,
}

impl Batch {
    /// Waits until at most so many logs are not stored yet.
    async fn wait(&mut self, max_unstored: usize) {
        while self.unstored.len() > max_unstored
            && let Some((name, upload)) = self.unstored.pop_front()
        {
            match upload.finish().await {
                Ok(imported) => {
                    let mut result = imported.to_json();
                    result["name"] = name.into();
                    self.imported += 1;
                    self.results.push(result);
                }
                Err(error) => self.add_error(name, error),
            }
        }
    }

    fn add_error(&mut self, name: Option<String>, error: Error) {
        let error = AppError::from(error);
        let mut result = error::body(&error);
        result["name"] = name.into();
        self.results.push(result);
        if !matches!(error, AppError::Invalid { .. }) {
            self.failure.get_or_insert(error);
        }
    }

    /// An error if nothing is imported for a reason that is not in the logs.
    fn response(self) -> Result<Value, Error> {
        match self.failure {
            Some(failure) if self.imported == 0 => Err(failure.into()),
            _ if self.results.is_empty() => Err(invalid("The form has no file.".to_owned())),
            _ => {
                let failed = self.results.len() - self.imported;
                Ok(json!({ "imported": self.imported, "failed": failed, "results": self.results }))
            }
        }
    }
}

fn invalid(message: String) -> Error {
    AppError::Invalid { field: "file".to_owned(), message }.into()
}
