//! Launches by their idempotency key, so that each happens once.

use sqlx::Row;

use super::audit::{self, NewAuditEntry};
use super::sql::{args, execute, fetch_column, fetch_optional, fetch_value};
use super::{Result, Store, WorkspaceId};

/// A launch that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct NewLaunch<'a> {
    pub key: &'a str,
    pub fingerprint: &'a str,
    pub subject: &'a str,
    /// The run that it repeats.
    pub origin_run_id: Option<&'a str>,
    pub now_ms: i64,
    pub lease_until_ms: i64,
}

/// The state of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub fingerprint: String,
    pub session_id: Option<String>,
    pub run_id: Option<String>,
    /// It was sent, but MANTYX did not respond.
    pub unknown: bool,
    pub lease_until_ms: i64,
}

/// The encrypted answerers of a launched run's tools.
#[derive(Clone, Copy, Debug)]
pub struct SealedAnswerers<'a> {
    pub subject: &'a str,
    pub sealed: &'a [u8],
    /// A person answers all of them: no process has to follow the run.
    pub by_hand: bool,
}

impl Store {
    /// Claims a key for a launch. Returns `None` if this call got it, otherwise the state of the earlier launch.
    pub async fn begin_launch(&self, workspace: WorkspaceId, new: &NewLaunch<'_>) -> Result<Option<Launch>> {
        let sql = "INSERT INTO launch (workspace_id, key, fingerprint, state, lease_until, created_at, subject, \
                   origin_run_id) VALUES ($1, $2, $3, 'starting', $4, $5, $6, $7) ON CONFLICT DO NOTHING";
        let NewLaunch { key, fingerprint, subject, origin_run_id, now_ms, lease_until_ms } = *new;
        let args = args![workspace, key, fingerprint, lease_until_ms, now_ms, subject, origin_run_id];
        if self.change_one(sql, args).await? { Ok(None) } else { self.launch(workspace, key).await }
    }

    /// Keeps the claim of a launch that has no result yet.
    pub async fn renew_launch(&self, workspace: WorkspaceId, key: &str, lease_until_ms: i64) -> Result<()> {
        let sql = "UPDATE launch SET lease_until = $1 WHERE workspace_id = $2 AND key = $3 AND state = 'starting'";
        self.change(sql, args![lease_until_ms, workspace, key]).await.map(drop)
    }

    /// Returns the run that a run repeats.
    pub async fn origin_of_run(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<String>> {
        let sql =
            "SELECT origin_run_id FROM launch WHERE workspace_id = $1 AND run_id = $2 AND origin_run_id IS NOT NULL";
        fetch_value(&self.reader, sql, args![workspace, run_id]).await
    }

    /// Returns the newest runs that repeat a run.
    pub async fn relaunches_of(&self, workspace: WorkspaceId, run_id: &str, limit: i64) -> Result<Vec<String>> {
        let sql = "SELECT run_id FROM launch WHERE workspace_id = $1 AND origin_run_id = $2 AND run_id IS NOT NULL \
                   ORDER BY created_at DESC LIMIT $3";
        fetch_column(&self.reader, sql, args![workspace, run_id, limit]).await
    }

    pub async fn launch(&self, workspace: WorkspaceId, key: &str) -> Result<Option<Launch>> {
        let sql = "SELECT fingerprint, session_id, run_id, state, lease_until FROM launch \
                   WHERE workspace_id = $1 AND key = $2";
        let row = fetch_optional(&self.writer, sql, args![workspace, key]).await?;
        row.map(|row| {
            Ok(Launch {
                fingerprint: row.try_get("fingerprint")?,
                session_id: row.try_get("session_id")?,
                run_id: row.try_get("run_id")?,
                unknown: row.try_get::<&str, _>("state")? == "unknown",
                lease_until_ms: row.try_get("lease_until")?,
            })
        })
        .transpose()
    }

    /// Stores the session that a launch has opened, before its first message is sent.
    pub async fn set_launch_session(&self, workspace: WorkspaceId, key: &str, session_id: &str) -> Result<()> {
        let sql = "UPDATE launch SET session_id = $1 WHERE workspace_id = $2 AND key = $3";
        self.change(sql, args![session_id, workspace, key]).await.map(drop)
    }

    /// Stores the run that MANTYX started, and the answerers of its tools, in one transaction.
    pub async fn finish_launch(
        &self,
        workspace: WorkspaceId,
        key: &str,
        run_id: &str,
        answers: Option<SealedAnswerers<'_>>,
        entry: &NewAuditEntry,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        let sql = "UPDATE launch SET state = 'started', run_id = $1 WHERE workspace_id = $2 AND key = $3";
        execute(&mut tx, sql, args![run_id, workspace, key]).await?;
        if let Some(SealedAnswerers { subject, sealed, by_hand }) = answers {
            let sql = "INSERT INTO run_answerer (workspace_id, run_id, subject, answers, state, owner, lease_until, \
                       after_seq, created_at) VALUES ($1, $2, $3, $4, $5, '', 0, 0, $6) ON CONFLICT DO NOTHING";
            let state = if by_hand { "done" } else { "open" };
            execute(&mut tx, sql, args![workspace, run_id, subject, sealed, state, entry.at_ms]).await?;
        }
        audit::add(&mut tx, workspace, entry).await?;
        tx.commit().await
    }

    /// Releases the key of a launch that did not start a run.
    pub async fn forget_launch(&self, workspace: WorkspaceId, key: &str) -> Result<()> {
        let sql = "DELETE FROM launch WHERE workspace_id = $1 AND key = $2 AND run_id IS NULL";
        self.change(sql, args![workspace, key]).await.map(drop)
    }

    /// Marks a launch that was sent without a response.
    pub async fn mark_launch_unknown(&self, workspace: WorkspaceId, key: &str) -> Result<()> {
        let sql = "UPDATE launch SET state = 'unknown' WHERE workspace_id = $1 AND key = $2 AND run_id IS NULL";
        self.change(sql, args![workspace, key]).await.map(drop)
    }
}
