//! The server's errors, and their conversion to what pages and the JSON API return.

use app::AppError;
use axum::Json;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::mantyx::MantyxError;
use crate::store::{cannot_write, has_unstorable_text, is_unreachable};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("database: {0}")]
    Store(#[from] crate::store::Error),
    #[error("{0}")]
    Mantyx(#[from] MantyxError),
    #[error("{0}")]
    App(#[from] AppError),
    /// A launch was sent, and it is unknown whether it started a run.
    #[error("the launch was not confirmed")]
    Unconfirmed,
}

impl Error {
    /// Returns true if something could not be stored because the database cannot be written. Stored data can be read.
    pub fn cannot_save(&self) -> bool {
        matches!(self, Self::Store(error) if cannot_write(error)) || matches!(self, Self::App(AppError::CannotSave))
    }
}

impl From<Error> for AppError {
    /// Logs internal errors once, under the reference that the user gets.
    fn from(error: Error) -> Self {
        match error {
            Error::App(error) => error,
            Error::Unconfirmed => Self::Conflict {
                message: "The launch was sent, but MANTYX did not say whether it started the run. Check the newest runs before you launch again."
                    .to_owned(),
            },
            Error::Mantyx(error) => from_mantyx(error),
            Error::Store(error) if cannot_write(&error) => {
                tracing::error!(%error, "the database cannot be written");
                Self::CannotSave
            }
            Error::Store(error) if is_unreachable(&error) => {
                tracing::error!(%error, "the database does not answer");
                Self::Database
            }
            Error::Store(error) if has_unstorable_text(&error) => {
                let message = "A text contains a NUL, which cannot be stored or found. Remove it.".to_owned();
                Self::Invalid { field: "text".to_owned(), message }
            }
            Error::Store(error) => {
                let reference = crate::random::reference();
                tracing::error!(%reference, %error, "database error");
                Self::Internal { reference }
            }
        }
    }
}

fn from_mantyx(error: MantyxError) -> AppError {
    match error {
        MantyxError::Unauthorized => AppError::SignedOut,
        MantyxError::NotFound => AppError::not_found("run"),
        MantyxError::MissingScope { scope } => AppError::MissingScope { scope },
        MantyxError::Unreachable(reason) => {
            AppError::Unavailable { message: format!("MANTYX cannot be reached ({reason}).") }
        }
        MantyxError::RateLimited { retry_after } => {
            let wait = retry_after.map_or_else(|| "a moment".to_owned(), |wait| format!("{} s", wait.as_secs().max(1)));
            AppError::RateLimited { message: format!("MANTYX limited the rate of requests. Try again in {wait}.") }
        }
        MantyxError::Refused { code, message, .. } => AppError::Upstream { code, message },
        MantyxError::Unexpected(what) => {
            AppError::Upstream { code: "unexpected".to_owned(), message: format!("MANTYX answered with {what}.") }
        }
    }
}

/// The JSON API's error body: the code, and a sentence.
pub fn body(error: &AppError) -> Value {
    let mut body = serde_json::to_value(error).unwrap_or_default();
    body["message"] = error.to_string().into();
    body
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let error = AppError::from(self);
        let status = StatusCode::from_u16(error.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(body(&error))).into_response();
        if let AppError::TooManyRequests { retry_after_s } = error {
            response.headers_mut().insert(RETRY_AFTER, retry_after_s.into());
        }
        response
    }
}
