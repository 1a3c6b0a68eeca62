//! `runlens import FILE…`: imports into the database, also while a server uses it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::Import;
use crate::config::{DatabaseOptions, create_data_dir};
use crate::error::Error;
use crate::store::Store;

const CHUNK_BYTES: usize = 256 * 1024;
/// Bytes between two lines of progress.
const PROGRESS_EVERY_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Args, Clone, Debug)]
pub struct ImportOptions {
    /// Logs: NDJSON, a JSON array, a raw SSE capture or an export of Runlens; - for standard input.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// Slug of the workspace that the runs will belong to; made if it is not there.
    #[arg(long, default_value = "demo")]
    pub workspace: String,

    #[command(flatten)]
    pub database: DatabaseOptions,
}

pub async fn import_files(options: ImportOptions) -> anyhow::Result<()> {
    create_data_dir(&options.database.data_dir)?;
    let store = Store::open(&options.database.url()).await?;
    let workspace = store.workspace_from_slug(&options.workspace).await?;
    let mut failed = 0;
    for file in &options.files {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
        let imported = import_file(Import::new(store.clone(), workspace, name), file).await;
        if let Err(error) = imported {
            eprintln!("{}: {error:#}", file.display());
            failed += 1;
        }
    }
    store.close().await;
    anyhow::ensure!(failed == 0, "{failed} of {} files could not be imported", options.files.len());
    Ok(())
}

async fn import_file(mut import: Import, path: &Path) -> anyhow::Result<()> {
    // Blocking reads are fine: nothing else runs in this process.
    let mut file: Box<dyn std::io::Read> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(path).context("cannot be opened")?)
    };
    let mut buffer = vec![0; CHUNK_BYTES];
    let (mut read_bytes, mut printed_bytes) = (0, 0);
    loop {
        let length = file.read(&mut buffer).context("cannot be read")?;
        if length == 0 {
            break;
        }
        import.push(&buffer[..length]).await.map_err(with_advice)?;
        read_bytes += length as u64;
        if read_bytes - printed_bytes >= PROGRESS_EVERY_BYTES {
            printed_bytes = read_bytes;
            eprintln!("{}: {} MB read, {} events", path.display(), read_bytes / 1_000_000, import.report.events);
        }
    }
    let (run_id, report) = import.finish().await.map_err(with_advice)?;
    for fault in &report.faults {
        eprintln!("{}:{}: {}", path.display(), fault.line, fault.reason);
    }
    let more = report.fault_count - report.faults.len() as u64;
    if more > 0 {
        eprintln!("{}: {more} more places could not be read", path.display());
    }
    println!("{run_id}\t{} events\t{}", report.events, path.display());
    Ok(())
}

fn with_advice(error: Error) -> anyhow::Error {
    match error {
        Error::App(error) => anyhow::anyhow!("{}", error.advice()),
        other => other.into(),
    }
}
