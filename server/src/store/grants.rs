//! OAuth grants of users. Tokens are encrypted before they reach the store.

use sqlx::Row;

use super::{Result, Store, WorkspaceId};

#[derive(Clone, Debug)]
pub struct Grant {
    pub id: String,
    pub workspace_id: WorkspaceId,
    pub subject: String,
    pub email: String,
    pub scopes: String,
    pub tokens: SealedTokens,
}

/// Encrypted tokens.
#[derive(Clone, Debug)]
pub struct SealedTokens {
    pub access: Vec<u8>,
    pub access_expires_at_ms: i64,
    pub refresh: Option<Vec<u8>>,
}

impl Store {
    pub async fn insert_grant(&self, grant: &Grant, now_ms: i64) -> Result<()> {
        sqlx::query(
            "INSERT INTO oauth_grant (id, workspace_id, subject, email, scopes, access_token, access_expires_at, \
             refresh_token, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(&grant.id)
        .bind(grant.workspace_id.0)
        .bind(&grant.subject)
        .bind(&grant.email)
        .bind(&grant.scopes)
        .bind(&grant.tokens.access)
        .bind(grant.tokens.access_expires_at_ms)
        .bind(&grant.tokens.refresh)
        .bind(now_ms)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    pub async fn grant(&self, id: &str) -> Result<Option<Grant>> {
        let row = sqlx::query(
            "SELECT id, workspace_id, subject, email, scopes, access_token, access_expires_at, refresh_token \
             FROM oauth_grant WHERE id = $1",
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
            })
        })
        .transpose()
    }

    /// The newest grant of a person.
    pub async fn newest_grant_of(&self, workspace: WorkspaceId, subject: &str) -> Result<Option<String>> {
        sqlx::query_scalar(
            "SELECT id FROM oauth_grant WHERE workspace_id = $1 AND subject = $2 ORDER BY created_at DESC LIMIT 1",
        )
        .bind(workspace.0)
        .bind(subject)
        .fetch_optional(&self.reader)
        .await
    }

    /// Grants with a refresh token, newest first.
    pub async fn grants_of(&self, workspace: WorkspaceId) -> Result<Vec<String>> {
        sqlx::query_scalar(
            "SELECT id FROM oauth_grant WHERE workspace_id = $1 AND refresh_token IS NOT NULL ORDER BY created_at DESC",
        )
        .bind(workspace.0)
        .fetch_all(&self.reader)
        .await
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

    pub async fn delete_grant(&self, id: &str) -> Result<()> {
        sqlx::query("DELETE FROM oauth_grant WHERE id = $1").bind(id).execute(&self.writer).await.map(drop)
    }
}
