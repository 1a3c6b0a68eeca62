//! `cargo xtask conformance`: runs the protocol checks against any MANTYX.

use anyhow::Result;
use clap::Args;

use crate::command;

#[derive(Args)]
pub struct Target {
    /// Address of MANTYX, such as http://127.0.0.1:3001
    #[arg(long, env = "MANTYX_URL")]
    url: String,

    /// An API key of the workspace, or an access token
    #[arg(long, env = "MANTYX_API_KEY", hide_env_values = true)]
    key: String,

    /// The workspace's slug
    #[arg(long, env = "MANTYX_WORKSPACE")]
    workspace: String,
}

/// Builds and runs the sandbox's program that contains the checks.
pub fn run(target: &Target) -> Result<()> {
    let program = ["run", "--quiet", "--package", "sandbox", "--bin", "mantyx-conformance", "--"];
    command::run(
        command::cargo()?
            .args(program)
            .args(["--url", &target.url, "--workspace", &target.workspace])
            // Not as an argument, which every process could read and an error message would repeat.
            .env("MANTYX_API_KEY", &target.key),
    )
}
