//! `mantyx-sandbox`: the sandbox as a process of its own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use sandbox::{Config, DEFAULT_REDIRECT_URIS};
use tokio::signal::unix::{SignalKind, signal};

/// A MANTYX-compatible server for development and demonstration.
///
/// Workspaces: demo (API key mantyx_sandbox_demo) and other (mantyx_sandbox_other). OAuth client: mantyx_oa_runlens.
#[derive(Parser)]
#[command(version, after_long_help = include_str!("help.txt"))]
struct Options {
    /// Where to listen
    #[arg(long, env = "RUNLENS_SANDBOX_ADDR", default_value = "127.0.0.1:3001")]
    addr: SocketAddr,

    /// The database file; its folder is created
    #[arg(long, value_name = "FILE", default_value = "data/sandbox.db")]
    data: PathBuf,

    /// A redirect URI of the OAuth client, matched exactly; may be given more than once
    #[arg(long = "redirect-uri", value_name = "URI", default_values = DEFAULT_REDIRECT_URIS)]
    redirect_uris: Vec<String>,

    /// Start empty instead of running the demonstration
    #[arg(long)]
    no_demo: bool,

    /// Listen beyond loopback although the keys are public, and specs may name hosts of this network
    #[arg(long)]
    allow_remote: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until the process is asked to stop.
async fn run(options: Options) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let sandbox = sandbox::start(Config {
        addr: options.addr,
        database: options.data,
        redirect_uris: options.redirect_uris,
        demo: !options.no_demo,
        allow_remote: options.allow_remote,
        openai: None,
    })
    .await?;
    println!("MANTYX sandbox on {}", sandbox.url());
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    tracing::info!("shutting down");
    sandbox.shutdown().await;
    Ok(())
}
