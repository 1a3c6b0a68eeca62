//! The caller of an API request: from the bearer if there is one, otherwise from the session.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use app::AppError;

use crate::auth::{Caller, bearer_caller};
use crate::error::Error;
use crate::state::AppState;

pub struct ApiCaller(pub Caller);

impl FromRequestParts<AppState> for ApiCaller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Error> {
        if let Some(caller) = bearer_caller(state, &parts.headers).await? {
            return Ok(Self(caller));
        }
        parts.extensions.get::<Caller>().cloned().map(Self).ok_or_else(|| AppError::SignedOut.into())
    }
}
