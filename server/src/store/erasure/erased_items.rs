//! Hashes of what was erased, and the check whether something is among it.

use std::collections::HashMap;

use domain::{RunSummary, SessionSummary};
use protocol::messages::Metadata;
use sha2::{Digest, Sha256};
use sqlx::{AnyConnection, Row};

use super::super::sql::{Arg, fetch};
use super::super::{Origin, Result, WorkspaceId, storable};

/// Hashes looked up in one statement.
const MAX_HASHES: usize = 1_000;

/// Erased things among those that were asked about, with the time of their erasure.
pub(in crate::store) struct ErasedItems(HashMap<String, i64>);

impl ErasedItems {
    /// `hashes` is called only if something was erased in the workspace.
    pub async fn among(
        connection: &mut AnyConnection,
        workspace: WorkspaceId,
        hashes: impl FnOnce() -> Vec<String>,
    ) -> Result<Self> {
        let mut found = HashMap::new();
        if generation(connection, workspace).await? == 0 {
            return Ok(Self(found));
        }
        for chunk in hashes().chunks(MAX_HASHES) {
            let placeholders: Vec<String> = (0..chunk.len()).map(|i| format!("${}", i + 2)).collect();
            let sql = format!(
                "SELECT hash, erased_at FROM erased WHERE workspace_id = $1 AND hash IN ({})",
                placeholders.join(", ")
            );
            let args = std::iter::once(Arg::from(workspace.0)).chain(chunk.iter().map(|hash| hash.as_str().into()));
            for row in fetch(&mut *connection, sql, args.collect()).await? {
                found.insert(row.try_get(0)?, row.try_get(1)?);
            }
        }
        Ok(Self(found))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An imported run is a copy that was made on purpose, with an id of its own.
    pub fn has_run(&self, run: &RunSummary) -> bool {
        let has_id = self.0.contains_key(&run_hash(&run.id));
        let of_session = run.session_id.as_deref().is_some_and(|id| self.0.contains_key(&session_hash(id)));
        run.origin == Origin::Mirrored && (has_id || of_session || self.has_entry(&run.metadata, run.created_at_ms))
    }

    pub fn has_session(&self, session: &SessionSummary) -> bool {
        self.0.contains_key(&session_hash(&session.id)) || self.has_entry(&session.metadata, session.created_at_ms)
    }

    fn has_entry(&self, metadata: &Metadata, created_at_ms: i64) -> bool {
        let erased_at = |(key, value): (&String, &String)| self.0.get(&metadata_hash(key, value)).copied();
        metadata.iter().filter_map(erased_at).any(|erased_at_ms| created_at_ms <= erased_at_ms)
    }
}

/// The hashes that decide whether a run was erased.
pub(in crate::store) fn run_hashes(run: &RunSummary) -> Vec<String> {
    let mut hashes = vec![run_hash(&run.id)];
    hashes.extend(run.session_id.as_deref().map(session_hash));
    hashes.extend(run.metadata.iter().map(|(key, value)| metadata_hash(key, value)));
    hashes
}

/// The hashes that decide whether a session was erased.
pub(in crate::store) fn session_hashes(session: &SessionSummary) -> Vec<String> {
    let mut hashes = vec![session_hash(&session.id)];
    hashes.extend(session.metadata.iter().map(|(key, value)| metadata_hash(key, value)));
    hashes
}

/// How often something was erased in a workspace.
pub(in crate::store) async fn generation(connection: &mut AnyConnection, workspace: WorkspaceId) -> Result<i64> {
    let found: Option<i64> = sqlx::query_scalar("SELECT generation FROM erasure WHERE workspace_id = $1")
        .bind(workspace.0)
        .fetch_optional(connection)
        .await?;
    Ok(found.unwrap_or(0))
}

/// Records hashes within a transaction that erases something.
pub(super) async fn record(
    tx: &mut AnyConnection,
    workspace: WorkspaceId,
    hashes: &[String],
    now_ms: i64,
) -> Result<()> {
    for hash in hashes {
        sqlx::query(
            "INSERT INTO erased (workspace_id, hash, erased_at) VALUES ($1, $2, $3) \
             ON CONFLICT (workspace_id, hash) DO UPDATE SET erased_at = excluded.erased_at",
        )
        .bind(workspace.0)
        .bind(hash)
        .bind(now_ms)
        .execute(&mut *tx)
        .await?;
    }
    sqlx::query(
        "INSERT INTO erasure (workspace_id, generation, purged) VALUES ($1, 1, 0) \
         ON CONFLICT (workspace_id) DO UPDATE SET generation = erasure.generation + 1",
    )
    .bind(workspace.0)
    .execute(tx)
    .await
    .map(drop)
}

pub(super) fn run_hash(id: &str) -> String {
    hash(&["run", id])
}

pub(super) fn session_hash(id: &str) -> String {
    hash(&["session", id])
}

pub(super) fn metadata_hash(key: &str, value: &str) -> String {
    hash(&["metadata", &storable::name(key), &storable::name(value)])
}

fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
