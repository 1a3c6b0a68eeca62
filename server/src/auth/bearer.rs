//! Credentials that come with a request: verified at MANTYX with their scopes, and cached for a minute. Refusals are cached
//! for some seconds.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use domain::LockExt;
use sha2::{Digest, Sha256};

use super::scopes::{RUNS_READ, RUNS_WRITE, SESSIONS_READ, SESSIONS_WRITE};
use super::workspace_check::{WorkspaceOf, workspace_of};
use super::{Caller, Credential};
use crate::audit::{Actor, Who};
use crate::error::Error;
use crate::mantyx::{Bearer, MantyxError};
use crate::state::AppState;
use crate::store::WorkspaceId;

const CACHE_FOR: Duration = Duration::from_secs(60);
const CACHE_REFUSALS_FOR: Duration = Duration::from_secs(10);
/// Of each kind: with and without access.
const MAX_ENTRIES: usize = 1_000;
/// An id that no run and no session has. MANTYX answers 404, or 403 if the scope is missing.
const PROBE_ID: &str = "scope-check";

/// Known credentials. The key is a hash of credential and workspace header, never the credential itself.
#[derive(Clone, Debug, Default)]
pub struct BearerCache(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    verified: HashMap<Key, Verified>,
    /// When each refused credential is asked about again.
    refused: HashMap<Key, Instant>,
}

type Key = [u8; 32];

#[derive(Clone, Debug)]
struct Verified {
    workspace_id: WorkspaceId,
    slug: String,
    /// The person that MANTYX reported.
    email: Option<String>,
    /// The scopes that were asked about, and whether the credential has them.
    scopes: HashMap<&'static str, bool>,
    until: Instant,
}

/// A credential as it came with a request, with the workspace that the request names.
#[derive(Clone, Debug)]
pub struct RequestBearer {
    bearer: Bearer,
    requested_slug: Option<String>,
}

impl RequestBearer {
    /// Returns the credential in `Authorization: Bearer` or `X-API-Key`, or `None` when the request has neither.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let bearer = headers.get(AUTHORIZATION).and_then(|value| {
            let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let token = bearer.or_else(|| headers.get("x-api-key")?.to_str().ok()).filter(|token| !token.is_empty())?;
        let slug = headers.get("x-mantyx-workspace").and_then(|value| value.to_str().ok());
        Some(Self { bearer: Bearer::new(token), requested_slug: slug.map(str::to_owned) })
    }

    /// Returns the caller that the credential belongs to.
    pub async fn caller(&self, state: &AppState, address: Option<IpAddr>) -> Result<Caller, Error> {
        let Verified { workspace_id, slug, email, .. } = self.verified(state).await?;
        let credential = Credential::Bearer(self.bearer.clone());
        let actor = Actor { who: email.map_or(Who::ApiKey, Who::Person), address };
        Ok(Caller { workspace_id, slug, credential, actor })
    }

    /// Returns true if MANTYX accepted the credential lately.
    pub fn is_verified(&self, state: &AppState) -> bool {
        matches!(state.bearers.get(&self.key()), Some(Some(_)))
    }

    /// Returns true if the credential has a scope. Only scopes that protect data of this server are asked about: MANTYX
    /// refuses everything else itself.
    pub async fn has_scope(&self, state: &AppState, scope: &'static str) -> Result<bool, Error> {
        let verified = self.verified(state).await?;
        if let Some(known) = verified.scopes.get(scope) {
            return Ok(*known);
        }
        let (mantyx, bearer, slug) = (&state.mantyx, &self.bearer, &verified.slug);
        let answer = match scope {
            RUNS_READ => mantyx.run(bearer, slug, PROBE_ID).await.map(drop),
            SESSIONS_READ => mantyx.session(bearer, slug, PROBE_ID).await.map(drop),
            // An import reaches no MANTYX that could refuse it.
            RUNS_WRITE => mantyx.cancel_run(bearer, slug, PROBE_ID).await,
            // Nor does a deletion.
            SESSIONS_WRITE => mantyx.end_session(bearer, slug, PROBE_ID).await,
            _ => Ok(()),
        };
        let has_scope = match answer {
            Ok(()) | Err(MantyxError::NotFound) => true,
            Err(MantyxError::MissingScope { .. } | MantyxError::Refused { status: 403, .. }) => false,
            Err(MantyxError::Refused { status: 400..=499, .. }) => true,
            Err(error) => return Err(error.into()),
        };
        state.bearers.note_scope(&self.key(), scope, has_scope);
        Ok(has_scope)
    }

    async fn verified(&self, state: &AppState) -> Result<Verified, Error> {
        let key = self.key();
        if let Some(known) = state.bearers.get(&key) {
            return known.ok_or_else(|| MantyxError::Unauthorized.into());
        }
        match self.verify(state).await {
            Ok(WorkspaceOf { id, slug, email }) => {
                let until = Instant::now() + CACHE_FOR;
                let verified = Verified { workspace_id: id, slug, email, scopes: HashMap::new(), until };
                state.bearers.insert(key, verified.clone());
                Ok(verified)
            }
            Err(error) => {
                if matches!(error, Error::Mantyx(MantyxError::Unauthorized)) {
                    state.bearers.insert_refusal(key);
                }
                Err(error)
            }
        }
    }

    /// Asks MANTYX for the workspace of the credential. An API key may have no identity: then the request names the slug,
    /// and MANTYX confirms it.
    async fn verify(&self, state: &AppState) -> Result<WorkspaceOf, Error> {
        let slug = self.requested_slug.as_deref().or(state.mantyx_workspace.as_deref());
        workspace_of(state, &self.bearer, slug).await
    }

    /// A text that identifies the credential without containing it. The same for all workspaces that a request may name.
    pub fn fingerprint(&self) -> String {
        Sha256::digest(self.bearer.expose()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn key(&self) -> Key {
        let mut hash = Sha256::new();
        hash.update(self.bearer.expose());
        hash.update(b"\0");
        hash.update(self.requested_slug.as_deref().unwrap_or(""));
        hash.finalize().into()
    }
}

impl BearerCache {
    /// Returns `Some(None)` for a credential that was refused lately.
    fn get(&self, key: &Key) -> Option<Option<Verified>> {
        let known = self.0.locked();
        let now = Instant::now();
        if known.refused.get(key).is_some_and(|until| *until > now) {
            return Some(None);
        }
        known.verified.get(key).filter(|verified| verified.until > now).cloned().map(Some)
    }

    fn insert(&self, key: Key, verified: Verified) {
        let known = &mut self.0.locked().verified;
        if known.len() >= MAX_ENTRIES {
            let now = Instant::now();
            known.retain(|_, verified| verified.until > now);
            if known.len() >= MAX_ENTRIES {
                known.clear();
            }
        }
        known.insert(key, verified);
    }

    fn insert_refusal(&self, key: Key) {
        let known = &mut self.0.locked().refused;
        let now = Instant::now();
        if known.len() >= MAX_ENTRIES {
            known.retain(|_, until| *until > now);
        }
        // A full list takes no more: those that it has are the ones that come often.
        if known.len() < MAX_ENTRIES {
            known.insert(key, now + CACHE_REFUSALS_FOR);
        }
    }

    fn note_scope(&self, key: &Key, scope: &'static str, has_scope: bool) {
        if let Some(verified) = self.0.locked().verified.get_mut(key) {
            verified.scopes.insert(scope, has_scope);
        }
    }
}
