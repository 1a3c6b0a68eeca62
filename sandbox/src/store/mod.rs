//! The SQLite database of the sandbox.
//!
//! One connection writes and a few read, so that no statement waits for a lock.

mod events;
mod oauth;
mod retained;
mod row;
mod runs;
mod sessions;

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

pub use events::{Entry, StoredEvent};
pub use oauth::{AuthorizeRequest, Code, Grant};
pub use retained::{NewRetained, Retained};
pub use runs::{Finish, NewRun, RunFilter, RunRecord, Verdict};
pub use sessions::{NewMessage, NewSession, SessionFilter, SessionMessage, SessionRecord};

#[derive(Clone)]
pub struct Store {
    read: SqlitePool,
    write: SqlitePool,
}

impl Store {
    pub async fn open(path: &Path) -> anyhow::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create the sandbox's folder {}", folder.display()))?;
        }
        domain::create_private_file_if_missing(path)
            .with_context(|| format!("cannot create the sandbox's database {}", path.display()))?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
            .pragma("cache_size", "-1024");
        let open = async {
            // Large enough for the pages of hundreds of concurrent runs.
            let writing = options.clone().pragma("cache_size", "-8192");
            let write = SqlitePoolOptions::new().max_connections(1).connect_with(writing).await?;
            sqlx::raw_sql(include_str!("../schema.sql")).execute(&write).await?;
            add_event_times(&write).await?;
            let read = SqlitePoolOptions::new().max_connections(3).connect_with(options).await?;
            Ok::<_, sqlx::Error>(Self { read, write })
        };
        open.await.with_context(|| format!("cannot open the sandbox's database {}", path.display()))
    }

    /// Returns true if there are no runs and sessions.
    pub async fn is_empty(&self) -> sqlx::Result<bool> {
        let used: i64 = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM runs) + EXISTS (SELECT 1 FROM sessions)")
            .fetch_one(&self.read)
            .await?;
        Ok(used == 0)
    }

    pub async fn close(&self) {
        self.read.close().await;
        self.write.close().await;
    }
}

/// Adds the times of events to a database of an earlier version.
async fn add_event_times(write: &SqlitePool) -> sqlx::Result<()> {
    let has_times: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pragma_table_info('events') WHERE name = 'at_ms')")
            .fetch_one(write)
            .await?;
    if !has_times {
        sqlx::query("ALTER TABLE events ADD COLUMN at_ms INTEGER").execute(write).await?;
    }
    Ok(())
}
