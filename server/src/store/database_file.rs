//! The files of a SQLite database, which only this user may read.
//!
//! SQLite creates files that everyone may read, and gives its other two files the mode of the first. So an empty file is
//! created before SQLite opens it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use domain::create_private_file_if_missing;
use sqlx::sqlite::SqliteConnectOptions;

/// Creates the file of a database if it is missing. Warns about files that others may read.
pub(super) fn prepare(url: &str) -> anyhow::Result<()> {
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Ok(());
    }
    let options = SqliteConnectOptions::from_str(url).context("DATABASE_URL cannot be read")?;
    let path = options.get_filename();
    if url.contains("mode=rwc") {
        create_private_file_if_missing(path)
            .with_context(|| format!("the database {} cannot be created", path.display()))?;
    }
    warn_if_others_may_read(path);
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Warns about a file with secrets that other users of this machine may read, and about SQLite's files next to it.
pub fn warn_if_others_may_read(path: &Path) {
    #[cfg(unix)]
    for file in ["", "-wal", "-shm"].map(|suffix| with_suffix(path, suffix)) {
        let Ok(metadata) = std::fs::metadata(&file) else { continue };
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            let (file, mode) = (file.display(), format!("{mode:o}"));
            tracing::warn!(%file, mode, "other users of this machine may read this file; run chmod 600 on it");
        }
    }
}
