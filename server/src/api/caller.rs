//! The caller of an API request, whom `auth::identify` has found.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use app::AppError;

use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;

pub struct ApiCaller(pub Caller);

impl FromRequestParts<AppState> for ApiCaller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Error> {
        parts.extensions.get::<Caller>().cloned().map(Self).ok_or_else(|| AppError::SignedOut.into())
    }
}
