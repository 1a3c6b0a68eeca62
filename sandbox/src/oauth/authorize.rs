//! The authorization endpoint: the consent page, and the redirect with the decision.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderMap, StatusCode};
use url::Url;

use super::client::Form;
use super::{consent_page, scopes};
use crate::api::errors::ApiResult;
use crate::app::App;
use crate::config::CLIENT_ID;
use crate::secret;
use crate::store::{AuthorizeRequest, Code};
use crate::workspace;

/// Lifetime of a consent page and of a code.
const LIFETIME_MS: i64 = 10 * 60 * 1000;

/// `GET authorize`: checks the request and shows the consent page.
pub async fn show_consent(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> ApiResult<Response> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    if query.get("client_id") != Some(CLIENT_ID) {
        return Ok(consent_page::problem("This application is not registered", "Its client_id is unknown here."));
    }
    // Never redirects to an unregistered address, not even with an error.
    let redirect_uri = query.get("redirect_uri").filter(|uri| app.redirect_uris.iter().any(|known| known == uri));
    let Some(redirect_uri) = redirect_uri.map(str::to_owned) else {
        let detail = "The address it wants you to return to (redirect_uri) is not one that it registered.";
        return Ok(consent_page::problem("This sign-in link is not valid", detail));
    };
    let state = query.get("state").unwrap_or("").to_owned();
    let scope = query.get("scope").and_then(scopes::parse);
    let challenge = query.get("code_challenge").filter(|challenge| is_challenge(challenge));
    let fault = if query.get("response_type") != Some("code") {
        Some(("unsupported_response_type", "response_type must be code"))
    } else if state.is_empty() {
        Some(("invalid_request", "state is required"))
    } else if challenge.is_none() || query.get("code_challenge_method") != Some("S256") {
        Some(("invalid_request", "a PKCE challenge with method S256 is required"))
    } else if scope.is_none() {
        Some(("invalid_scope", "scope is missing or has a scope that does not exist"))
    } else {
        None
    };
    if let Some((error, description)) = fault {
        return Ok(redirect(&redirect_uri, &[("error", error), ("error_description", description), ("state", &state)]));
    }
    let now_ms = app.now_ms();
    app.store.delete_expired(now_ms).await?;
    let request_id = secret::token("")?;
    let scopes = scope.unwrap_or_default();
    let request = AuthorizeRequest {
        redirect_uri,
        scope: scopes.join(" "),
        state,
        challenge: challenge.unwrap_or("").to_owned(),
        expires_at: now_ms + LIFETIME_MS,
    };
    app.store.insert_authorize_request(&secret::sha256(&request_id), &request).await?;
    Ok(consent_page::consent(&request_id, &request.redirect_uri, &scopes))
}

/// `POST authorize/decide`: the request id is known only to the consent page, and works once.
pub async fn decide(State(app): State<Arc<App>>, headers: HeaderMap, form: Bytes) -> ApiResult<Response> {
    let from_elsewhere = headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none");
    if from_elsewhere {
        return Ok(consent_page::problem("This decision came from another site", "Nothing was approved."));
    }
    let form = Form::parse(&form);
    let now_ms = app.now_ms();
    let request = match form.get("request") {
        Some(id) => app.store.take_authorize_request(&secret::sha256(id)).await?,
        None => None,
    };
    let Some(request) = request.filter(|request| request.expires_at > now_ms) else {
        let detail =
            "It was already answered, or it has been open for more than ten minutes. Start again from the application.";
        return Ok(consent_page::problem("This page is no longer valid", detail));
    };
    let account = form.get("account").and_then(workspace::account);
    let (Some("approve"), Some(account)) = (form.get("decision"), account) else {
        return Ok(redirect(&request.redirect_uri, &[("error", "access_denied"), ("state", &request.state)]));
    };
    let code = secret::token("mantyx_oc_")?;
    let issued = Code {
        redirect_uri: request.redirect_uri.clone(),
        scope: granted(&request.scope, &form),
        challenge: request.challenge,
        email: account.email.to_owned(),
        expires_at: now_ms + LIFETIME_MS,
        used_at: None,
    };
    app.store.insert_code(&secret::sha256(&code), &issued).await?;
    Ok(redirect(&request.redirect_uri, &[("code", &code), ("state", &request.state)]))
}

/// Returns the requested scopes without those that were unticked.
fn granted(asked: &str, form: &Form) -> String {
    if form.get("grants").is_none() {
        return asked.to_owned();
    }
    let is_granted = |scope: &&str| *scope == scopes::IDENTITY || form.get(&format!("grant:{scope}")).is_some();
    asked.split_ascii_whitespace().filter(is_granted).collect::<Vec<_>>().join(" ")
}

/// An S256 challenge is 32 bytes in base64url without padding.
fn is_challenge(text: &str) -> bool {
    text.len() == 43 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn redirect(uri: &str, parameters: &[(&str, &str)]) -> Response {
    let Ok(mut url) = Url::parse(uri) else {
        return consent_page::problem("This sign-in link is not valid", "The registered redirect URI is not a URL.");
    };
    url.query_pairs_mut().extend_pairs(parameters.iter().filter(|(_, value)| !value.is_empty()));
    (StatusCode::SEE_OTHER, [(LOCATION, url.as_str()), (CACHE_CONTROL, "no-store")]).into_response()
}
