//! Authentication of callers: an API key or an OAuth access token, in either header.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, StatusCode};

use super::errors::{ApiError, ApiResult};
use super::metering;
use crate::app::App;
use crate::secret;
use crate::workspace::{self, Account, Workspace};

pub struct Caller {
    pub workspace: &'static Workspace,
    /// `None` for an API key.
    pub account: Option<&'static Account>,
    /// `None` for an API key, which has every scope.
    scopes: Option<Vec<String>>,
    /// Saved agents that the credential may use; empty means all.
    agents: &'static [&'static str],
}

impl Caller {
    pub async fn authenticate(app: &App, headers: &HeaderMap) -> ApiResult<Self> {
        let Some(credential) = credential(headers) else {
            return Err(ApiError::unauthorized("An API key or an OAuth access token is required."));
        };
        if let Some(workspace) = workspace::by_api_key(credential) {
            return Ok(Self { workspace, account: None, scopes: None, agents: workspace.key_agents });
        }
        let grant = app.store.access_grant(&secret::sha256(credential), app.now_ms()).await?;
        let account = grant.as_ref().and_then(|grant| workspace::account(&grant.email));
        let (Some(grant), Some(account)) = (grant, account) else {
            return Err(ApiError::unauthorized("Invalid API key or OAuth access token."));
        };
        let scopes = grant.scope.split(' ').map(str::to_owned).collect();
        Ok(Self { workspace: account.workspace, account: Some(account), scopes: Some(scopes), agents: &[] })
    }

    pub fn require(&self, scope: &str) -> ApiResult<()> {
        match &self.scopes {
            Some(scopes) if !scopes.iter().any(|granted| granted == scope) => Err(ApiError::insufficient_scope(scope)),
            _ => Ok(()),
        }
    }

    pub fn may_use_agent(&self, id: &str) -> bool {
        self.agents.is_empty() || self.agents.contains(&id)
    }
}

/// Extracts the caller of a route below `/workspaces/{slug}`. The credential must belong to that workspace.
impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> ApiResult<Self> {
        let caller = Self::authenticate(app, &parts.headers).await?;
        let params = RawPathParams::from_request_parts(parts, app).await;
        let params = params.map_err(|_| ApiError::not_found("Workspace"))?;
        let slug = params.iter().find(|(name, _)| *name == "slug").map(|(_, slug)| slug);
        if slug == Some(caller.workspace.slug) {
            metering::count(app, parts)?;
            return Ok(caller);
        }
        // The same response whether or not the workspace exists.
        let message = "Workspace path does not match this credential";
        let hint = format!("This credential belongs to the workspace “{}”.", caller.workspace.slug);
        Err(ApiError::new(StatusCode::NOT_FOUND, "not_found", message).with("hint", hint.into()))
    }
}

pub(super) fn credential(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    let key = || headers.get("x-api-key").and_then(|value| value.to_str().ok()).map(str::trim);
    bearer.or_else(key).filter(|credential| !credential.is_empty())
}
