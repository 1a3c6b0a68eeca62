//! Errors of requests to MANTYX.

use std::time::Duration;

use protocol::messages::ErrorBody;
use reqwest::{Response, StatusCode};

#[derive(Clone, Debug, thiserror::Error)]
pub enum MantyxError {
    #[error("MANTYX cannot be reached: {0}")]
    Unreachable(String),
    #[error("the credential is not accepted")]
    Unauthorized,
    #[error("the credential lacks the scope {scope}")]
    MissingScope { scope: String },
    #[error("not found")]
    NotFound,
    #[error("MANTYX asks to wait")]
    RateLimited { retry_after: Option<Duration> },
    #[error("MANTYX answered {status}: {code}")]
    Refused { status: u16, code: String, message: String },
    #[error("MANTYX answered with {0}")]
    Unexpected(String),
}

/// An error of a call with a credential.
pub trait CallError: From<MantyxError> {
    /// Returns true if the credential was rejected, so that the call had no effect.
    fn is_unauthorized(&self) -> bool;
}

impl CallError for MantyxError {
    fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Unauthorized)
    }
}

impl From<reqwest::Error> for MantyxError {
    fn from(error: reqwest::Error) -> Self {
        // Without the URL, whose query may contain a secret.
        let error = error.without_url();
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            text = cause.to_string();
            source = cause.source();
        }
        Self::Unreachable(text)
    }
}

impl MantyxError {
    pub(super) async fn from_response(response: Response) -> Self {
        let status = response.status();
        let retry_after = response
            .headers()
            .get(reqwest::header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .map(Duration::from_secs);
        let body = super::read_body(response).await.unwrap_or_default();
        let body: ErrorBody = serde_json::from_slice(&body).unwrap_or_default();
        match status {
            StatusCode::UNAUTHORIZED => Self::Unauthorized,
            StatusCode::FORBIDDEN if body.error() == Some("insufficient_scope") => {
                let scopes = body.required_scopes();
                Self::MissingScope { scope: if scopes.is_empty() { "unknown".to_owned() } else { scopes.join(" ") } }
            }
            StatusCode::FORBIDDEN if body.error() == Some("wrong_workspace") => Self::NotFound,
            StatusCode::NOT_FOUND if body.error() != Some("unknown_tool_use") => Self::NotFound,
            StatusCode::TOO_MANY_REQUESTS => Self::RateLimited { retry_after },
            _ => {
                let code = body.reason().to_owned();
                let message = body.sentence().map_or_else(|| format!("MANTYX answered {status}."), str::to_owned);
                Self::Refused { status: status.as_u16(), code, message }
            }
        }
    }
}
