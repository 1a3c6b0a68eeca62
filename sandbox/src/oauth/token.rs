//! The token endpoint: exchanges codes and refresh tokens for access tokens, and revokes tokens.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CACHE_CONTROL;
use serde_json::json;
use subtle::ConstantTimeEq;

use super::client::ClientForm;
use super::scopes;
use crate::api::errors::{ApiError, ApiResult};
use crate::app::App;
use crate::secret::{self, sha256};
use crate::store::Grant;

/// `POST token`.
pub async fn issue(State(app): State<Arc<App>>, form: ClientForm) -> ApiResult<Response> {
    match form.get("grant_type") {
        Some("authorization_code") => exchange_code(&app, &form).await,
        Some("refresh_token") => refresh(&app, &form).await,
        Some(_) => Err(refused("unsupported_grant_type", "Use authorization_code or refresh_token.")),
        None => Err(refused("invalid_request", "grant_type is required.")),
    }
}

/// `POST revoke`: 200 also for an unknown token.
pub async fn revoke(State(app): State<Arc<App>>, form: ClientForm) -> ApiResult<Response> {
    if let Some(token) = form.get("token") {
        app.store.revoke(&sha256(token)).await?;
    }
    Ok((StatusCode::OK, [(CACHE_CONTROL, "no-store")], Json(json!({}))).into_response())
}

async fn exchange_code(app: &App, form: &ClientForm) -> ApiResult<Response> {
    let now_ms = app.now_ms();
    let digest = sha256(form.get("code").unwrap_or(""));
    let verifier = form.get("code_verifier").unwrap_or("");
    let code = app.store.code(&digest).await?;
    let valid = code.filter(|code| {
        let challenge = secret::s256_challenge(verifier);
        let proven: bool = challenge.as_bytes().ct_eq(code.challenge.as_bytes()).into();
        proven
            && (43..=128).contains(&verifier.len())
            && form.get("redirect_uri") == Some(&code.redirect_uri)
            && code.expires_at > now_ms
            && code.used_at.is_none()
    });
    let Some(code) = valid else { return Err(invalid_grant()) };
    // Of two requests with the same code, one succeeds.
    if !app.store.use_code(&digest, now_ms).await? {
        return Err(invalid_grant());
    }
    let refresh_token = secret::token("mantyx_rt_")?;
    let grant = Grant { scope: code.scope, email: code.email };
    app.store.insert_refresh_token(&sha256(&refresh_token), &grant, now_ms).await?;
    answer(app, &refresh_token, grant).await
}

/// Refresh tokens do not rotate: the response has the same one.
async fn refresh(app: &App, form: &ClientForm) -> ApiResult<Response> {
    let refresh_token = form.get("refresh_token").unwrap_or("");
    let Some(mut grant) = app.store.refresh_grant(&sha256(refresh_token)).await? else { return Err(invalid_grant()) };
    if let Some(narrower) = form.get("scope") {
        let granted: Vec<&str> = grant.scope.split(' ').collect();
        let asked = scopes::parse(narrower).filter(|asked| asked.iter().all(|scope| granted.contains(scope)));
        let Some(asked) = asked else {
            return Err(refused("invalid_scope", "A refresh may only ask for scopes that were granted."));
        };
        grant.scope = asked.join(" ");
    }
    answer(app, refresh_token, grant).await
}

async fn answer(app: &App, refresh_token: &str, grant: Grant) -> ApiResult<Response> {
    let access_token = secret::token("mantyx_at_")?;
    let lifetime_seconds = app.access_token_lifetime.as_secs();
    let expires_at = app.now_ms() + lifetime_seconds as i64 * 1000;
    app.store.insert_access_token(&sha256(&access_token), &sha256(refresh_token), &grant, expires_at).await?;
    let body = json!({
        "access_token": access_token, "token_type": "Bearer", "expires_in": lifetime_seconds,
        "refresh_token": refresh_token, "scope": grant.scope,
    });
    Ok(([(CACHE_CONTROL, "no-store")], Json(body)).into_response())
}

fn invalid_grant() -> ApiError {
    refused(
        "invalid_grant",
        "The code or token is wrong, expired, used or revoked, or it was issued for something else.",
    )
}

fn refused(code: &str, message: &str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, code, message).with("error_description", message.into())
}
