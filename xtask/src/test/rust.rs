//! The parts that cargo itself knows: formatting, lints, unit and integration tests.

use anyhow::Result;

use crate::command;
use crate::tools::{curl, wasm_target};

/// Whether all crates are formatted.
pub fn fmt() -> Result<()> {
    cargo(&["fmt", "--all", "--check"])
}

/// Lints of all crates and their tests; the pages are seen with their server side, through `server`.
pub fn clippy() -> Result<()> {
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

/// Lints of the pages as the browser gets them.
pub fn clippy_wasm() -> Result<()> {
    wasm_target::ensure("wasm32-unknown-unknown")?;
    let client =
        ["-p", "app", "--lib", "--target", "wasm32-unknown-unknown", "--no-default-features", "--features", "hydrate"];
    cargo(&[&["clippy"], &client[..], &["--", "-D", "warnings"]].concat())
}

/// The tests inside the crates, the reviewed readings of logs, and the examples in the documentation, which cargo runs
/// only on their own.
pub fn unit() -> Result<()> {
    cargo(&["test", "--workspace", "--lib", "--bins", "--test", "golden", "--no-fail-fast"])?;
    cargo(&["test", "--package", "protocol", "--doc"])
}

/// The integration tests of the sandbox and of the server. Named by workspace, so that cargo chooses the same features
/// for shared dependencies as for the unit tests.
pub fn sqlite() -> Result<()> {
    curl::ensure()?;
    cargo(&["test", "--workspace", "--test", "integration", "--no-fail-fast"])
}

fn cargo(args: &[&str]) -> Result<()> {
    command::run(command::cargo()?.args(args).env_remove("RUNLENS_TEST_DATABASE_URL"))
}
