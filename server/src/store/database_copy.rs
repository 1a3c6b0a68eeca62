//! Copies of a SQLite database: made while it is in use, checked, and put in its place.
//!
//! Nothing here runs migrations: a backup of a database has the version of the database, not that of the program.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode};
use sqlx::{ConnectOptions, Connection, Row};

use super::migrations;

/// SQLite's code for a file that another process has locked.
const BUSY: i64 = 5;

/// Returns the file of a database URL, or `None` for PostgreSQL.
pub fn sqlite_file(url: &str) -> Result<Option<PathBuf>> {
    if !url.starts_with("sqlite:") {
        return Ok(None);
    }
    if url.contains(":memory:") || url.contains("mode=memory") {
        bail!("DATABASE_URL names a database in memory, which has no file");
    }
    let options = SqliteConnectOptions::from_str(url).context("DATABASE_URL cannot be read")?;
    Ok(Some(options.get_filename().to_owned()))
}

/// A SQLite database that is only read.
pub struct DatabaseReader(SqliteConnection);

impl DatabaseReader {
    pub async fn open(path: &Path) -> Result<Self> {
        let explain = || format!("{} cannot be opened as a database", path.display());
        let metadata = std::fs::metadata(path).with_context(explain)?;
        if !metadata.is_file() || metadata.len() == 0 {
            bail!("{} is not a Runlens database", path.display());
        }
        let options = SqliteConnectOptions::new().filename(path).read_only(true).disable_statement_logging();
        Ok(Self(options.connect().await.with_context(explain)?))
    }

    /// Writes everything that is committed at this moment to an empty file. Others can go on reading and writing.
    pub async fn copy_to(&mut self, target: &Path) -> Result<()> {
        let name = target.to_str().context("the file's name is not UTF-8")?;
        sqlx::query("VACUUM INTO $1").bind(name).execute(&mut self.0).await.context("the copy could not be written")?;
        Ok(())
    }

    /// Fails if this is not a Runlens database, or one of a newer version. Returns its version.
    pub async fn version(&mut self) -> Result<i64> {
        let sql = "SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version";
        let rows = match sqlx::query(sql).fetch_all(&mut self.0).await {
            Ok(rows) => rows,
            Err(error) => bail!("the file is not a Runlens database ({error})"),
        };
        let mut applied = Vec::new();
        for row in &rows {
            applied.push((row.try_get::<i64, _>("version")?, row.try_get::<Vec<u8>, _>("checksum")?));
        }
        migrations::check_applied(&applied)
    }

    /// Fails if the file is damaged. Reads all of it.
    pub async fn check_integrity(&mut self) -> Result<()> {
        let found: String = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut self.0).await?;
        if found != "ok" {
            bail!("the file is damaged: {found}");
        }
        Ok(())
    }

    /// The check value of the key, if this version has one.
    pub async fn key_check(&mut self) -> Option<Vec<u8>> {
        sqlx::query_scalar("SELECT sealed FROM key_check WHERE id = 1").fetch_optional(&mut self.0).await.ok().flatten()
    }

    pub async fn close(self) -> Result<()> {
        Ok(self.0.close().await?)
    }
}

/// A database that no other process can use until this is closed.
pub struct LockedDatabase(SqliteConnection);

impl LockedDatabase {
    /// Fails if another process uses the database. Writes its write-ahead log into the file, so that the file is all of it.
    pub async fn lock(path: &Path) -> Result<Self> {
        let locked = Self::try_lock(path).await;
        locked.map_err(|error| match code(&error) {
            Some(BUSY) => anyhow::anyhow!(
                "the database {} is in use: stop the server and other commands that use it first",
                path.display()
            ),
            _ => anyhow::Error::new(error).context(format!(
                "the present database {} cannot be opened. Move it away, with the files that end in -wal and -shm, and \
                 start again",
                path.display()
            )),
        })
    }

    async fn try_lock(path: &Path) -> sqlx::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(std::time::Duration::ZERO)
            .journal_mode(SqliteJournalMode::Delete)
            .disable_statement_logging();
        // Only possible while there is no other connection.
        let mut connection = options.connect().await?;
        sqlx::query("BEGIN EXCLUSIVE").execute(&mut connection).await?;
        Ok(Self(connection))
    }

    pub async fn close(self) -> Result<()> {
        Ok(self.0.close().await?)
    }
}

/// SQLite's primary code.
fn code(error: &sqlx::Error) -> Option<i64> {
    let sqlx::Error::Database(error) = error else { return None };
    Some(error.code()?.parse::<i64>().ok()? & 0xff)
}
