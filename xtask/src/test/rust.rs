//! The parts that cargo runs: formatting, lints, unit and integration tests.

use anyhow::Result;

use crate::command;
use crate::tools::{curl, wasm_target};

/// Checks the format of all crates.
pub fn fmt() -> Result<()> {
    cargo(&["fmt", "--all", "--check"])
}

/// Lints all crates and their tests. `app` is compiled for the server here. Without debug assertions, as in optimised
/// builds: this way every configuration is compiled by some part.
pub fn clippy() -> Result<()> {
    let optimised = ["profile.dev.debug-assertions=false", "profile.dev.build-override.debug-assertions=true"];
    let config = optimised.iter().flat_map(|setting| ["--config", setting]);
    let args = ["--workspace", "--all-targets", "--", "-D", "warnings"];
    cargo(&std::iter::once("clippy").chain(config).chain(args).collect::<Vec<_>>())
}

/// Lints `app` as it is compiled for the browser.
pub fn clippy_wasm() -> Result<()> {
    wasm_target::ensure("wasm32-unknown-unknown")?;
    let client =
        ["-p", "app", "--lib", "--target", "wasm32-unknown-unknown", "--no-default-features", "--features", "hydrate"];
    cargo(&[&["clippy"], &client[..], &["--", "-D", "warnings"]].concat())
}

/// Runs unit tests, golden tests, and examples in documentation, for which cargo needs a command of its own.
pub fn unit() -> Result<()> {
    cargo(&["test", "--workspace", "--lib", "--bins", "--test", "golden", "--no-fail-fast"])?;
    cargo(&["test", "--workspace", "--doc"])
}

/// Runs the integration tests of the sandbox and the server. With `--workspace` cargo selects the same features of shared
/// dependencies as for the unit tests.
pub fn sqlite() -> Result<()> {
    curl::ensure()?;
    cargo(&["test", "--workspace", "--test", "integration", "--no-fail-fast", "--", "--test-threads", &threads()])
}

/// For integration tests, which mostly wait: for servers, timeouts and the database.
pub fn threads() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (2 * cores).to_string()
}

fn cargo(args: &[&str]) -> Result<()> {
    command::run(command::cargo()?.args(args).env_remove("RUNLENS_TEST_DATABASE_URL"))
}
