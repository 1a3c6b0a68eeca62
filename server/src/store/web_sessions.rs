//! Browser sessions as encrypted records, which `auth` reads and writes.

use super::{Result, Store};

impl Store {
    /// Stores a new session. Returns false if the id is taken.
    pub async fn create_web_session(&self, id: &str, record: &[u8], expires_at_ms: i64) -> Result<bool> {
        let done = sqlx::query(
            "INSERT INTO web_session (id, record, expires_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
        )
        .bind(id)
        .bind(record)
        .bind(expires_at_ms)
        .execute(&self.writer)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    pub async fn save_web_session(&self, id: &str, record: &[u8], expires_at_ms: i64) -> Result<()> {
        sqlx::query(
            "INSERT INTO web_session (id, record, expires_at) VALUES ($1, $2, $3) \
             ON CONFLICT (id) DO UPDATE SET record = excluded.record, expires_at = excluded.expires_at",
        )
        .bind(id)
        .bind(record)
        .bind(expires_at_ms)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    pub async fn load_web_session(&self, id: &str, now_ms: i64) -> Result<Option<Vec<u8>>> {
        sqlx::query_scalar("SELECT record FROM web_session WHERE id = $1 AND expires_at > $2")
            .bind(id)
            .bind(now_ms)
            .fetch_optional(&self.reader)
            .await
    }

    pub async fn delete_web_session(&self, id: &str) -> Result<()> {
        sqlx::query("DELETE FROM web_session WHERE id = $1").bind(id).execute(&self.writer).await.map(drop)
    }

    pub async fn delete_expired_web_sessions(&self, now_ms: i64) -> Result<u64> {
        let done =
            sqlx::query("DELETE FROM web_session WHERE expires_at <= $1").bind(now_ms).execute(&self.writer).await?;
        Ok(done.rows_affected())
    }
}
