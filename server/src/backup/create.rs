//! `runlens backup FILE`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;

use super::{PartialFile, database_file};
use crate::config::{DatabaseOptions, KeyOptions};
use crate::store::DatabaseReader;

#[derive(Args, Clone, Debug)]
pub struct BackupOptions {
    /// The file to write.
    pub file: PathBuf,

    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub key: KeyOptions,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

/// Writes everything that is committed when it starts. The server can go on working.
pub async fn backup(options: BackupOptions) -> Result<()> {
    let database = database_file(&options.database)?;
    check_target(&options.file, &database, options.force)?;
    let mut source = DatabaseReader::open(&database).await?;
    let version = source.version().await?;
    let partial = PartialFile::create(&options.file)?;
    partial.fill_from(source).await?;
    partial.publish()?;
    let bytes = fs::metadata(&options.file)?.len();
    println!("{} written: {:.1} MB, checked, tables of version {version}", options.file.display(), bytes as f64 / 1e6);
    println!("{}", what_about_the_key(&options));
    Ok(())
}

fn check_target(file: &Path, database: &Path, force: bool) -> Result<()> {
    let Ok(existing) = fs::canonicalize(file) else { return Ok(()) };
    if fs::canonicalize(database).is_ok_and(|database| database == existing) {
        bail!("{} is the database itself; name another file", file.display());
    }
    if !existing.is_file() {
        bail!("{} is not a file", file.display());
    }
    if !force {
        bail!("{} exists; name another file, or replace it with --force", file.display());
    }
    Ok(())
}

fn what_about_the_key(options: &BackupOptions) -> String {
    let without =
        "Without it sign-ins, drafts, templates, pending answers and batches in the backup can't be read; runs can.";
    if options.key.secret_key.is_some() {
        return format!("The key is not in the backup: store the value of RUNLENS_SECRET_KEY apart from it. {without}");
    }
    let key = options.database.data_dir.join("secret.key");
    format!("The key is not in the backup: copy {} to another safe place, apart from it. {without}", key.display())
}
