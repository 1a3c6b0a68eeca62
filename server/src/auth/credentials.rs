//! Tokens of signed-in users: sealed at rest, refreshed before they expire and on a 401. A grant that MANTYX no longer accepts
//! is ended, with its sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use domain::LockExt;
use tokio::sync::{Notify, watch};
use tracing::Instrument;

use crate::audit::Actor;
use crate::clock::now_ms;
use crate::keyed_locks::KeyedLocks;
use crate::mantyx::{Bearer, CallError, Mantyx, MantyxError, TokenSet};
use crate::store::{NewAuditEntry, SealedTokens, Store, WorkspaceId};
use crate::vault::{Vault, purpose};

/// An access token is refreshed when it expires within this time.
const REFRESH_BEFORE_MS: i64 = 5 * 60 * 1000;
/// Time that a request waits for the check of its grant. A MANTYX that hangs must not hide the stored data.
const CHECK_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The credential for a request to MANTYX, and its workspace.
#[derive(Clone, Debug)]
pub struct Caller {
    pub workspace_id: WorkspaceId,
    pub slug: String,
    pub credential: Credential,
    pub actor: Actor,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    /// The id of a signed-in user's grant.
    Grant(String),
    /// A verified credential that came with the request.
    Bearer(Bearer),
}

#[derive(Clone, Debug)]
pub struct Credentials {
    pub(super) store: Store,
    pub(super) vault: Arc<Vault>,
    pub(super) mantyx: Mantyx,
    /// One refresh at a time for each grant. After waiting, the new token is in the store.
    refreshing: KeyedLocks<String>,
    /// When each grant in use was checked at MANTYX.
    checked: Arc<Mutex<HashMap<String, Instant>>>,
    recheck_after: Duration,
    /// Counts the grants that ended in this process. Streams watch it.
    ended: watch::Sender<u64>,
    /// Grants whose user signed out while the database could not be written, with the entry for the audit log. They are
    /// refused, and ended in the database later.
    pub(super) signed_out: Arc<Mutex<HashMap<String, NewAuditEntry>>>,
    /// Notified when there is a token to revoke.
    pub(super) revocations: Arc<Notify>,
}

impl Credentials {
    pub fn new(store: Store, vault: Arc<Vault>, mantyx: Mantyx, recheck_after: Duration) -> Self {
        Self {
            store,
            vault,
            mantyx,
            refreshing: KeyedLocks::default(),
            checked: Arc::default(),
            recheck_after,
            ended: watch::Sender::new(0),
            signed_out: Arc::default(),
            revocations: Arc::default(),
        }
    }

    pub fn seal(&self, tokens: &TokenSet, now_ms: i64) -> SealedTokens {
        let lifetime_ms = i64::try_from(tokens.expires_in.as_millis()).unwrap_or(i64::MAX);
        SealedTokens {
            access: self.vault.seal(purpose::ACCESS_TOKEN, tokens.access.expose().as_bytes()),
            access_expires_at_ms: now_ms.saturating_add(lifetime_ms),
            refresh: tokens.refresh.as_ref().map(|token| self.vault.seal(purpose::REFRESH_TOKEN, token.as_bytes())),
        }
    }

    /// Calls MANTYX with the caller's token. On a 401, refreshes the token and calls once more.
    pub async fn call<T, E, F>(&self, caller: &Caller, call: impl Fn(Bearer) -> F) -> Result<T, E>
    where
        E: CallError,
        F: Future<Output = Result<T, E>>,
    {
        let grant_id = match &caller.credential {
            Credential::Bearer(bearer) => return call(bearer.clone()).await,
            Credential::Grant(id) => id,
        };
        let bearer = self.access_token(grant_id, None).await?;
        match call(bearer.clone()).await {
            Err(error) if error.is_unauthorized() => {
                let refreshed = self.access_token(grant_id, Some(&bearer)).await?;
                let answer = call(refreshed).await;
                if answer.as_ref().is_err_and(E::is_unauthorized) {
                    self.end(grant_id, "its new token was rejected").await;
                }
                answer
            }
            other => other,
        }
    }

    /// Asks MANTYX whether the caller's grant is still accepted, if that was not asked lately. Returns false after a definite
    /// refusal; while MANTYX cannot be reached, the grant is used.
    pub async fn recheck(&self, caller: &Caller) -> bool {
        let Credential::Grant(grant_id) = &caller.credential else { return true };
        if !self.is_check_due(grant_id) {
            return true;
        }
        let (this, caller) = (self.clone(), caller.clone());
        // In a task: the check goes on when the request stops waiting for it.
        let check = async move {
            let mantyx = &this.mantyx;
            let asked = this.call(&caller, |bearer| async move { mantyx.userinfo(&bearer).await }).await;
            !matches!(asked, Err(MantyxError::Unauthorized))
        };
        let check = tokio::spawn(check.in_current_span());
        !matches!(tokio::time::timeout(CHECK_TIMEOUT, check).await, Ok(Ok(false)))
    }

    /// Notes that MANTYX accepts a grant now.
    pub fn mark_checked(&self, grant_id: &str) {
        self.checked.locked().insert(grant_id.to_owned(), Instant::now());
    }

    fn is_check_due(&self, grant_id: &str) -> bool {
        let mut checked = self.checked.locked();
        checked.retain(|_, at| at.elapsed() < self.recheck_after);
        let is_due = !checked.contains_key(grant_id);
        if is_due {
            // Noted before the answer is known, so that other requests don't ask too.
            checked.insert(grant_id.to_owned(), Instant::now());
        }
        is_due
    }

    /// Changes whenever a grant ends in this process.
    pub fn watch_ended(&self) -> watch::Receiver<u64> {
        self.ended.subscribe()
    }

    pub(super) fn announce_end(&self, grant_id: &str) {
        self.checked.locked().remove(grant_id);
        self.ended.send_modify(|count| *count += 1);
    }

    /// Ends a grant that MANTYX has refused, with its sessions.
    async fn end(&self, grant_id: &str, reason: &str) {
        tracing::info!(reason, "MANTYX no longer accepts a sign-in; it is ended here too");
        if let Err(error) = self.store.end_grant(grant_id, None, None, now_ms()).await {
            tracing::warn!(%error, "cannot delete a grant");
        }
        self.announce_end(grant_id);
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
        let Some(sealed) = grant.tokens.refresh else {
            self.end(grant_id, "its token was rejected or has expired, and it cannot be refreshed").await;
            return Err(MantyxError::Unauthorized);
        };
        let refresh_token = self.open(purpose::REFRESH_TOKEN, &sealed)?;
        let mut tokens = match self.mantyx.refresh(&refresh_token).await {
            Ok(tokens) => tokens,
            Err(MantyxError::Refused { code, .. }) if code == "invalid_grant" => {
                self.end(grant_id, "the consent was withdrawn").await;
                return Err(MantyxError::Unauthorized);
            }
            Err(error) => return Err(error),
        };
        tokens.refresh.get_or_insert(refresh_token);
        let sealed = self.seal(&tokens, now_ms());
        // A token that cannot be stored can be used: MANTYX does not rotate refresh tokens, so the stored one stays valid.
        if let Err(error) = self.store.update_grant_tokens(grant_id, &sealed).await {
            tracing::warn!(%error, "cannot store a refreshed token; it will be refreshed again");
        } else if !tokens.scopes.is_empty() && tokens.scopes != grant.scopes {
            self.store.update_grant_scopes(grant_id, &tokens.scopes).await.map_err(database_error)?;
        }
        Ok(tokens.access)
    }

    async fn stored_access_token(&self, grant_id: &str) -> Result<(Bearer, i64), MantyxError> {
        let grant = self.load(grant_id).await?;
        let token = self.open(purpose::ACCESS_TOKEN, &grant.tokens.access)?;
        Ok((Bearer::new(token), grant.tokens.access_expires_at_ms))
    }

    async fn load(&self, grant_id: &str) -> Result<crate::store::Grant, MantyxError> {
        self.store.grant(grant_id).await.map_err(database_error)?.ok_or(MantyxError::Unauthorized)
    }

    pub(super) fn open(&self, purpose: &str, sealed: &[u8]) -> Result<String, MantyxError> {
        let plain = self.vault.open_sealed(purpose, sealed).map_err(|_| MantyxError::Unauthorized)?;
        String::from_utf8(plain).map_err(|_| MantyxError::Unauthorized)
    }
}

fn database_error(error: crate::store::Error) -> MantyxError {
    tracing::error!(%error, "database failed while loading a token");
    MantyxError::Unexpected("a fault in the database of Runlens".to_owned())
}
