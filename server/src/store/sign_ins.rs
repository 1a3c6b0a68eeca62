//! The signed-in sessions of a person.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::{Result, Store, WorkspaceId};

/// A consent whose session can be used.
#[derive(Clone, Debug)]
pub struct SignIn {
    pub grant_id: String,
    pub signed_in_at_ms: i64,
    /// Stored at intervals, not on each request.
    pub used_at_ms: i64,
    /// The client's address at the sign-in, if it was stored.
    pub address: Option<String>,
}

impl Store {
    /// Returns a person's sessions that have not expired and were used after `idle_since_ms`, the one used last first.
    pub async fn sign_ins(
        &self,
        workspace: WorkspaceId,
        subject: &str,
        now_ms: i64,
        idle_since_ms: i64,
    ) -> Result<Vec<SignIn>> {
        let rows = sqlx::query(
            "SELECT g.id, g.created_at, g.address, CAST(MAX(s.used_at) AS BIGINT) AS used_at \
             FROM oauth_grant g JOIN web_session s ON s.grant_id = g.id \
             WHERE g.workspace_id = $1 AND g.subject = $2 AND s.expires_at > $3 AND s.used_at > $4 \
             GROUP BY g.id, g.created_at, g.address ORDER BY MAX(s.used_at) DESC, g.created_at DESC",
        )
        .bind(workspace.0)
        .bind(subject)
        .bind(now_ms)
        .bind(idle_since_ms)
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(read).collect()
    }
}

fn read(row: &AnyRow) -> Result<SignIn> {
    Ok(SignIn {
        grant_id: row.try_get("id")?,
        signed_in_at_ms: row.try_get("created_at")?,
        used_at_ms: row.try_get("used_at")?,
        address: row.try_get("address")?,
    })
}
