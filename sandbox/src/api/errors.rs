//! Error responses, in the shape of the protocol.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, StatusCode};
use protocol::validate::FieldError;
use serde_json::{Value, json};

#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    body: Value,
    challenge: Option<String>,
}

pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let message: String = message.into();
        Self { status, body: json!({ "error": code, "message": message }), challenge: None }
    }

    pub fn with(mut self, field: &str, value: Value) -> Self {
        self.body[field] = value;
        self
    }

    /// Adds a `WWW-Authenticate` header.
    pub fn challenging(mut self, challenge: impl Into<String>) -> Self {
        self.challenge = Some(challenge.into());
        self
    }

    /// The documents show both `Unauthorized` and sentences as `error`; their list of codes has `unauthorized`, which clients
    /// compare.
    pub fn unauthorized(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message).challenging("Bearer")
    }

    pub fn insufficient_scope(required: &str) -> Self {
        let message = format!("The access token was not granted {required}.");
        Self::new(StatusCode::FORBIDDEN, "insufficient_scope", message)
            .with("required", required.into())
            .challenging(format!("Bearer error=\"insufficient_scope\", scope=\"{required}\""))
    }

    /// The same for a missing object and for one of another workspace.
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("{what} not found"))
    }

    /// An error in one field of the request.
    pub fn invalid(path: &str, code: &str, message: impl Into<String>) -> Self {
        Self::invalid_fields(vec![FieldError { path: path.to_owned(), code: code.to_owned(), message: message.into() }])
    }

    pub fn invalid_fields(faults: Vec<FieldError>) -> Self {
        let message = faults.first().map_or_else(
            || "The request is invalid.".to_owned(),
            |fault| match fault.path.as_str() {
                "" => fault.message.clone(),
                path => format!("{path}: {}", fault.message),
            },
        );
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message).with("details", json!(faults))
    }

    /// Logs an error of the sandbox itself and hides it from the client.
    fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "The sandbox could not do that.")
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        Self::internal(&error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if let Some(challenge) = self.challenge.and_then(|challenge| HeaderValue::from_str(&challenge).ok()) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
