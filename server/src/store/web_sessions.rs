//! Browser sessions as encrypted records, which `auth` reads and writes.
//!
//! A session is stored under a hash of its id, so that nobody who reads the database can use it in a cookie.

use sha2::{Digest, Sha256};
use sqlx::Row;

use super::{Result, Store};

/// The length of a stored id. Earlier versions stored the shorter id of the cookie.
const HASH_CHARS: i64 = 64;

#[derive(Clone, Copy, Debug)]
pub struct WebSession<'a> {
    /// As in the cookie.
    pub id: &'a str,
    pub record: &'a [u8],
    /// The consent that the session belongs to. `None` for a client that is not signed in.
    pub grant_id: Option<&'a str>,
    pub expires_at_ms: i64,
}

impl WebSession<'_> {
    fn anonymous_bytes(&self) -> i64 {
        if self.grant_id.is_some() { 0 } else { i64::try_from(self.record.len()).unwrap_or(i64::MAX) }
    }
}

/// A session as it is loaded.
#[derive(Clone, Debug)]
pub struct LoadedSession {
    pub record: Vec<u8>,
    pub used_at_ms: i64,
}

impl Store {
    /// Stores a new session. Returns false if the id is taken.
    pub async fn create_web_session(&self, session: WebSession<'_>, now_ms: i64) -> Result<bool> {
        Ok(self.write_web_session(session, now_ms, "NOTHING").await? == 1)
    }

    pub async fn save_web_session(&self, session: WebSession<'_>, now_ms: i64) -> Result<()> {
        let update = "UPDATE SET record = excluded.record, grant_id = excluded.grant_id, \
                      expires_at = excluded.expires_at, used_at = excluded.used_at, \
                      anonymous_bytes = excluded.anonymous_bytes";
        self.write_web_session(session, now_ms, update).await.map(drop)
    }

    async fn write_web_session(&self, session: WebSession<'_>, now_ms: i64, on_conflict: &str) -> Result<u64> {
        let sql = format!(
            "INSERT INTO web_session (id, record, grant_id, expires_at, used_at, anonymous_bytes) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO {on_conflict}"
        );
        let done = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(hash(session.id))
            .bind(session.record)
            .bind(session.grant_id)
            .bind(session.expires_at_ms)
            .bind(now_ms)
            .bind(session.anonymous_bytes())
            .execute(&self.writer)
            .await?;
        Ok(done.rows_affected())
    }

    /// The size of all sessions of clients that are not signed in, except one.
    pub async fn anonymous_bytes_except(&self, id: &str, now_ms: i64) -> Result<i64> {
        sqlx::query_scalar(
            "SELECT CAST(COALESCE(SUM(anonymous_bytes), 0) AS BIGINT) FROM web_session \
             WHERE expires_at > $1 AND id <> $2",
        )
        .bind(now_ms)
        .bind(hash(id))
        .fetch_one(&self.reader)
        .await
    }

    /// Loads a session that has not expired and was used after `idle_since_ms`.
    pub async fn load_web_session(&self, id: &str, now_ms: i64, idle_since_ms: i64) -> Result<Option<LoadedSession>> {
        let row =
            sqlx::query("SELECT record, used_at FROM web_session WHERE id = $1 AND expires_at > $2 AND used_at > $3")
                .bind(hash(id))
                .bind(now_ms)
                .bind(idle_since_ms)
                .fetch_optional(&self.reader)
                .await?;
        row.map(|row| Ok(LoadedSession { record: row.try_get("record")?, used_at_ms: row.try_get("used_at")? }))
            .transpose()
    }

    /// Records that a session is used.
    pub async fn touch_web_session(&self, id: &str, now_ms: i64) -> Result<()> {
        sqlx::query("UPDATE web_session SET used_at = $1 WHERE id = $2 AND used_at < $1")
            .bind(now_ms)
            .bind(hash(id))
            .execute(&self.writer)
            .await
            .map(drop)
    }

    /// Returns true while a session and its consent exist, the session was used after `idle_since_ms`, and its sign-in was
    /// after `signed_in_since_ms`.
    pub async fn is_signed_in(
        &self,
        session_id: &str,
        grant_id: &str,
        now_ms: i64,
        idle_since_ms: i64,
        signed_in_since_ms: i64,
    ) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar(
            "SELECT CAST(1 AS BIGINT) FROM web_session WHERE id = $1 AND expires_at > $2 AND used_at > $3 \
             AND EXISTS (SELECT 1 FROM oauth_grant WHERE oauth_grant.id = $4 AND created_at > $5)",
        )
        .bind(hash(session_id))
        .bind(now_ms)
        .bind(idle_since_ms)
        .bind(grant_id)
        .bind(signed_in_since_ms)
        .fetch_optional(&self.reader)
        .await?;
        Ok(found.is_some())
    }

    pub async fn delete_web_session(&self, id: &str) -> Result<()> {
        sqlx::query("DELETE FROM web_session WHERE id = $1").bind(hash(id)).execute(&self.writer).await.map(drop)
    }

    /// Deletes sessions that have expired or were not used since `idle_since_ms`.
    pub async fn delete_ended_web_sessions(&self, now_ms: i64, idle_since_ms: i64) -> Result<u64> {
        let done = sqlx::query("DELETE FROM web_session WHERE expires_at <= $1 OR used_at <= $2")
            .bind(now_ms)
            .bind(idle_since_ms)
            .execute(&self.writer)
            .await?;
        Ok(done.rows_affected())
    }

    /// Sessions of an earlier version, which are stored under the id of the cookie.
    pub async fn unhashed_web_sessions(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let rows = sqlx::query("SELECT id, record FROM web_session WHERE length(id) < $1")
            .bind(HASH_CHARS)
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// Stores such a session under the hash of its id.
    pub async fn hash_web_session(&self, id: &str, grant_id: Option<&str>) -> Result<()> {
        sqlx::query("UPDATE web_session SET id = $1, grant_id = $2 WHERE id = $3")
            .bind(hash(id))
            .bind(grant_id)
            .bind(id)
            .execute(&self.writer)
            .await
            .map(drop)
    }
}

fn hash(id: &str) -> String {
    Sha256::digest(id).iter().map(|byte| format!("{byte:02x}")).collect()
}
