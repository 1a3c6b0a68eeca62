//! `mantyx-sandbox`: the sandbox as a standalone program.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use sandbox::{Clock, Config, DEFAULT_ACCESS_TOKEN_LIFETIME, DEFAULT_HEARTBEAT, DEFAULT_REDIRECT_URIS, RateLimits};
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

    /// Requests in a minute for each credential: off, documented, or changes to that such as runs=10,reads=off
    #[arg(long, value_name = "LIMITS", env = "RUNLENS_SANDBOX_RATE_LIMITS", default_value = "documented")]
    rate_limits: RateLimits,

    /// After how much silence a stream says that it is still there, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        env = "RUNLENS_SANDBOX_HEARTBEAT_MS",
        default_value_t = DEFAULT_HEARTBEAT.as_millis() as u64,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    heartbeat_ms: u64,

    /// For how long an access token is good, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        env = "RUNLENS_SANDBOX_ACCESS_TOKEN_SECONDS",
        default_value_t = DEFAULT_ACCESS_TOKEN_LIFETIME.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=31_536_000)
    )]
    access_token_seconds: u64,

    /// Listen beyond loopback although the keys are public, and specs may name hosts of this network
    #[arg(long)]
    allow_remote: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info,rmcp=off"));
    // A line that cannot be written, as on a full disk, is dropped. Reporting that panics.
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).log_internal_errors(false).init();
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
        heartbeat: Duration::from_millis(options.heartbeat_ms),
        rate_limits: options.rate_limits,
        access_token_lifetime: Duration::from_secs(options.access_token_seconds),
        clock: Clock::Real,
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
