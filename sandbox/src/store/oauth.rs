//! Storage of OAuth state: authorization requests, codes, tokens. Secrets are stored as digests.

use super::Store;
use super::row::from_row;

/// A request that waits for consent.
pub struct AuthorizeRequest {
    pub redirect_uri: String,
    pub scope: String,
    pub state: String,
    pub challenge: String,
    pub expires_at: i64,
}

from_row!(AuthorizeRequest { redirect_uri, scope, state, challenge, expires_at });

pub struct Code {
    pub redirect_uri: String,
    pub scope: String,
    pub challenge: String,
    pub email: String,
    pub expires_at: i64,
    pub used_at: Option<i64>,
}

from_row!(Code { redirect_uri, scope, challenge, email, expires_at, used_at });

/// The account and scopes of a token.
pub struct Grant {
    pub scope: String,
    pub email: String,
}

from_row!(Grant { scope, email });

impl Store {
    pub async fn insert_authorize_request(&self, digest: &[u8], request: &AuthorizeRequest) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT INTO authorize_requests (digest, redirect_uri, scope, state, challenge, expires_at)
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(digest)
        .bind(&request.redirect_uri)
        .bind(&request.scope)
        .bind(&request.state)
        .bind(&request.challenge)
        .bind(request.expires_at)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    /// Returns and deletes the request, so that it is decided once.
    pub async fn take_authorize_request(&self, digest: &[u8]) -> sqlx::Result<Option<AuthorizeRequest>> {
        sqlx::query_as(
            "DELETE FROM authorize_requests WHERE digest = ?
             RETURNING redirect_uri, scope, state, challenge, expires_at",
        )
        .bind(digest)
        .fetch_optional(&self.write)
        .await
    }

    pub async fn insert_code(&self, digest: &[u8], code: &Code) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT INTO codes (digest, redirect_uri, scope, challenge, email, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(digest)
        .bind(&code.redirect_uri)
        .bind(&code.scope)
        .bind(&code.challenge)
        .bind(&code.email)
        .bind(code.expires_at)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    pub async fn code(&self, digest: &[u8]) -> sqlx::Result<Option<Code>> {
        sqlx::query_as("SELECT * FROM codes WHERE digest = ?").bind(digest).fetch_optional(&self.read).await
    }

    /// Marks a code as used. Returns false if it was used before.
    pub async fn use_code(&self, digest: &[u8], now_ms: i64) -> sqlx::Result<bool> {
        let spent = sqlx::query("UPDATE codes SET used_at = ? WHERE digest = ? AND used_at IS NULL")
            .bind(now_ms)
            .bind(digest)
            .execute(&self.write)
            .await?;
        Ok(spent.rows_affected() == 1)
    }

    pub async fn insert_refresh_token(&self, digest: &[u8], grant: &Grant, now_ms: i64) -> sqlx::Result<()> {
        sqlx::query("INSERT INTO refresh_tokens (digest, scope, email, created_at) VALUES (?, ?, ?, ?)")
            .bind(digest)
            .bind(&grant.scope)
            .bind(&grant.email)
            .bind(now_ms)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    pub async fn refresh_grant(&self, digest: &[u8]) -> sqlx::Result<Option<Grant>> {
        sqlx::query_as("SELECT scope, email FROM refresh_tokens WHERE digest = ?")
            .bind(digest)
            .fetch_optional(&self.read)
            .await
    }

    pub async fn insert_access_token(
        &self,
        digest: &[u8],
        refresh: &[u8],
        grant: &Grant,
        expires_at: i64,
    ) -> sqlx::Result<()> {
        sqlx::query("INSERT INTO access_tokens (digest, refresh, scope, email, expires_at) VALUES (?, ?, ?, ?, ?)")
            .bind(digest)
            .bind(refresh)
            .bind(&grant.scope)
            .bind(&grant.email)
            .bind(expires_at)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    pub async fn access_grant(&self, digest: &[u8], now_ms: i64) -> sqlx::Result<Option<Grant>> {
        sqlx::query_as("SELECT scope, email FROM access_tokens WHERE digest = ? AND expires_at > ?")
            .bind(digest)
            .bind(now_ms)
            .fetch_optional(&self.read)
            .await
    }

    /// Deletes an access or refresh token.
    pub async fn revoke(&self, digest: &[u8]) -> sqlx::Result<()> {
        sqlx::query("DELETE FROM access_tokens WHERE digest = ?").bind(digest).execute(&self.write).await?;
        sqlx::query("DELETE FROM refresh_tokens WHERE digest = ?").bind(digest).execute(&self.write).await?;
        Ok(())
    }

    pub async fn delete_expired(&self, now_ms: i64) -> sqlx::Result<()> {
        for statement in [
            "DELETE FROM authorize_requests WHERE expires_at < ?",
            "DELETE FROM codes WHERE expires_at < ?",
            "DELETE FROM access_tokens WHERE expires_at < ?",
        ] {
            sqlx::query(statement).bind(now_ms).execute(&self.write).await?;
        }
        Ok(())
    }
}
