//! The database, and the only place with SQL. SQLite by default, PostgreSQL if the URL starts with `postgres:`.
//!
//! One file per resource, with its types and its SQL. Every query on mirrored data requires a workspace id, which callers
//! get from the session, never from the request. This module knows only `domain` and `protocol`.

mod answers;
mod arrivals;
mod audit;
mod batches;
mod database_copy;
mod database_file;
mod dictionaries;
mod erasure;
mod event_times;
mod facets;
mod failure_groups;
mod failure_lists;
mod feedback;
mod grants;
mod histogram;
mod hour_counts;
mod imports;
mod ingest;
mod insights;
mod is_mine;
mod launches;
mod library;
mod list_key;
mod log;
mod log_summary;
mod migrations;
mod overlong_leases;
mod pack;
mod prices;
mod query_plan;
mod redaction;
mod retention;
mod run_deletion;
mod run_row;
mod runs;
mod sealed;
mod sessions;
mod sign_ins;
mod span;
mod sql;
mod storable;
mod sync_lock;
mod sync_state;
mod tags;
mod text;
mod tool_use;
mod varint;
mod views;
mod waiting;
mod web_sessions;
mod workspaces;
mod writable;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use sqlx::any::AnyConnectOptions;
use sqlx::any::AnyPoolOptions;
use sqlx::{Any, AnyPool, ConnectOptions, Executor, Transaction};
use tokio::sync::Semaphore;

pub use answers::{AnswerPlan, CallKey, Claim};
pub use arrivals::Arrival;
pub use audit::NewAuditEntry;
pub use batches::{NewBatch, OpenBatch};
pub use database_copy::{DatabaseReader, LockedDatabase, sqlite_file};
pub use database_file::warn_if_others_may_read;
pub use domain::Origin;
pub use erasure::{Erasable, EraseTarget, PendingErasure};
pub use failure_lists::{MAX_GROUPS, TaggedGroup, TimeSpan};
pub use grants::{Grant, SealedTokens};
pub use imports::NewImport;
pub use ingest::{NewLog, RunUpdate};
pub use launches::{NewLaunch, SealedAnswerers};
pub use library::StoredTemplate;
pub use log::MAX_RECORD_ATTEMPTS;
pub use overlong_leases::{Leased, OverlongLease};
pub use pack::Packer;
pub use query_plan::QueryPlan;
pub use redaction::StoredRedaction;
pub use retention::{DeletedRuns, Retention};
pub use runs::{RunCursor, parse_time};
pub use sealed::SealedColumn;
pub use sessions::{SessionCursor, SessionPlan, UnsupportedClause};
pub use storable::has_unstorable_text;
pub use sync_state::{History, SyncState};
pub use tags::Tag;
pub use views::{NewView, ViewEditor};
pub use waiting::CallWriter;
pub use web_sessions::WebSession;
pub use workspaces::WorkspaceId;
pub use writable::{cannot_write, database_does_not_answer, is_unreachable};

/// PostgreSQL's advisory locks share one key space. The write lock of a workspace has this key plus the workspace id.
const WRITE_LOCK: i64 = 1 << 40;

#[derive(Clone, Debug)]
pub struct Store {
    /// SQLite allows one writer at a time: a pool of one queues writers instead of letting them fail as busy.
    writer: AnyPool,
    reader: AnyPool,
    engine: Engine,
    tag_cache: tags::TagCache,
    common_words: text::CommonWordsCache,
    packer: Packer,
    sync_locks: sync_lock::SyncLocks,
    /// For large logs that are folded to index them.
    large_folds: Arc<Semaphore>,
    /// For connections outside of the pools.
    url: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

pub type Error = sqlx::Error;
pub type Result<T> = std::result::Result<T, Error>;

impl Store {
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Connects and runs the migrations.
    pub async fn open(database_url: &str) -> anyhow::Result<Self> {
        sqlx::any::install_default_drivers();
        let store = if database_url.starts_with("sqlite:") {
            Self::open_sqlite(database_url).await
        } else if database_url.starts_with("postgres:") || database_url.starts_with("postgresql:") {
            Self::open_postgres(database_url).await
        } else {
            anyhow::bail!("DATABASE_URL must start with sqlite: or postgres:")
        }?;
        migrations::run(store.engine, &store.writer).await?;
        store.load_dictionaries().await?;
        Ok(store)
    }

    /// Compresses logs before they are stored.
    pub fn packer(&self) -> &Packer {
        &self.packer
    }

    async fn open_sqlite(url: &str) -> anyhow::Result<Self> {
        let url = if url.contains('?') { url.to_owned() } else { format!("{url}?mode=rwc") };
        database_file::prepare(&url)?;
        let options = connect_options(&url)?;
        let pool = |connections: u32, pragmas: &'static str| {
            let options = writable::discard_broken(AnyPoolOptions::new());
            options.max_connections(connections).min_connections(1).after_connect(move |connection, _| {
                Box::pin(async move { connection.execute(pragmas).await.map(drop) })
            })
        };
        // Compressed logs have some kilobytes, so large pages waste less space: a tenth of a page of 16 KB, a fifth of one of 8 KB.
        // Applies only to new files.
        // Deleted content is overwritten, so that what is erased is not left in free space.
        let write = "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
             PRAGMA busy_timeout = 10000; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY; \
             PRAGMA secure_delete = ON;";
        let read = "PRAGMA busy_timeout = 10000; PRAGMA query_only = ON; PRAGMA cache_size = -4096; \
             PRAGMA temp_store = MEMORY;";
        let writer =
            pool(1, write).connect(&url).await.with_context(|| format!("the database {url} could not be opened"))?;
        let reader = pool(4, read).connect_with(options).await?;
        Ok(Self::new(writer, reader, Engine::Sqlite, &url))
    }

    async fn open_postgres(url: &str) -> anyhow::Result<Self> {
        let pool = writable::discard_broken(AnyPoolOptions::new())
            .max_connections(16)
            .acquire_timeout(Duration::from_secs(10))
            .connect_with(connect_options(url)?)
            .await
            .context("the PostgreSQL database named by DATABASE_URL could not be reached")?;
        Ok(Self::new(pool.clone(), pool, Engine::Postgres, url))
    }

    fn new(writer: AnyPool, reader: AnyPool, engine: Engine, url: &str) -> Self {
        let (tag_cache, sync_locks) = (tags::TagCache::default(), sync_lock::SyncLocks::default());
        let (common_words, packer) = (text::CommonWordsCache::default(), Packer::default());
        let (large_folds, url) = (Arc::new(Semaphore::new(log::LARGE_FOLDS as usize)), url.into());
        Self { writer, reader, engine, tag_cache, common_words, packer, sync_locks, large_folds, url }
    }

    /// Begins a transaction, in a task of its own: if a caller is cancelled during `BEGIN`, sqlx 0.9 returns the connection
    /// to the pool with an open transaction, and the next caller would work inside it.
    ///
    /// On SQLite it takes the write lock at once. A transaction that reads first fails if another process, such as
    /// `runlens import`, writes before it does.
    async fn begin(&self) -> Result<Transaction<'static, Any>> {
        let pool = self.writer.clone();
        let statement = match self.engine {
            Engine::Sqlite => "BEGIN IMMEDIATE",
            Engine::Postgres => "BEGIN",
        };
        tokio::spawn(async move { pool.begin_with(statement).await }).await.map_err(|_| sqlx::Error::WorkerCrashed)?
    }

    /// Begins a transaction that writes runs of a workspace. There is one at a time: merging rows and counting tags
    /// require it, and SQLite has one writer anyway.
    async fn begin_writing(&self, workspace: WorkspaceId) -> Result<Transaction<'static, Any>> {
        let mut tx = self.begin().await?;
        if self.engine == Engine::Postgres {
            sqlx::query("SELECT CAST(pg_advisory_xact_lock($1) AS TEXT)")
                .bind(WRITE_LOCK + workspace.0)
                .execute(&mut *tx)
                .await?;
        }
        Ok(tx)
    }

    /// Tidies up after a bulk write: SQLite empties its write-ahead log, PostgreSQL updates its statistics.
    pub async fn checkpoint(&self) -> Result<()> {
        let sql = match self.engine {
            Engine::Sqlite => "PRAGMA wal_checkpoint(TRUNCATE)",
            Engine::Postgres => "VACUUM (ANALYZE)",
        };
        sqlx::query(sql).execute(&self.writer).await.map(drop)
    }

    /// Returns true if only one server uses the database, as with SQLite. Commands may use it too.
    pub fn has_one_server(&self) -> bool {
        self.engine == Engine::Sqlite
    }

    pub async fn close(&self) {
        self.sync_locks.release_all().await;
        self.reader.close().await;
        self.writer.close().await;
    }
}

/// Connection options without statement logging: statements with many rows would flood the log.
fn connect_options(url: &str) -> anyhow::Result<AnyConnectOptions> {
    Ok(url.parse::<AnyConnectOptions>().context("DATABASE_URL cannot be read")?.disable_statement_logging())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seeder;

    #[tokio::test]
    async fn connections_have_their_pragmas() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let number = async |pool: &AnyPool, pragma: &'static str| -> Result<i64> {
            sqlx::query_scalar(pragma).fetch_one(pool).await
        };
        assert_eq!(number(&store.reader, "PRAGMA cache_size").await?, -4096);
        assert_eq!(number(&store.reader, "PRAGMA query_only").await?, 1);
        assert_eq!(number(&store.writer, "PRAGMA cache_size").await?, -32768);
        assert_eq!(number(&store.writer, "PRAGMA synchronous").await?, 1);
        assert_eq!(number(&store.writer, "PRAGMA page_size").await?, 16384);
        assert_eq!(number(&store.writer, "PRAGMA secure_delete").await?, 1);
        Ok(())
    }

    #[tokio::test]
    async fn a_full_database_is_recognised() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 100, 1_790_000_000_000, store.packer().clone());
        let runs = (0..100).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        sqlx::query("PRAGMA max_page_count = 1").execute(&store.writer).await?;
        let full = store.upsert_runs(workspace, &runs).await.expect_err("the database is full");
        assert!(cannot_write(&full), "{full}");
        sqlx::query("PRAGMA max_page_count = 1000000").execute(&store.writer).await?;
        store.upsert_runs(workspace, &runs).await?;
        assert_eq!(store.count_runs(workspace).await?, 100);
        Ok(())
    }

    #[tokio::test]
    async fn a_connection_that_cannot_roll_back_is_discarded() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let mut tx = store.begin().await?;
        // As SQLite does by itself when the disk is full: sqlx's own rollback then fails.
        sqlx::query("ROLLBACK").execute(&mut *tx).await?;
        drop(tx);
        store.workspace_from_slug("demo").await?;
        store.check_writable(1).await?;
        Ok(())
    }

    #[tokio::test]
    async fn two_processes_can_write_one_file() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let url = format!("sqlite:{}", dir.path().join("x.db").display());
        let stores = [Store::open(&url).await?, Store::open(&url).await?];
        let write = async |which: usize| -> anyhow::Result<()> {
            let store = &stores[which];
            let workspace = store.workspace_from_slug("demo").await?;
            let seeder = Seeder::new(which as u64, 100, 1_790_000_000_000, store.packer().clone());
            for index in 0..100 {
                store.upsert_runs(workspace, &[seeder.run(index)?.0]).await?;
            }
            Ok(())
        };
        tokio::try_join!(write(0), write(1))?;
        let workspace = stores[0].workspace_from_slug("demo").await?;
        assert_eq!(stores[0].count_runs(workspace).await?, 200);
        Ok(())
    }
}
