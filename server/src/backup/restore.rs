//! `runlens restore FILE`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use chrono::Utc;
use clap::Args;

use super::{PartialFile, database_file};
use crate::config::{DatabaseOptions, KeyOptions, create_data_dir};
use crate::store::{DatabaseReader, LockedDatabase};
use crate::vault::{Vault, purpose};

#[derive(Args, Clone, Debug)]
pub struct RestoreOptions {
    /// A file that `runlens backup` wrote.
    pub file: PathBuf,

    #[command(flatten)]
    pub key: KeyOptions,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

/// Replaces the database. The previous one stays next to it.
pub async fn restore(options: RestoreOptions) -> Result<()> {
    let database = database_file(&options.database)?;
    if fs::canonicalize(&options.file).is_ok_and(|file| fs::canonicalize(&database).is_ok_and(|same| same == file)) {
        bail!("{} is the database itself; name a backup", options.file.display());
    }
    let mut source = DatabaseReader::open(&options.file).await?;
    let version = source.version().await.with_context(|| format!("{} cannot be restored", options.file.display()))?;
    let key_check = source.key_check().await;
    create_data_dir(&options.database.data_dir)?;
    let partial = PartialFile::create(&database)?;
    partial.fill_from(source).await?;
    let previous = replace(&database, partial).await?;
    println!("{} restored from {}, tables of version {version}", database.display(), options.file.display());
    if let Some(previous) = previous {
        println!("The previous database is {}; delete it when you no longer need it.", previous.display());
    }
    if let Some(advice) = advice_on_key(&options, key_check.as_deref()) {
        println!("{advice}");
    }
    Ok(())
}

/// Puts the new file in the database's place while nobody uses it. Returns the previous database.
async fn replace(database: &Path, new: PartialFile) -> Result<Option<PathBuf>> {
    if !database.exists() {
        new.publish()?;
        return Ok(None);
    }
    let lock = LockedDatabase::lock(database).await?;
    let previous = previous_name(database)?;
    // A second name instead of another one, so that there is a database at every moment. Where the file system has no hard
    // links, it is renamed. The file must not be opened here: closing it would release SQLite's lock.
    fs::hard_link(database, &previous)
        .or_else(|_| fs::rename(database, &previous))
        .with_context(|| format!("the previous database cannot be kept as {}", previous.display()))?;
    new.publish()?;
    lock.close().await?;
    Ok(Some(previous))
}

/// A name that is not used yet.
fn previous_name(database: &Path) -> Result<PathBuf> {
    let time = Utc::now().format("%Y%m%dT%H%M%SZ");
    let named = |number: u32| {
        let mut name = database.as_os_str().to_owned();
        name.push(format!(".before-restore-{time}"));
        name.push(if number == 1 { String::new() } else { format!("-{number}") });
        PathBuf::from(name)
    };
    (1..1000).map(named).find(|name| !name.exists()).context("there are too many previous databases")
}

/// What to do before the server can read what is encrypted. `None` if the key is the right one.
fn advice_on_key(options: &RestoreOptions, key_check: Option<&[u8]>) -> Option<String> {
    let file = options.database.data_dir.join("secret.key");
    let secret = options.key.secret_key.clone().or_else(|| fs::read_to_string(&file).ok());
    let Some(secret) = secret else {
        return Some(format!("Before you start the server, copy the key of the backup to {}.", file.display()));
    };
    let opens = |sealed: &[u8]| Vault::new(secret.trim()).open_sealed(purpose::KEY_CHECK, sealed).is_ok();
    let is_right = key_check.is_none_or(opens);
    (!is_right).then(|| {
        format!(
            "The present key is not the key of this backup. Before you start the server, put that key into {} or \
             RUNLENS_SECRET_KEY.",
            file.display()
        )
    })
}
