//! `mantyx-conformance`: checks a server against the protocol.

use std::process::ExitCode;

use clap::Parser;
use sandbox::conformance::{self, Target};

/// Checks a MANTYX server against the protocol and prints the results.
///
/// Starts a few short runs and a session in the workspace, tagged with the metadata "conformance", and ends them. Changes
/// nothing else. Checks that depend on the model's behaviour are skipped if the catalogue has no sandbox/script.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// Base URL of MANTYX, such as https://app.mantyx.io
    #[arg(long, env = "MANTYX_URL")]
    url: String,

    /// An API key of the workspace, or an access token
    #[arg(long, env = "MANTYX_API_KEY", hide_env_values = true)]
    key: String,

    /// The workspace's slug
    #[arg(long, env = "MANTYX_WORKSPACE")]
    workspace: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Options { url, key, workspace } = Options::parse();
    let report = match conformance::run(Target { url, key, workspace }).await {
        Ok(report) => report,
        Err(error) => {
            eprintln!("error: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    print!("{}", report.table());
    if report.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
