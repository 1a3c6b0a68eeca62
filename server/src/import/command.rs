//! `runlens import FILE…`: imports into the database, also while a server uses it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use futures::{StreamExt, stream};
use tokio::sync::Semaphore;

use super::{Import, ImportWriter, Imported, MAX_SMALL_BYTES};
use crate::config::{DatabaseOptions, create_data_dir};
use crate::error::Error;
use crate::store::Store;

const CHUNK_BYTES: usize = 64 * 1024;
/// Small files that are imported at once, so that their runs share transactions.
const FILES_AT_ONCE: usize = 64;
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
    let (writer, places) = (ImportWriter::start(store.clone()), Semaphore::new(FILES_AT_ONCE));
    let import = async |file: &PathBuf| {
        let _places = places.acquire_many(places_of(file)).await;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
        let import = Import::new(writer.clone(), workspace, name);
        tokio::spawn(import_file(import, file.clone())).await?
    };
    let mut imports = stream::iter(&options.files).map(async |file| (file, import(file).await)).buffered(FILES_AT_ONCE);
    let mut failed = 0;
    while let Some((file, imported)) = imports.next().await {
        match imported {
            Ok(imported) => print(file, &imported),
            Err(error) => {
                eprintln!("{}: {error:#}", file.display());
                failed += 1;
            }
        }
    }
    drop(imports);
    store.close().await;
    anyhow::ensure!(failed == 0, "{failed} of {} files could not be imported", options.files.len());
    Ok(())
}

/// How many of the files that are imported at once a file counts for. A large one is imported alone.
fn places_of(file: &Path) -> u32 {
    let is_small = std::fs::metadata(file).is_ok_and(|file| file.is_file() && file.len() <= MAX_SMALL_BYTES);
    if is_small { 1 } else { FILES_AT_ONCE as u32 }
}

async fn import_file(mut import: Import, path: PathBuf) -> anyhow::Result<Imported> {
    // Blocking reads are fine: nothing else has to go on in this process.
    let mut file: Box<dyn std::io::Read + Send> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(&path).context("cannot be opened")?)
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
    import.finish().await.map_err(with_advice)
}

fn print(path: &Path, Imported { run_id, report, .. }: &Imported) {
    for fault in &report.faults {
        eprintln!("{}:{}: {}", path.display(), fault.line, fault.reason);
    }
    let more = report.fault_count - report.faults.len() as u64;
    if more > 0 {
        eprintln!("{}: {more} more places could not be read", path.display());
    }
    println!("{run_id}\t{} events\t{}", report.events, path.display());
}

fn with_advice(error: Error) -> anyhow::Error {
    match error {
        Error::App(error) => anyhow::anyhow!("{}", error.advice()),
        other => other.into(),
    }
}
