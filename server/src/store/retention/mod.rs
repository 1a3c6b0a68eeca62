//! Deleting the oldest runs, by age or by size. Off by default.
//!
//! The size of a run is the size of its log, its spec and its row. On SQLite, indexes and unused parts of pages are shared
//! out among the runs, so that all sizes together are the pages in use, without what else is stored: deleting runs would
//! not free it. PostgreSQL's files do not shrink after a deletion,
//! so only contents count there. A deletion may free a little less than the size of its runs, because pages are shared: the
//! next check then deletes the rest.

use std::collections::{BTreeMap, HashSet, VecDeque};

use sqlx::{AssertSqlSafe, Row};

use super::sql::{Arg, fetch};
use super::{Engine, Result, Store, WorkspaceId, list_key};

/// Runs deleted per transaction.
const CHUNK: usize = 500;
/// Runs read at a time.
const PAGE: i64 = 5_000;

/// Tables that are not parts of runs and may be large.
const OTHER_TABLES: &str = "'audit_entry', 'erased', 'launch', 'launch_batch', 'launch_batch_item', 'launch_draft', \
     'launch_template', 'pack_dictionary', 'session', 'session_metadata', 'web_session'";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    pub max_age_ms: Option<i64>,
    /// For all workspaces together.
    pub max_bytes: Option<u64>,
    /// For single workspaces, by slug.
    pub workspace_max_bytes: Vec<(String, u64)>,
}

/// Runs of one workspace that were deleted, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedRuns {
    pub workspace: String,
    pub runs: u64,
    pub bytes: u64,
    pub oldest_ms: i64,
    pub newest_ms: i64,
}

/// One limit: which runs it is about, and how many bytes they may take. Without a number it deletes all of them.
#[derive(Clone, Copy)]
struct Limit {
    workspace: Option<WorkspaceId>,
    below: i64,
    max_bytes: Option<u64>,
}

/// What a workspace stores.
struct Usage {
    limit: Limit,
    /// Without what is to be deleted.
    bytes: u64,
    /// Its next runs to delete, and the list key after which further ones are read.
    oldest: VecDeque<Candidate>,
    after: i64,
}

/// A run that may be deleted.
struct Candidate {
    workspace: WorkspaceId,
    list_key: i64,
    created_at_ms: i64,
    content_bytes: u64,
}

impl Store {
    /// Deletes runs beyond the limits, the oldest first, and no more than needed. The limit for all workspaces together takes
    /// from the one that stores most.
    pub async fn enforce(&self, retention: &Retention, now_ms: i64) -> Result<Vec<DeletedRuns>> {
        let expired = self.beyond_limits(retention, now_ms).await?;
        for (workspace, list_keys) in &expired.list_keys {
            for chunk in list_keys.chunks(CHUNK) {
                self.delete_old_runs(WorkspaceId(*workspace), chunk).await?;
            }
        }
        self.describe(expired).await
    }

    /// Returns what [`Store::enforce`] would delete.
    pub async fn preview_retention(&self, retention: &Retention, now_ms: i64) -> Result<Vec<DeletedRuns>> {
        self.describe(self.beyond_limits(retention, now_ms).await?).await
    }

    async fn beyond_limits(&self, retention: &Retention, now_ms: i64) -> Result<Expired> {
        let mut expired = Expired::default();
        let scale = self.scale().await?;
        let limits = self.limits(retention, now_ms).await?;
        for limit in &limits {
            // What an earlier limit deletes does not count for this one.
            let mut stored = self.bytes_within(limit, scale).await?.saturating_sub(expired.bytes_within(limit));
            let mut after = i64::MIN;
            while limit.is_exceeded(stored) {
                let found = self.oldest(limit, after).await?;
                let Some(last) = found.last() else { break };
                after = last.list_key;
                for run in found {
                    if limit.is_exceeded(stored) && expired.add(&run, scale) {
                        stored = stored.saturating_sub(scaled(run.content_bytes, scale));
                    }
                }
            }
        }
        if let Some(max_bytes) = retention.max_bytes {
            self.add_beyond_total(&mut expired, max_bytes, scale).await?;
        }
        Ok(expired)
    }

    /// Adds runs until all together are within a limit: each time the oldest one of the workspace that takes most, so that
    /// no workspace loses runs because another one stores many.
    async fn add_beyond_total(&self, expired: &mut Expired, max_bytes: u64, scale: f64) -> Result<()> {
        let all = Limit { workspace: None, below: i64::MAX, max_bytes: Some(max_bytes) };
        let mut stored = self.bytes_within(&all, scale).await?.saturating_sub(expired.bytes_within(&all));
        if !all.is_exceeded(stored) {
            return Ok(());
        }
        let ids: Vec<i64> = sqlx::query_scalar("SELECT id FROM workspace").fetch_all(&self.reader).await?;
        let mut workspaces = Vec::with_capacity(ids.len());
        for id in ids {
            let limit = Limit { workspace: Some(WorkspaceId(id)), ..all };
            let bytes = self.bytes_within(&limit, scale).await?.saturating_sub(expired.bytes_within(&limit));
            workspaces.push(Usage { limit, bytes, oldest: VecDeque::new(), after: i64::MIN });
        }
        while all.is_exceeded(stored) {
            let Some(index) = (0..workspaces.len()).max_by_key(|index| workspaces[*index].bytes) else { break };
            let largest = &mut workspaces[index];
            if largest.oldest.is_empty() {
                largest.oldest = self.oldest(&largest.limit, largest.after).await?.into();
                largest.after = largest.oldest.back().map_or(largest.after, |run| run.list_key);
            }
            let Some(run) = largest.oldest.pop_front() else {
                workspaces.swap_remove(index);
                continue;
            };
            if expired.add(&run, scale) {
                let bytes = scaled(run.content_bytes, scale);
                largest.bytes = largest.bytes.saturating_sub(bytes);
                stored = stored.saturating_sub(bytes);
            }
        }
        Ok(())
    }

    /// The limits except the one for all workspaces together.
    async fn limits(&self, retention: &Retention, now_ms: i64) -> Result<Vec<Limit>> {
        let mut limits = Vec::new();
        if let Some(max_age_ms) = retention.max_age_ms {
            let below = list_key::first_at(now_ms.saturating_sub(max_age_ms));
            limits.push(Limit { workspace: None, below, max_bytes: None });
        }
        for (slug, max_bytes) in &retention.workspace_max_bytes {
            let id: Option<i64> = sqlx::query_scalar("SELECT id FROM workspace WHERE slug = $1")
                .bind(slug)
                .fetch_optional(&self.reader)
                .await?;
            let limit = |id| Limit { workspace: Some(WorkspaceId(id)), below: i64::MAX, max_bytes: Some(*max_bytes) };
            limits.extend(id.map(limit));
        }
        Ok(limits)
    }

    /// The size of all stored runs: on SQLite the pages in use, without the first page of each table and index, and without
    /// other tables with their indexes.
    pub async fn stored_bytes(&self) -> Result<u64> {
        if self.engine == Engine::Postgres {
            return self.content_bytes(None).await;
        }
        let mut numbers = [0_i64; 5];
        let mut connection = self.reader.acquire().await?;
        let others = format!(
            "SELECT COALESCE(SUM(pageno - 1), 0) FROM dbstat('main', 1) \
             WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name IN ({OTHER_TABLES}))"
        );
        let queries = [
            "PRAGMA page_count",
            "PRAGMA freelist_count",
            "SELECT COUNT(*) FROM sqlite_master WHERE rootpage > 0",
            // An aggregated row of `dbstat` has the number of pages as `pageno`.
            others.as_str(),
            "PRAGMA page_size",
        ];
        for (number, query) in numbers.iter_mut().zip(queries) {
            *number = sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_one(&mut *connection).await?;
        }
        let [count, unused, first_pages, others, page_size] = numbers;
        Ok(u64::try_from((count - unused - first_pages - others) * page_size).unwrap_or(0))
    }

    /// The size of the database on disk, as the engine reports it.
    pub async fn database_bytes(&self) -> Result<u64> {
        let sql = match self.engine {
            Engine::Sqlite => "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
            Engine::Postgres => "SELECT pg_database_size(current_database())",
        };
        let bytes: i64 = sqlx::query_scalar(sql).fetch_one(&self.reader).await?;
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// How many bytes are stored for each byte of contents.
    async fn scale(&self) -> Result<f64> {
        if self.engine == Engine::Postgres {
            return Ok(1.0);
        }
        let contents = self.content_bytes(None).await?.max(1);
        Ok((self.stored_bytes().await? as f64 / contents as f64).max(1.0))
    }

    async fn bytes_within(&self, limit: &Limit, scale: f64) -> Result<u64> {
        match limit.workspace {
            Some(workspace) => Ok(scaled(self.content_bytes(Some(workspace)).await?, scale)),
            None => self.stored_bytes().await,
        }
    }

    /// The size of the contents of all runs, or of those of a workspace.
    async fn content_bytes(&self, workspace: Option<WorkspaceId>) -> Result<u64> {
        let sql = match workspace {
            None => ALL_CONTENT_BYTES.to_owned(),
            Some(workspace) => format!(
                "SELECT CAST(COALESCE(SUM({CONTENT_BYTES}), 0) AS BIGINT) FROM run r WHERE r.workspace_id = {workspace}"
            ),
        };
        let bytes: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&self.reader).await?;
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// The oldest runs that a limit is about, after a list key.
    async fn oldest(&self, limit: &Limit, after: i64) -> Result<Vec<Candidate>> {
        let condition =
            limit.workspace.map_or_else(String::new, |workspace| format!("AND r.workspace_id = {workspace}"));
        let sql = format!(
            "SELECT r.workspace_id, r.n, r.created_at, CAST({CONTENT_BYTES} AS BIGINT) AS content_bytes FROM run r \
             WHERE r.n < $1 AND r.n > $2 {condition} ORDER BY r.n LIMIT $3"
        );
        let args: Vec<Arg> = vec![limit.below.into(), after.into(), PAGE.into()];
        let rows = fetch(&self.reader, sql, args).await?;
        let candidate = |row: &sqlx::any::AnyRow| {
            Ok(Candidate {
                workspace: WorkspaceId(row.try_get("workspace_id")?),
                list_key: row.try_get("n")?,
                created_at_ms: row.try_get("created_at")?,
                content_bytes: u64::try_from(row.try_get::<i64, _>("content_bytes")?).unwrap_or(0),
            })
        };
        rows.iter().map(candidate).collect()
    }

    /// Adds the names of the workspaces.
    async fn describe(&self, expired: Expired) -> Result<Vec<DeletedRuns>> {
        let mut all = Vec::new();
        for (id, runs) in expired.workspaces {
            let name: Option<String> = sqlx::query_scalar("SELECT COALESCE(slug, name) FROM workspace WHERE id = $1")
                .bind(id)
                .fetch_optional(&self.reader)
                .await?;
            all.push(DeletedRuns { workspace: name.unwrap_or_default(), ..runs });
        }
        Ok(all)
    }
}

impl Limit {
    fn is_exceeded(&self, stored_bytes: u64) -> bool {
        self.max_bytes.is_none_or(|max_bytes| stored_bytes > max_bytes)
    }
}

/// Runs beyond a limit, by workspace.
#[derive(Default)]
struct Expired {
    workspaces: BTreeMap<i64, DeletedRuns>,
    list_keys: BTreeMap<i64, Vec<i64>>,
    known: HashSet<i64>,
}

impl Expired {
    /// Adds a run. Returns false if it was added before.
    fn add(&mut self, run: &Candidate, scale: f64) -> bool {
        if !self.known.insert(run.list_key) {
            return false;
        }
        let at_ms = run.created_at_ms;
        let first = DeletedRuns { workspace: String::new(), runs: 0, bytes: 0, oldest_ms: at_ms, newest_ms: at_ms };
        let counted = self.workspaces.entry(run.workspace.0).or_insert(first);
        counted.runs += 1;
        counted.bytes += scaled(run.content_bytes, scale);
        counted.oldest_ms = counted.oldest_ms.min(at_ms);
        counted.newest_ms = counted.newest_ms.max(at_ms);
        self.list_keys.entry(run.workspace.0).or_default().push(run.list_key);
        true
    }

    /// The size of the runs that a limit is about.
    fn bytes_within(&self, limit: &Limit) -> u64 {
        let is_about = |id: &i64| limit.workspace.is_none_or(|workspace| workspace.0 == *id);
        self.workspaces.iter().filter(|(id, _)| is_about(id)).map(|(_, runs)| runs.bytes).sum()
    }
}

fn scaled(content_bytes: u64, scale: f64) -> u64 {
    (content_bytes as f64 * scale) as u64
}

/// SQL for the size of a run `r`: log, spec, and about a kilobyte for a row with its tags and words.
const CONTENT_BYTES: &str = "(1024 \
     + COALESCE((SELECT SUM(length(l.body)) FROM run_log l WHERE l.n = r.n), 0) \
     + COALESCE((SELECT SUM(length(e.event)) FROM run_event e WHERE e.n = r.n), 0) \
     + COALESCE((SELECT length(s.body) FROM run_spec s WHERE s.n = r.n), 0))";

/// The same for all runs: sums of whole tables are faster.
const ALL_CONTENT_BYTES: &str = "SELECT CAST((SELECT COUNT(*) * 1024 FROM run) \
     + (SELECT COALESCE(SUM(length(body)), 0) FROM run_log) \
     + (SELECT COALESCE(SUM(length(event)), 0) FROM run_event) \
     + (SELECT COALESCE(SUM(length(body)), 0) FROM run_spec) AS BIGINT)";

#[cfg(test)]
mod tests;
