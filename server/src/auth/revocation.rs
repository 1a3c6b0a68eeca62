//! Ends sign-ins. A sign-out is local first; MANTYX revokes the tokens in the background, as often as it takes.
//!
//! While the database cannot be written, a sign-out is remembered in memory: its grant is refused at once, and ended in the
//! database later.

use std::time::Duration;

use domain::{AuditAction, Backoff, LockExt};
use tokio_util::sync::CancellationToken;

use super::Credentials;
use crate::audit::Actor;
use crate::clock::now_ms;
use crate::mantyx::{MantyxError, TokenSet};
use crate::store::{self, NewAuditEntry};
use crate::vault::purpose;

/// Tokens revoked in one round.
const BATCH: u32 = 50;
/// The interval between looks at what another process has left behind.
const LOOK_EVERY: Duration = Duration::from_secs(20);
const RETRY: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(60));
/// A token that could not be revoked for this long is forgotten.
const GIVE_UP_AFTER_MS: i64 = 7 * 24 * 3600 * 1000;
/// Sign-outs that are remembered in memory.
const MAX_SIGNED_OUT: usize = 10_000;

impl Credentials {
    /// Ends a grant and its sessions here, at once. Its tokens are revoked at MANTYX in the background. `actor` is the
    /// person who signs out. If that cannot be stored, their grant is refused from now on, and ended later.
    pub async fn sign_out(&self, grant_id: &str, actor: Option<&Actor>) -> store::Result<()> {
        let entry = actor.map(|actor| actor.entry(AuditAction::SignOut));
        let ended = self.end_stored(grant_id, entry.clone()).await;
        if let (Err(_), Some(entry)) = (&ended, entry) {
            self.remember_sign_out(grant_id, entry);
        }
        ended
    }

    /// Returns true for a grant whose user signed out, although it is still stored.
    pub fn is_signed_out(&self, grant_id: &str) -> bool {
        self.signed_out.locked().contains_key(grant_id)
    }

    fn remember_sign_out(&self, grant_id: &str, entry: NewAuditEntry) {
        let mut signed_out = self.signed_out.locked();
        if signed_out.len() < MAX_SIGNED_OUT {
            signed_out.insert(grant_id.to_owned(), entry);
        }
        drop(signed_out);
        self.announce_end(grant_id);
        self.revocations.notify_one();
    }

    /// Ends the grants whose sign-out is only remembered.
    async fn end_remembered(&self) -> store::Result<()> {
        let remembered: Vec<(String, NewAuditEntry)> =
            self.signed_out.locked().iter().map(|(id, entry)| (id.clone(), entry.clone())).collect();
        for (grant_id, entry) in remembered {
            self.end_stored(&grant_id, Some(entry)).await?;
            self.signed_out.locked().remove(&grant_id);
        }
        Ok(())
    }

    async fn end_stored(&self, grant_id: &str, entry: Option<NewAuditEntry>) -> store::Result<()> {
        let grant = self.store.grant(grant_id).await?;
        let workspace = grant.as_ref().map(|grant| grant.workspace_id);
        let entry = workspace.zip(entry);
        let token = grant.and_then(|grant| {
            let token = match &grant.tokens.refresh {
                Some(sealed) => self.open(purpose::REFRESH_TOKEN, sealed),
                None => self.open(purpose::ACCESS_TOKEN, &grant.tokens.access),
            };
            // Tokens that this key cannot decrypt cannot be revoked either.
            token.ok()
        });
        let sealed = token.map(|token| self.vault.seal(purpose::TOKEN_TO_REVOKE, token.as_bytes()));
        self.store.end_grant(grant_id, sealed.as_deref(), entry.as_ref(), now_ms()).await?;
        self.announce_end(grant_id);
        self.revocations.notify_one();
        Ok(())
    }

    /// Revokes tokens of a sign-in that was not completed.
    pub async fn discard(&self, tokens: &TokenSet) {
        let token = tokens.refresh.as_deref().unwrap_or_else(|| tokens.access.expose());
        let sealed = self.vault.seal(purpose::TOKEN_TO_REVOKE, token.as_bytes());
        if let Err(error) = self.store.insert_revocation(&crate::random::token(), &sealed, now_ms()).await {
            tracing::warn!(%error, "cannot store a token to revoke");
        }
        self.revocations.notify_one();
    }

    /// A background task that ends remembered sign-outs and revokes tokens at MANTYX. Another process may do the same:
    /// revoking twice changes nothing.
    pub async fn revoke_tokens(self, shutdown: CancellationToken) {
        let mut retry = RETRY;
        loop {
            let wait = match self.end_and_revoke().await {
                Ok(()) => {
                    retry.reset();
                    LOOK_EVERY
                }
                Err(error) => {
                    tracing::info!(%error, "cannot end sign-ins or revoke their tokens now; retrying");
                    retry.next_delay()
                }
            };
            tokio::select! {
                () = self.revocations.notified() => {}
                () = tokio::time::sleep(wait) => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    async fn end_and_revoke(&self) -> Result<(), crate::error::Error> {
        self.end_remembered().await?;
        self.revoke_batch().await
    }

    async fn revoke_batch(&self) -> Result<(), crate::error::Error> {
        loop {
            let tokens = self.store.revocations(BATCH).await?;
            let is_last = tokens.len() < BATCH as usize;
            for (id, sealed, created_at_ms) in tokens {
                if let Ok(token) = self.open(purpose::TOKEN_TO_REVOKE, &sealed) {
                    match self.mantyx.revoke(&token).await {
                        Ok(()) => {}
                        Err(error) if now_ms() - created_at_ms > GIVE_UP_AFTER_MS => {
                            tracing::warn!(%error, "a token could not be revoked at MANTYX for a week; giving up");
                        }
                        Err(MantyxError::Refused { status: 400..=499, code, .. }) => {
                            tracing::warn!(code, "MANTYX refused to revoke a token");
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                self.store.delete_revocation(&id).await?;
            }
            if is_last {
                return Ok(());
            }
        }
    }
}
