//! Credentials that come with a request to the JSON API: verified at MANTYX, and cached for a minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use domain::LockExt;
use sha2::{Digest, Sha256};

use super::{Caller, Credential};
use crate::error::Error;
use crate::mantyx::{Bearer, MantyxError};
use crate::state::AppState;
use crate::store::WorkspaceId;

const CACHE_FOR: Duration = Duration::from_secs(60);
const MAX_ENTRIES: usize = 1_000;

/// Verified credentials. The key is a hash of credential and workspace header, never the credential itself.
#[derive(Clone, Debug, Default)]
pub struct BearerCache(Arc<Mutex<HashMap<[u8; 32], Verified>>>);

#[derive(Clone, Debug)]
struct Verified {
    workspace_id: WorkspaceId,
    slug: String,
    until: Instant,
}

/// Returns the caller of a request with `Authorization: Bearer` or `X-API-Key`, or `None` when it has neither.
pub async fn bearer_caller(state: &AppState, headers: &HeaderMap) -> Result<Option<Caller>, Error> {
    let Some(token) = token(headers) else { return Ok(None) };
    let requested_slug = headers.get("x-mantyx-workspace").and_then(|value| value.to_str().ok());
    let key = cache_key(token, requested_slug);
    let bearer = Bearer::new(token);
    let verified = match state.bearers.get(&key) {
        Some(verified) => verified,
        None => {
            let (workspace_id, slug) = verify(state, &bearer, requested_slug).await?;
            let verified = Verified { workspace_id, slug, until: Instant::now() + CACHE_FOR };
            state.bearers.insert(key, verified.clone());
            verified
        }
    };
    Ok(Some(Caller {
        workspace_id: verified.workspace_id,
        slug: verified.slug,
        credential: Credential::Bearer(bearer),
    }))
}

/// Asks MANTYX for the workspace of a credential. An API key may have no identity: then the request names the slug, and
/// MANTYX confirms it.
async fn verify(
    state: &AppState,
    bearer: &Bearer,
    requested_slug: Option<&str>,
) -> Result<(WorkspaceId, String), Error> {
    match state.mantyx.userinfo(bearer).await {
        Ok(user) => Ok((state.store.workspace_from_identity(&user.workspace).await?, user.workspace.slug)),
        Err(error @ (MantyxError::Unreachable(_) | MantyxError::RateLimited { .. })) => Err(error.into()),
        Err(_) => {
            let slug = requested_slug.or(state.mantyx_workspace.as_deref()).ok_or(MantyxError::Unauthorized)?;
            match state.mantyx.models(bearer, slug).await {
                Ok(_) => Ok((state.store.workspace_from_slug(slug).await?, slug.to_owned())),
                Err(MantyxError::NotFound) => Err(MantyxError::Unauthorized.into()),
                Err(error) => Err(error.into()),
            }
        }
    }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    bearer.or_else(|| headers.get("x-api-key")?.to_str().ok()).filter(|token| !token.is_empty())
}

fn cache_key(token: &str, slug: Option<&str>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(token);
    hash.update(b"\0");
    hash.update(slug.unwrap_or(""));
    hash.finalize().into()
}

impl BearerCache {
    fn get(&self, key: &[u8; 32]) -> Option<Verified> {
        self.entries().get(key).filter(|verified| verified.until > Instant::now()).cloned()
    }

    fn insert(&self, key: [u8; 32], verified: Verified) {
        let mut entries = self.entries();
        if entries.len() >= MAX_ENTRIES {
            let now = Instant::now();
            entries.retain(|_, verified| verified.until > now);
            if entries.len() >= MAX_ENTRIES {
                entries.clear();
            }
        }
        entries.insert(key, verified);
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], Verified>> {
        self.0.locked()
    }
}
