//! The authorization server: Authorization Code with PKCE for the one registered client.

mod authorize;
mod client;
mod consent_page;
mod scopes;
mod token;
mod userinfo;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

use crate::app::App;

const MAX_FORM_BYTES: usize = 16 * 1024;

pub fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/oauth/authorize", get(authorize::show_consent))
        .route("/api/oauth/authorize/decide", post(authorize::decide))
        .route("/api/oauth/token", post(token::issue))
        .route("/api/oauth/revoke", post(token::revoke))
        .route("/api/oauth/userinfo", get(userinfo::get))
        .route("/assets/consent.css", get(consent_page::stylesheet))
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
}
