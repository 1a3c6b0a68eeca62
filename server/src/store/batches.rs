//! Batches of launches, leased to one process, and the state of each item.

use domain::{Batch, BatchItem, BatchItemState, from_word, word};
use protocol::query::{Clause, Term};
use sqlx::Row;

use super::audit::{self, NewAuditEntry};
use super::sql::{args, execute, fetch, fetch_column, fetch_optional};
use super::{Result, Store, WorkspaceId};

#[derive(Clone, Debug)]
pub struct NewBatch<'a> {
    pub id: &'a str,
    pub subject: &'a str,
    pub tag_key: &'a str,
    pub tag_value: &'a str,
    pub sealed: &'a [u8],
    pub sealed_inputs: &'a [Vec<u8>],
}

/// A batch that this process launches.
#[derive(Clone, Debug)]
pub struct OpenBatch {
    pub workspace_id: WorkspaceId,
    pub id: String,
    pub subject: String,
    pub tag_key: String,
    pub tag_value: String,
    pub sealed: Vec<u8>,
    /// The process that has the lease.
    pub owner: String,
}

impl Store {
    /// Stores a batch. A batch with the same id is not changed.
    pub async fn insert_batch(
        &self,
        workspace: WorkspaceId,
        batch: &NewBatch<'_>,
        entry: &NewAuditEntry,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        let sql = "INSERT INTO launch_batch (workspace_id, id, subject, tag_key, tag_value, content, state, owner, \
                   lease_until, created_at) VALUES ($1, $2, $3, $4, $5, $6, 'open', '', 0, $7) ON CONFLICT DO NOTHING";
        let NewBatch { id, subject, tag_key, tag_value, sealed, sealed_inputs } = *batch;
        if execute(&mut tx, sql, args![workspace, id, subject, tag_key, tag_value, sealed, entry.at_ms]).await? == 1 {
            for (position, input) in (0_i64..).zip(sealed_inputs) {
                let sql = "INSERT INTO launch_batch_item (workspace_id, batch_id, position, input, state) \
                           VALUES ($1, $2, $3, $4, 'waiting')";
                execute(&mut tx, sql, args![workspace, id, position, input]).await?;
            }
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await
    }

    pub async fn batch(&self, workspace: WorkspaceId, id: &str) -> Result<Option<Batch>> {
        let sql = "SELECT tag_key, tag_value, state, problem, created_at FROM launch_batch \
                   WHERE workspace_id = $1 AND id = $2";
        let row = fetch_optional(&self.reader, sql, args![workspace, id]).await?;
        let Some(row) = row else { return Ok(None) };
        let sql = "SELECT state, run_id, problem FROM launch_batch_item WHERE workspace_id = $1 AND batch_id = $2 \
                   ORDER BY position";
        let items = fetch(&self.reader, sql, args![workspace, id]).await?;
        let items = items.iter().map(|row| {
            let state = from_word(row.try_get(0)?).unwrap_or(BatchItemState::Waiting);
            Ok(BatchItem { state, run_id: row.try_get(1)?, problem: row.try_get(2)? })
        });
        let (tag_key, tag_value): (String, String) = (row.try_get("tag_key")?, row.try_get("tag_value")?);
        Ok(Some(Batch {
            id: id.to_owned(),
            query: Clause::from(Term::metadata(&tag_key, &tag_value)).to_string(),
            tag_key,
            tag_value,
            done: row.try_get::<String, _>("state")? == "done",
            problem: row.try_get("problem")?,
            created_at_ms: row.try_get("created_at")?,
            items: items.collect::<Result<_>>()?,
        }))
    }

    /// The sealed inputs of a batch, in order.
    pub async fn batch_inputs(&self, workspace: WorkspaceId, id: &str) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT input FROM launch_batch_item WHERE workspace_id = $1 AND batch_id = $2 ORDER BY position";
        fetch_column(&self.reader, sql, args![workspace, id]).await
    }

    /// Leases open batches whose lease has expired.
    pub async fn claim_batches(&self, owner: &str, now_ms: i64, until_ms: i64) -> Result<Vec<OpenBatch>> {
        let sql = "UPDATE launch_batch SET owner = $1, lease_until = $2 WHERE state = 'open' AND lease_until < $3 \
                   RETURNING workspace_id, id, subject, tag_key, tag_value, content, owner";
        let rows = fetch(&self.writer, sql, args![owner, until_ms, now_ms]).await?;
        rows.iter()
            .map(|row| {
                Ok(OpenBatch {
                    workspace_id: WorkspaceId(row.try_get("workspace_id")?),
                    id: row.try_get("id")?,
                    subject: row.try_get("subject")?,
                    tag_key: row.try_get("tag_key")?,
                    tag_value: row.try_get("tag_value")?,
                    sealed: row.try_get("content")?,
                    owner: row.try_get("owner")?,
                })
            })
            .collect()
    }

    /// Extends the lease of a batch and sets its problem. Returns false if the lease was lost.
    pub async fn renew_batch(&self, batch: &OpenBatch, until_ms: i64, problem: Option<&str>) -> Result<bool> {
        let sql = "UPDATE launch_batch SET lease_until = $1, problem = $2 \
                   WHERE workspace_id = $3 AND id = $4 AND owner = $5 AND state = 'open'";
        self.change_one(sql, args![until_ms, problem, batch.workspace_id, &batch.id, &batch.owner]).await
    }

    /// The next waiting item: its position and its sealed input.
    pub async fn next_batch_item(&self, batch: &OpenBatch) -> Result<Option<(i64, Vec<u8>)>> {
        let sql = "SELECT position, input FROM launch_batch_item WHERE workspace_id = $1 AND batch_id = $2 \
                   AND state = 'waiting' ORDER BY position LIMIT 1";
        let row = fetch_optional(&self.writer, sql, args![batch.workspace_id, &batch.id]).await?;
        row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
    }

    pub async fn settle_batch_item(&self, batch: &OpenBatch, position: i64, item: &BatchItem) -> Result<()> {
        let sql = "UPDATE launch_batch_item SET state = $1, run_id = $2, problem = $3 \
                   WHERE workspace_id = $4 AND batch_id = $5 AND position = $6";
        let BatchItem { state, run_id, problem } = item.clone();
        let args = args![word(state), run_id, problem, batch.workspace_id, &batch.id, position];
        self.change(sql, args).await.map(drop)
    }

    /// Closes a finished batch and deletes its spec with its secrets.
    pub async fn close_batch(&self, batch: &OpenBatch) -> Result<()> {
        let sql = "UPDATE launch_batch SET state = 'done', problem = NULL, content = $1 \
                   WHERE workspace_id = $2 AND id = $3 AND owner = $4";
        self.change(sql, args![Vec::new(), batch.workspace_id, &batch.id, &batch.owner]).await.map(drop)
    }
}
