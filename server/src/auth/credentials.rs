//! Tokens at rest and in use: sealed, refreshed before they end, refreshed once on a 401, revoked at sign-out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use domain::LockExt;

use crate::clock::now_ms;
use crate::mantyx::{Bearer, Mantyx, MantyxError, TokenSet};
use crate::store::{SealedTokens, Store, WorkspaceId};
use crate::vault::Vault;

/// An access token is renewed when less than this is left of it.
const RENEW_BEFORE_MS: i64 = 5 * 60 * 1000;

/// On whose behalf MANTYX is asked, and in which workspace.
#[derive(Clone, Debug)]
pub struct Caller {
    pub workspace_id: WorkspaceId,
    pub slug: String,
    pub credential: Credential,
}

#[derive(Clone, Debug)]
pub enum Credential {
    /// A signed-in user's consent, by its id.
    Grant(String),
    /// A credential that came with the request, already verified.
    Bearer(Bearer),
}

#[derive(Clone, Debug)]
pub struct Credentials {
    store: Store,
    vault: Arc<Vault>,
    mantyx: Mantyx,
    /// One refresh at a time for each grant: whoever waits finds the new token stored.
    refreshing: Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>>,
}

impl Credentials {
    pub fn new(store: Store, vault: Arc<Vault>, mantyx: Mantyx) -> Self {
        Self { store, vault, mantyx, refreshing: Arc::default() }
    }

    pub fn seal(&self, tokens: &TokenSet, now_ms: i64) -> SealedTokens {
        let lifetime_ms = i64::try_from(tokens.expires_in.as_millis()).unwrap_or(i64::MAX);
        SealedTokens {
            access: self.vault.seal("access token", tokens.access.expose().as_bytes()),
            access_expires_at_ms: now_ms.saturating_add(lifetime_ms),
            refresh: tokens.refresh.as_ref().map(|token| self.vault.seal("refresh token", token.as_bytes())),
        }
    }

    /// Calls MANTYX with the caller's token. On a 401 the token is refreshed and the call made once more.
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
                let renewed = self.access_token(grant_id, Some(&bearer)).await?;
                call(renewed).await
            }
            other => other,
        }
    }

    /// The grant's access token; a new one where it is about to end, or where it is the one that was `rejected`.
    async fn access_token(&self, grant_id: &str, rejected: Option<&Bearer>) -> Result<Bearer, MantyxError> {
        let usable =
            |token: &Bearer, expires_at_ms: i64| rejected != Some(token) && expires_at_ms - now_ms() > RENEW_BEFORE_MS;
        let (token, expires_at_ms) = self.stored_access_token(grant_id).await?;
        if usable(&token, expires_at_ms) {
            return Ok(token);
        }
        let gate = self.gate(grant_id);
        let _turn = gate.lock().await;
        let (token, expires_at_ms) = self.stored_access_token(grant_id).await?;
        if usable(&token, expires_at_ms) {
            return Ok(token);
        }
        let renewed = self.refresh(grant_id).await;
        match renewed {
            // A token that still has some minutes is better than none while MANTYX cannot be asked for another.
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
                tracing::info!("a consent was withdrawn at MANTYX; its session has to sign in again");
                return Err(MantyxError::Unauthorized);
            }
            Err(error) => return Err(error),
        };
        tokens.refresh.get_or_insert(refresh_token);
        let sealed = self.seal(&tokens, now_ms());
        self.store.update_grant_tokens(grant_id, &sealed).await.map_err(storage)?;
        Ok(tokens.access)
    }

    /// Revokes a grant's tokens and deletes it. Revoking is tried; the deletion happens whatever MANTYX says.
    pub async fn forget(&self, grant_id: &str) {
        if let Ok(Some(grant)) = self.store.grant(grant_id).await {
            let token = match &grant.tokens.refresh {
                Some(sealed) => self.open("refresh token", sealed),
                None => self.open("access token", &grant.tokens.access),
            };
            if let Ok(token) = token
                && let Err(error) = self.mantyx.revoke(&token).await
            {
                tracing::warn!(%error, "a token could not be revoked at MANTYX");
            }
        }
        if let Err(error) = self.store.delete_grant(grant_id).await {
            tracing::warn!(%error, "a consent could not be deleted");
        }
        self.gates().remove(grant_id);
    }

    async fn stored_access_token(&self, grant_id: &str) -> Result<(Bearer, i64), MantyxError> {
        let grant = self.load(grant_id).await?;
        let token = self.open("access token", &grant.tokens.access)?;
        Ok((Bearer::new(token), grant.tokens.access_expires_at_ms))
    }

    async fn load(&self, grant_id: &str) -> Result<crate::store::Grant, MantyxError> {
        self.store.grant(grant_id).await.map_err(storage)?.ok_or(MantyxError::Unauthorized)
    }

    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<String, MantyxError> {
        let plain = self.vault.open_sealed(purpose, sealed).map_err(|_| MantyxError::Unauthorized)?;
        String::from_utf8(plain).map_err(|_| MantyxError::Unauthorized)
    }

    fn gate(&self, grant_id: &str) -> Arc<tokio::sync::Mutex<()>> {
        self.gates().entry(grant_id.to_owned()).or_default().clone()
    }

    fn gates(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<tokio::sync::Mutex<()>>>> {
        self.refreshing.locked()
    }
}

fn storage(error: crate::store::Error) -> MantyxError {
    tracing::error!(%error, "the database failed while a token was looked up");
    MantyxError::Unexpected("a fault in the dashboard's own database".to_owned())
}
