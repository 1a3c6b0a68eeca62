//! Tokens of signed-in users: sealed at rest, refreshed before they expire and on a 401, revoked at sign-out.

use std::sync::Arc;

use crate::clock::now_ms;
use crate::keyed_locks::KeyedLocks;
use crate::mantyx::{Bearer, Mantyx, MantyxError, TokenSet};
use crate::store::{SealedTokens, Store, WorkspaceId};
use crate::vault::Vault;

/// An access token is refreshed when it expires within this time.
const REFRESH_BEFORE_MS: i64 = 5 * 60 * 1000;

/// The credential for a request to MANTYX, and its workspace.
#[derive(Clone, Debug)]
pub struct Caller {
    pub workspace_id: WorkspaceId,
    pub slug: String,
    pub credential: Credential,
}

#[derive(Clone, Debug)]
pub enum Credential {
    /// The id of a signed-in user's grant.
    Grant(String),
    /// A verified credential that came with the request.
    Bearer(Bearer),
}

#[derive(Clone, Debug)]
pub struct Credentials {
    store: Store,
    vault: Arc<Vault>,
    mantyx: Mantyx,
    /// One refresh at a time for each grant. After waiting, the new token is in the store.
    refreshing: KeyedLocks<String>,
}

impl Credentials {
    pub fn new(store: Store, vault: Arc<Vault>, mantyx: Mantyx) -> Self {
        Self { store, vault, mantyx, refreshing: KeyedLocks::default() }
    }

    pub fn seal(&self, tokens: &TokenSet, now_ms: i64) -> SealedTokens {
        let lifetime_ms = i64::try_from(tokens.expires_in.as_millis()).unwrap_or(i64::MAX);
        SealedTokens {
            access: self.vault.seal("access token", tokens.access.expose().as_bytes()),
            access_expires_at_ms: now_ms.saturating_add(lifetime_ms),
            refresh: tokens.refresh.as_ref().map(|token| self.vault.seal("refresh token", token.as_bytes())),
        }
    }

    /// Calls MANTYX with the caller's token. On a 401, refreshes the token and calls once more.
    pub async fn call<T, F>(&self, caller: &Caller, call: impl Fn(Bearer) -> F) -> Result<T, MantyxError>
    where
        F: Future<Output = Result<T, MantyxError>>,
    {
        let grant_id = match &caller.credential {
            Credential::Bearer(bearer) => return call(bearer.clone()).await,
            Credential::Grant(id) => id,
        };
        let bearer = self.access_token(grant_id, None).await?;
        match call(bearer.clone()).await {
            Err(MantyxError::Unauthorized) => {
                let refreshed = self.access_token(grant_id, Some(&bearer)).await?;
                call(refreshed).await
            }
            other => other,
        }
    }

    /// Returns the grant's access token. Refreshes it when it is about to expire, or when it is the `rejected` one.
    async fn access_token(&self, grant_id: &str, rejected: Option<&Bearer>) -> Result<Bearer, MantyxError> {
        let usable = |token: &Bearer, expires_at_ms: i64| {
            rejected != Some(token) && expires_at_ms - now_ms() > REFRESH_BEFORE_MS
        };
        let (token, expires_at_ms) = self.stored_access_token(grant_id).await?;
        if usable(&token, expires_at_ms) {
            return Ok(token);
        }
        let _refreshing = self.refreshing.lock(grant_id.to_owned()).await;
        let (token, expires_at_ms) = self.stored_access_token(grant_id).await?;
        if usable(&token, expires_at_ms) {
            return Ok(token);
        }
        match self.refresh(grant_id).await {
            // While MANTYX cannot be reached, a token that is still valid is used.
            Err(MantyxError::Unreachable(_)) if rejected.is_none() && expires_at_ms > now_ms() => Ok(token),
            other => other,
        }
    }

    async fn refresh(&self, grant_id: &str) -> Result<Bearer, MantyxError> {
        let grant = self.load(grant_id).await?;
        let sealed = grant.tokens.refresh.ok_or(MantyxError::Unauthorized)?;
        let refresh_token = self.open("refresh token", &sealed)?;
        let mut tokens = match self.mantyx.refresh(&refresh_token).await {
            Ok(tokens) => tokens,
            Err(MantyxError::Refused { code, .. }) if code == "invalid_grant" => {
                tracing::info!("grant was revoked at MANTYX; its user has to sign in again");
                return Err(MantyxError::Unauthorized);
            }
            Err(error) => return Err(error),
        };
        tokens.refresh.get_or_insert(refresh_token);
        let sealed = self.seal(&tokens, now_ms());
        self.store.update_grant_tokens(grant_id, &sealed).await.map_err(database_error)?;
        Ok(tokens.access)
    }

    /// Revokes a grant's tokens at MANTYX and deletes the grant, also when MANTYX cannot be reached.
    pub async fn revoke(&self, grant_id: &str) {
        if let Ok(Some(grant)) = self.store.grant(grant_id).await {
            let token = match &grant.tokens.refresh {
                Some(sealed) => self.open("refresh token", sealed),
                None => self.open("access token", &grant.tokens.access),
            };
            if let Ok(token) = token
                && let Err(error) = self.mantyx.revoke(&token).await
            {
                tracing::warn!(%error, "cannot revoke a token at MANTYX");
            }
        }
        if let Err(error) = self.store.delete_grant(grant_id).await {
            tracing::warn!(%error, "cannot delete a grant");
        }
    }

    async fn stored_access_token(&self, grant_id: &str) -> Result<(Bearer, i64), MantyxError> {
        let grant = self.load(grant_id).await?;
        let token = self.open("access token", &grant.tokens.access)?;
        Ok((Bearer::new(token), grant.tokens.access_expires_at_ms))
    }

    async fn load(&self, grant_id: &str) -> Result<crate::store::Grant, MantyxError> {
        self.store.grant(grant_id).await.map_err(database_error)?.ok_or(MantyxError::Unauthorized)
    }

    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<String, MantyxError> {
        let plain = self.vault.open_sealed(purpose, sealed).map_err(|_| MantyxError::Unauthorized)?;
        String::from_utf8(plain).map_err(|_| MantyxError::Unauthorized)
    }
}

fn database_error(error: crate::store::Error) -> MantyxError {
    tracing::error!(%error, "database failed while loading a token");
    MantyxError::Unexpected("a fault in the dashboard's own database".to_owned())
}
