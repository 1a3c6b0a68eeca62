//! `cargo xtask conformance`: the suite of protocol checks, against any MANTYX.

use anyhow::Result;
use clap::Args;

use crate::command;

#[derive(Args)]
pub struct Target {
    /// Where MANTYX is, such as http://127.0.0.1:3001
    #[arg(long, env = "MANTYX_URL")]
    url: String,

    /// An API key of the workspace, or an access token
    #[arg(long, env = "MANTYX_API_KEY", hide_env_values = true)]
    key: String,

    /// The workspace's slug
    #[arg(long, env = "MANTYX_WORKSPACE")]
    workspace: String,
}

/// Builds the program of the sandbox that holds the checks, and runs it.
pub fn run(target: &Target) -> Result<()> {
    let program = ["run", "--quiet", "--package", "sandbox", "--bin", "mantyx-conformance", "--"];
    command::run(
        command::cargo()?
            .args(program)
            .args(["--url", &target.url, "--workspace", &target.workspace])
            // Not as an argument, where every process of the machine could read it, and an error would repeat it.
            .env("MANTYX_API_KEY", &target.key),
    )
}
