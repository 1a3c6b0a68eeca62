//! The `runlens` command.

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use runlens::backup::{self, BackupOptions, RestoreOptions};
use runlens::config::{Config, ServeOptions, Site};
use runlens::erase::{self, EraseOptions};
use runlens::export::{self, ExportOptions};
use runlens::import::{self, ImportOptions};
use runlens::retain::{self, RetainOptions};
use runlens::secret_key::{self, RotateKeyOptions};
use runlens::seed::{self, SeedOptions};
use runlens::serve::{self, Running};
use tokio::signal::unix::{SignalKind, signal};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The site that `cargo xtask build` wrote and embeds.
#[cfg(embedded_site)]
fn site() -> anyhow::Result<Site> {
    Ok(include!(concat!(env!("RUNLENS_SITE_DIR"), "/embed.rs")))
}

/// Browser tests run a debug build with the optimised site, without compiling the server once more.
#[cfg(all(debug_assertions, not(embedded_site)))]
fn site() -> anyhow::Result<Site> {
    match std::env::var_os("RUNLENS_TEST_SITE") {
        Some(folder) => runlens::config::load_site(folder.as_ref()),
        None => Ok(Site::default()),
    }
}

#[cfg(not(any(debug_assertions, embedded_site)))]
fn site() -> anyhow::Result<Site> {
    Ok(Site::default())
}

const MORE_VARIABLES: &str = "Further environment variables:
  RUST_LOG                         What is logged: error, warn, info (the default), debug, or by module, for example
                                   warn,runlens::mirror=debug. Lines are JSON unless on a terminal.
  OPENAI_BASE_URL, OPENAI_API_KEY  An API like OpenAI's, for example http://127.0.0.1:11434/v1, whose models the embedded
                                   sandbox then offers as openai/MODEL. Not used with MANTYX_URL.";

/// The observability dashboard for MANTYX agent runs.
///
/// Without further settings it starts an embedded MANTYX-compatible sandbox and uses that.
#[derive(Parser)]
#[command(name = "runlens", version, args_conflicts_with_subcommands = true, after_help = MORE_VARIABLES, after_long_help = MORE_VARIABLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeOptions,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the dashboard (the default).
    Serve(Box<ServeOptions>),
    /// Fill the database with generated runs, to try things out or to measure.
    Seed(SeedOptions),
    /// Import log files as runs.
    Import(ImportOptions),
    /// Remove old runs now, using the server's limits.
    Retain(RetainOptions),
    /// Encrypt everything in the database with the first key of RUNLENS_SECRET_KEY.
    RotateKey(RotateKeyOptions),
    /// Write a run's log, or a report of it, to a file.
    Export(ExportOptions),
    /// Delete runs and sessions for good. They are not synced again; MANTYX keeps its own copy.
    Erase(EraseOptions),
    /// Write a copy of the SQLite database to a file, while the server runs.
    Backup(BackupOptions),
    /// Replace the SQLite database by a backup. The server must not run.
    Restore(RestoreOptions),
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    runlens::logging::init();
    let done = match cli.command {
        Some(Command::Serve(options)) => run(*options).await,
        Some(Command::Seed(options)) => seed::seed(options).await.map(|seeded| println!("{seeded}")),
        Some(Command::Import(options)) => import::import_files(options).await,
        Some(Command::Retain(options)) => retain::retain(options).await,
        Some(Command::RotateKey(options)) => secret_key::rotate_key(options).await,
        Some(Command::Export(options)) => export::export_run(options).await,
        Some(Command::Erase(options)) => erase::erase_command(options).await,
        Some(Command::Backup(options)) => backup::backup(options).await,
        Some(Command::Restore(options)) => backup::restore(options).await,
        None => run(cli.serve).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("runlens: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: ServeOptions) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let running = serve::start(Config { site: site()?, ..options.validate()? }).await?;
    announce(&running);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    // Not `eprintln!`, which panics if the log is on a full disk.
    let _ = writeln!(std::io::stderr(), "Stopping.");
    running.stop().await
}

fn announce(running: &Running) {
    println!("\n  Runlens is at {}", running.url);
    if let Some(sandbox) = &running.sandbox {
        println!("  The sandbox is at {}", sandbox.url());
        println!("\n  Sign in there as owner@demo.test: no account is needed.\n");
    } else {
        println!("\n  Sign in with your MANTYX account.\n");
    }
}
