//! The id in the path of a request.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use super::invalid;
use crate::error::Error;
use crate::state::AppState;

/// Like axum's `Path<String>`, but a path that cannot be decoded is rejected in JSON.
pub struct PathId(pub String);

impl FromRequestParts<AppState> for PathId {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Error> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(rejection) => Err(invalid("id", rejection.body_text())),
        }
    }
}
