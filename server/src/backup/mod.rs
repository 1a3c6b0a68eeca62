//! `runlens backup` and `runlens restore`, for SQLite. PostgreSQL has tools of its own.

mod create;
mod restore;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::config::DatabaseOptions;
use crate::random;
use crate::store::{DatabaseReader, sqlite_file};

pub use create::{BackupOptions, backup};
pub use restore::{RestoreOptions, restore};

/// The file of the configured database. Fails for PostgreSQL.
fn database_file(options: &DatabaseOptions) -> Result<PathBuf> {
    match sqlite_file(&options.url())? {
        Some(path) => Ok(path),
        None => bail!("this command is for SQLite; docs/backup.md says how to back up PostgreSQL with pg_dump"),
    }
}

/// A file next to its final place, with access for this user only. Removed when dropped, unless it was moved there.
struct PartialFile {
    path: PathBuf,
    target: PathBuf,
}

impl PartialFile {
    fn create(target: &Path) -> Result<Self> {
        let name = target.file_name().with_context(|| format!("{} is not the name of a file", target.display()))?;
        let name = format!(".{}.{}.partial", name.to_string_lossy(), random::reference());
        let path = folder_of(target).join(name);
        domain::create_private_file(&path).with_context(|| format!("{} cannot be created", path.display()))?;
        Ok(Self { path, target: target.to_owned() })
    }

    /// Copies a database into it, and checks the copy.
    async fn fill_from(&self, mut source: DatabaseReader) -> Result<()> {
        source.copy_to(&self.path).await?;
        source.close().await?;
        let mut copy = DatabaseReader::open(&self.path).await?;
        copy.check_integrity().await?;
        copy.close().await
    }

    /// Moves it to its place, complete and on disk.
    fn publish(self) -> Result<()> {
        let explain = || format!("{} cannot be written", self.target.display());
        File::open(&self.path)?.sync_all().with_context(explain)?;
        fs::rename(&self.path, &self.target).with_context(explain)?;
        File::open(folder_of(&self.target))?.sync_all().with_context(explain)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // It is gone if it was moved.
        let _ = fs::remove_file(&self.path);
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
