//! Deleting runs and sessions for good. Hashes of what was erased stay, so that it is not synced again.
//!
//! The writer of SQLite overwrites what it deletes (`secure_delete`). Two things outlive that: words in the word index, which
//! only marks deleted runs, and earlier contents in the write-ahead log. [`Store::purge_erased`] removes both.

mod erased_items;
mod pending;
mod purge;

use std::collections::BTreeSet;

use domain::RunSummary;
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, Row};

use super::audit::{self, NewAuditEntry};
use super::failure_groups;
use super::sql::{Arg, execute, fetch};
use super::tags::Tag;
use super::{Origin, Result, Store, WorkspaceId, list_key};
use erased_items::{metadata_hash, record, run_hash, session_hash};

pub(super) use erased_items::{ErasedItems, generation, run_hashes, session_hashes};
pub use pending::PendingErasure;

/// Runs deleted per transaction.
const CHUNK: usize = 500;
/// Tags deleted in one statement.
const MAX_TAGS: usize = 1_000;

/// What to erase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EraseTarget {
    Run(String),
    /// A session and its runs.
    Session(String),
    /// All runs and sessions with this metadata entry.
    Metadata {
        key: String,
        value: String,
    },
}

/// What an erasure is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erasable {
    pub run_ids: Vec<String>,
    pub session_ids: Vec<String>,
}

impl Store {
    /// The stored runs and sessions that an erasure deletes.
    pub async fn erasable(&self, workspace: WorkspaceId, target: &EraseTarget) -> Result<Erasable> {
        let mut connection = self.reader.acquire().await?;
        let session_ids = sessions_of(&mut connection, workspace, target).await?;
        let mut run_ids = BTreeSet::new();
        if let EraseTarget::Run(id) = target
            && list_key::find(&mut connection, workspace, id).await?.is_some()
        {
            run_ids.insert(id.clone());
        }
        let of_sessions = session_ids.iter().map(|id| Tag::new("session", id));
        let tags: Vec<Tag> = match target {
            EraseTarget::Run(_) => Vec::new(),
            // Its runs may be stored although it is not.
            EraseTarget::Session(id) => vec![Tag::new("session", id)],
            EraseTarget::Metadata { key, value } => of_sessions.chain([Tag::metadata(key, value)]).collect(),
        };
        for tag in &tags {
            let sql = "SELECT r.id FROM tag t JOIN run_tag rt ON rt.tag_id = t.id JOIN run r ON r.n = rt.n \
                 WHERE t.workspace_id = $1 AND t.key = $2 AND t.value = $3 AND r.workspace_id = $1";
            let args = vec![workspace.0.into(), tag.key.as_str().into(), tag.value.as_str().into()];
            for row in fetch(&mut *connection, sql.to_owned(), args).await? {
                run_ids.insert(row.try_get(0)?);
            }
        }
        Ok(Erasable { run_ids: run_ids.into_iter().collect(), session_ids })
    }

    /// Erases what [`Store::erasable`] has found, in several transactions. That the target must not be synced again is recorded
    /// before, with [`Store::begin_erasure`], so that nothing comes back between them.
    pub async fn erase_found(&self, workspace: WorkspaceId, found: &Erasable, now_ms: i64) -> Result<()> {
        for ids in found.run_ids.chunks(CHUNK) {
            self.erase_runs(workspace, ids, now_ms).await?;
        }
        for id in &found.session_ids {
            self.erase_session(workspace, id, now_ms).await?;
        }
        Ok(())
    }

    /// Erases a run in one transaction: of several callers, one finds it. A run that was erased before gets no entry.
    pub async fn erase_run(&self, workspace: WorkspaceId, id: &str, entry: &NewAuditEntry) -> Result<Erasable> {
        let mut tx = self.begin_writing(workspace).await?;
        let is_stored = list_key::find(&mut tx, workspace, id).await?.is_some();
        let was_erased = !ErasedItems::among(&mut tx, workspace, || vec![run_hash(id)]).await?.is_empty();
        if was_erased && !is_stored {
            return Ok(Erasable::default());
        }
        audit::add(&mut tx, workspace, entry).await?;
        let mirrored = self.erase_runs_in(&mut tx, workspace, &[id.to_owned()], entry.at_ms).await?;
        tx.commit().await?;
        self.count_erased(workspace, mirrored).await?;
        let run_ids = if is_stored { vec![id.to_owned()] } else { Vec::new() };
        Ok(Erasable { run_ids, session_ids: Vec::new() })
    }

    async fn erase_runs(&self, workspace: WorkspaceId, ids: &[String], now_ms: i64) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let mirrored = self.erase_runs_in(&mut tx, workspace, ids, now_ms).await?;
        tx.commit().await?;
        self.count_erased(workspace, mirrored).await
    }

    /// Erases runs within a transaction. Returns how many of them MANTYX has.
    async fn erase_runs_in(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        ids: &[String],
        now_ms: i64,
    ) -> Result<usize> {
        let hashes: Vec<String> = ids.iter().map(|id| run_hash(id)).collect();
        record(tx, workspace, &hashes, now_ms).await?;
        let mut list_keys = Vec::new();
        for id in ids {
            list_keys.extend(list_key::find(tx, workspace, id).await?);
            for table in ["launch", "launch_batch_item"] {
                let sql = format!("DELETE FROM {table} WHERE workspace_id = $1 AND run_id = $2");
                execute(tx, sql, vec![workspace.0.into(), id.as_str().into()]).await?;
            }
            let relaunches = "UPDATE launch SET origin_run_id = NULL WHERE workspace_id = $1 AND origin_run_id = $2";
            execute(tx, relaunches.to_owned(), vec![workspace.0.into(), id.as_str().into()]).await?;
        }
        let rows = self.delete_rows(tx, workspace, &list_keys).await?;
        failure_groups::erase(tx, workspace, &rows).await?;
        let tag_ids: BTreeSet<i64> = rows.iter().flat_map(|row| row.tags.all()).collect();
        delete_unused_tags(tx, workspace, &tag_ids).await?;
        Ok(rows.iter().filter(|row| row.summary.origin == Origin::Mirrored).count())
    }

    /// MANTYX still counts erased runs, and they are not missing here.
    async fn count_erased(&self, workspace: WorkspaceId, mirrored: usize) -> Result<()> {
        let mirrored = i64::try_from(mirrored).unwrap_or(0);
        self.update_sync_state(workspace, |state| state.history_gap += mirrored).await.map(drop)
    }

    async fn erase_session(&self, workspace: WorkspaceId, id: &str, now_ms: i64) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        record(&mut tx, workspace, &[session_hash(id)], now_ms).await?;
        for (table, column) in [("launch", "session_id"), ("session_metadata", "session_id"), ("session", "id")] {
            let sql = format!("DELETE FROM {table} WHERE workspace_id = $1 AND {column} = $2");
            execute(&mut tx, sql, vec![workspace.0.into(), id.into()]).await?;
        }
        tx.commit().await
    }

    /// Deletes the batches whose runs have a metadata entry.
    pub async fn erase_batches(&self, workspace: WorkspaceId, key: &str, value: &str) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let args = || vec![workspace.0.into(), key.into(), value.into()];
        let items = "DELETE FROM launch_batch_item WHERE workspace_id = $1 AND batch_id IN \
             (SELECT id FROM launch_batch WHERE workspace_id = $1 AND tag_key = $2 AND tag_value = $3)";
        execute(&mut tx, items.to_owned(), args()).await?;
        let batches = "DELETE FROM launch_batch WHERE workspace_id = $1 AND tag_key = $2 AND tag_value = $3";
        execute(&mut tx, batches.to_owned(), args()).await?;
        tx.commit().await
    }

    /// The drafts of a workspace: the key of each, and its encrypted content.
    pub async fn drafts(&self, workspace: WorkspaceId) -> Result<Vec<(String, Vec<u8>)>> {
        let rows = sqlx::query("SELECT subject, content FROM launch_draft WHERE workspace_id = $1")
            .bind(workspace.0)
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    pub async fn delete_draft(&self, workspace: WorkspaceId, key: &str) -> Result<()> {
        sqlx::query("DELETE FROM launch_draft WHERE workspace_id = $1 AND subject = $2")
            .bind(workspace.0)
            .bind(key)
            .execute(&self.writer)
            .await
            .map(drop)
    }

    /// Returns true if a run was erased, with its session or by its metadata.
    pub async fn is_run_erased(&self, workspace: WorkspaceId, run: &RunSummary) -> Result<bool> {
        let mut connection = self.reader.acquire().await?;
        let erased = ErasedItems::among(&mut connection, workspace, || run_hashes(run)).await?;
        Ok(erased.has_run(run))
    }

    pub async fn is_session_erased(&self, workspace: WorkspaceId, id: &str) -> Result<bool> {
        let mut connection = self.reader.acquire().await?;
        let erased = ErasedItems::among(&mut connection, workspace, || vec![session_hash(id)]).await?;
        Ok(!erased.is_empty())
    }
}

impl EraseTarget {
    fn hash(&self) -> String {
        match self {
            Self::Run(id) => run_hash(id),
            Self::Session(id) => session_hash(id),
            Self::Metadata { key, value } => metadata_hash(key, value),
        }
    }
}

async fn sessions_of(
    connection: &mut AnyConnection,
    workspace: WorkspaceId,
    target: &EraseTarget,
) -> Result<Vec<String>> {
    let (sql, args): (&str, Vec<Arg>) = match target {
        EraseTarget::Run(_) => return Ok(Vec::new()),
        EraseTarget::Session(id) => {
            ("SELECT id FROM session WHERE workspace_id = $1 AND id = $2", vec![workspace.0.into(), id.as_str().into()])
        }
        EraseTarget::Metadata { key, value } => (
            "SELECT session_id FROM session_metadata WHERE workspace_id = $1 AND key = $2 AND value = $3",
            vec![workspace.0.into(), key.as_str().into(), value.as_str().into()],
        ),
    };
    fetch(connection, sql.to_owned(), args).await?.iter().map(|row| row.try_get(0)).collect()
}

/// A tag has a name or a metadata value, so it goes with its last run.
async fn delete_unused_tags(tx: &mut AnyConnection, workspace: WorkspaceId, ids: &BTreeSet<i64>) -> Result<()> {
    let ids: Vec<i64> = ids.iter().copied().collect();
    for chunk in ids.chunks(MAX_TAGS) {
        let list = chunk.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let sql = format!("DELETE FROM tag WHERE workspace_id = $1 AND runs <= 0 AND id IN ({list})");
        execute(tx, sql, vec![workspace.0.into()]).await?;
    }
    Ok(())
}
