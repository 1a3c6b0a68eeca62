//! OAuth grants of users. Tokens are encrypted before they reach the store.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::audit::{self, NewAuditEntry};
use super::{Result, Store, WorkspaceId};

#[derive(Clone, Debug)]
pub struct Grant {
    pub id: String,
    pub workspace_id: WorkspaceId,
    pub subject: String,
    pub email: String,
    pub scopes: String,
    pub tokens: SealedTokens,
    /// The time of the sign-in.
    pub created_at_ms: i64,
}

/// Encrypted tokens.
#[derive(Clone, Debug)]
pub struct SealedTokens {
    pub access: Vec<u8>,
    pub access_expires_at_ms: i64,
    pub refresh: Option<Vec<u8>>,
}

/// A grant's id and its scopes, separated by spaces.
#[derive(Clone, Debug)]
pub struct GrantScopes {
    pub id: String,
    pub scopes: String,
}

impl Store {
    pub async fn insert_grant(&self, grant: &Grant, entry: &NewAuditEntry) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO oauth_grant (id, workspace_id, subject, email, scopes, access_token, access_expires_at, \
             refresh_token, created_at, address) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        )
        .bind(&grant.id)
        .bind(grant.workspace_id.0)
        .bind(&grant.subject)
        .bind(&grant.email)
        .bind(&grant.scopes)
        .bind(&grant.tokens.access)
        .bind(grant.tokens.access_expires_at_ms)
        .bind(&grant.tokens.refresh)
        .bind(grant.created_at_ms)
        .bind(&entry.address)
        .execute(&mut *tx)
        .await?;
        audit::add(&mut tx, grant.workspace_id, entry).await?;
        tx.commit().await
    }

    pub async fn grant(&self, id: &str) -> Result<Option<Grant>> {
        let row = sqlx::query(
            "SELECT id, workspace_id, subject, email, scopes, access_token, access_expires_at, refresh_token, \
             created_at FROM oauth_grant WHERE id = $1",
        )
        .bind(id)
        .fetch_optional(&self.reader)
        .await?;
        row.map(|row| {
            Ok(Grant {
                id: row.try_get("id")?,
                workspace_id: WorkspaceId(row.try_get("workspace_id")?),
                subject: row.try_get("subject")?,
                email: row.try_get("email")?,
                scopes: row.try_get("scopes")?,
                tokens: SealedTokens {
                    access: row.try_get("access_token")?,
                    access_expires_at_ms: row.try_get("access_expires_at")?,
                    refresh: row.try_get("refresh_token")?,
                },
                created_at_ms: row.try_get("created_at")?,
            })
        })
        .transpose()
    }

    /// The grants of a person with their scopes, newest first.
    pub async fn grants_of_person(&self, workspace: WorkspaceId, subject: &str) -> Result<Vec<GrantScopes>> {
        let rows = sqlx::query(
            "SELECT id, scopes FROM oauth_grant WHERE workspace_id = $1 AND subject = $2 ORDER BY created_at DESC",
        )
        .bind(workspace.0)
        .bind(subject)
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(grant_scopes).collect()
    }

    /// Grants with a refresh token, newest first.
    pub async fn grants_of(&self, workspace: WorkspaceId) -> Result<Vec<GrantScopes>> {
        let rows = sqlx::query(
            "SELECT id, scopes FROM oauth_grant WHERE workspace_id = $1 AND refresh_token IS NOT NULL \
             ORDER BY created_at DESC",
        )
        .bind(workspace.0)
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(grant_scopes).collect()
    }

    /// Workspaces that have a grant with a refresh token, with their slugs.
    pub async fn workspaces_with_grants(&self) -> Result<Vec<(WorkspaceId, String)>> {
        let rows = sqlx::query(
            "SELECT id, slug FROM workspace w WHERE slug IS NOT NULL AND EXISTS \
             (SELECT 1 FROM oauth_grant g WHERE g.workspace_id = w.id AND g.refresh_token IS NOT NULL)",
        )
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|row| Ok((WorkspaceId(row.try_get(0)?), row.try_get(1)?))).collect()
    }

    pub async fn update_grant_tokens(&self, id: &str, tokens: &SealedTokens) -> Result<()> {
        sqlx::query(
            "UPDATE oauth_grant SET access_token = $1, access_expires_at = $2, refresh_token = $3 WHERE id = $4",
        )
        .bind(&tokens.access)
        .bind(tokens.access_expires_at_ms)
        .bind(&tokens.refresh)
        .bind(id)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    pub async fn update_grant_scopes(&self, id: &str, scopes: &str) -> Result<()> {
        sqlx::query("UPDATE oauth_grant SET scopes = $1 WHERE id = $2")
            .bind(scopes)
            .bind(id)
            .execute(&self.writer)
            .await
            .map(drop)
    }

    /// Deletes a grant and its sessions. A token that MANTYX still has to revoke is stored in the same transaction.
    pub async fn end_grant(
        &self,
        id: &str,
        revoke: Option<&[u8]>,
        entry: Option<&(WorkspaceId, NewAuditEntry)>,
        now_ms: i64,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query("DELETE FROM web_session WHERE grant_id = $1").bind(id).execute(&mut *tx).await?;
        sqlx::query("DELETE FROM oauth_grant WHERE id = $1").bind(id).execute(&mut *tx).await?;
        if let Some(token) = revoke {
            sqlx::query(INSERT_REVOCATION).bind(id).bind(token).bind(now_ms).execute(&mut *tx).await?;
        }
        if let Some((workspace, entry)) = entry {
            audit::add(&mut tx, *workspace, entry).await?;
        }
        tx.commit().await
    }

    /// Stores a token that belongs to no grant and that MANTYX has to revoke.
    pub async fn insert_revocation(&self, id: &str, token: &[u8], now_ms: i64) -> Result<()> {
        sqlx::query(INSERT_REVOCATION).bind(id).bind(token).bind(now_ms).execute(&self.writer).await.map(drop)
    }

    /// Tokens to revoke, oldest first: id, encrypted token, and time of the sign-out.
    pub async fn revocations(&self, limit: u32) -> Result<Vec<(String, Vec<u8>, i64)>> {
        let rows = sqlx::query("SELECT id, token, created_at FROM token_revocation ORDER BY created_at LIMIT $1")
            .bind(i64::from(limit))
            .fetch_all(&self.writer)
            .await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).collect()
    }

    pub async fn delete_revocation(&self, id: &str) -> Result<()> {
        sqlx::query("DELETE FROM token_revocation WHERE id = $1").bind(id).execute(&self.writer).await.map(drop)
    }

    /// Grants that are no longer used: signed in before `signed_in_since_ms`; or without a session, unless the background
    /// sync or pending answers and batches need them. Each of these uses the newest grant of its workspace or person. The
    /// workspace `synced_by_key` has another credential for its sync.
    ///
    /// A grant is younger than its session for a moment, so those signed in after `settled_ms` are kept. While there are
    /// sessions of an earlier version, whose grants are unknown, only old sign-ins are found.
    pub async fn unused_grants(
        &self,
        signed_in_since_ms: i64,
        settled_ms: i64,
        synced_by_key: Option<WorkspaceId>,
    ) -> Result<Vec<String>> {
        sqlx::query_scalar(
            "SELECT g.id FROM oauth_grant g WHERE g.created_at <= $1 OR (g.created_at <= $2 \
             AND NOT EXISTS (SELECT 1 FROM web_session s WHERE s.grant_id = g.id OR length(s.id) < 64) \
             AND (EXISTS (SELECT 1 FROM oauth_grant newer WHERE newer.workspace_id = g.workspace_id \
                  AND newer.created_at > g.created_at AND newer.refresh_token IS NOT NULL) \
               OR g.refresh_token IS NULL OR g.workspace_id = $3) \
             AND (EXISTS (SELECT 1 FROM oauth_grant newer WHERE newer.workspace_id = g.workspace_id \
                  AND newer.created_at > g.created_at AND newer.subject = g.subject) \
               OR NOT EXISTS (SELECT 1 FROM run_answerer a WHERE a.workspace_id = g.workspace_id \
                  AND a.subject = g.subject AND a.state = 'open') \
              AND NOT EXISTS (SELECT 1 FROM launch_batch b WHERE b.workspace_id = g.workspace_id \
                  AND b.subject = g.subject AND b.state = 'open'))) ORDER BY g.created_at",
        )
        .bind(signed_in_since_ms)
        .bind(settled_ms)
        .bind(synced_by_key.map_or(0, |workspace| workspace.0))
        .fetch_all(&self.reader)
        .await
    }
}

const INSERT_REVOCATION: &str =
    "INSERT INTO token_revocation (id, token, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING";

fn grant_scopes(row: &AnyRow) -> Result<GrantScopes> {
    Ok(GrantScopes { id: row.try_get(0)?, scopes: row.try_get(1)? })
}
