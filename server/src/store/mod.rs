//! The database: the only place with SQL. SQLite by default, PostgreSQL when the URL says so.
//!
//! Each resource has its types and its SQL side by side in one file. Every query on mirrored data takes the workspace
//! from its caller, who has it from the session; there is no query without one.

mod answers;
mod batches;
mod events;
mod feedback;
mod grants;
mod launches;
mod library;
mod migrations;
mod query_sql;
mod runs;
mod web_sessions;
mod workspaces;

use std::time::Duration;

use anyhow::Context;
use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Executor};

pub use answers::{AnswerPlan, CallKey, Claim};
pub use batches::{NewBatch, OpenBatch};
pub use grants::{Grant, SealedTokens};
pub use launches::KeptAnswers;
pub use library::StoredTemplate;
pub use runs::{Cursor, RunUpdate};
pub use workspaces::WorkspaceId;

#[derive(Clone, Debug)]
pub struct Store {
    /// SQLite takes one writer at a time: a pool of one queues writers fairly instead of letting them fail as busy.
    writer: AnyPool,
    reader: AnyPool,
    engine: Engine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

pub type Error = sqlx::Error;
pub type Result<T> = std::result::Result<T, Error>;

impl Store {
    /// Connects and brings the tables up to date.
    pub async fn open(database_url: &str) -> anyhow::Result<Self> {
        sqlx::any::install_default_drivers();
        let store = if database_url.starts_with("sqlite:") {
            Self::open_sqlite(database_url).await
        } else if database_url.starts_with("postgres:") || database_url.starts_with("postgresql:") {
            Self::open_postgres(database_url).await
        } else {
            anyhow::bail!("DATABASE_URL must start with sqlite: or postgres:")
        }?;
        let migrator = migrations::migrator(store.engine);
        migrator.run(&store.writer).await.context("the database tables could not be brought up to date")?;
        Ok(store)
    }

    async fn open_sqlite(url: &str) -> anyhow::Result<Self> {
        let url = if url.contains('?') { url.to_owned() } else { format!("{url}?mode=rwc") };
        let pool = |connections: u32, pragmas: &'static str| {
            AnyPoolOptions::new().max_connections(connections).min_connections(1).after_connect(move |connection, _| {
                Box::pin(async move { connection.execute(pragmas).await.map(drop) })
            })
        };
        let writer = pool(1, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 10000;")
            .connect(&url)
            .await
            .with_context(|| format!("the database {url} could not be opened"))?;
        let reader = pool(4, "PRAGMA busy_timeout = 10000; PRAGMA query_only = ON;").connect(&url).await?;
        Ok(Self { writer, reader, engine: Engine::Sqlite })
    }

    async fn open_postgres(url: &str) -> anyhow::Result<Self> {
        let pool = AnyPoolOptions::new()
            .max_connections(16)
            .acquire_timeout(Duration::from_secs(10))
            .connect(url)
            .await
            .context("the PostgreSQL database named by DATABASE_URL could not be reached")?;
        Ok(Self { writer: pool.clone(), reader: pool, engine: Engine::Postgres })
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        sqlx::query("SELECT 1").execute(&self.reader).await.map(drop)
    }

    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }
}
