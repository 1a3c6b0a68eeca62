//! The official Python client, in an early and in a current release, against the sandbox.

use std::process::Command;

use anyhow::{Context, Result};

use crate::tools::python;
use crate::tools::sandbox::{KEY, Sandbox, WORKSPACE};
use crate::{command, paths};

/// A release, and the folders of tests that it can run.
const RELEASES: &[(&str, &[&str])] = &[("0.10.1", &["every"]), ("2026.10.2", &["every", "since_2026"])];

/// Runs the tests of `sandbox/tests/sdk` with each release, on a sandbox of its own. The client is told base URL, key
/// and workspace, and nothing else.
pub fn run() -> Result<()> {
    // Named by workspace, so that cargo chooses the features that the other parts were built with.
    command::run(command::cargo()?.args(["build", "--workspace", "--bin", "mantyx-sandbox"]))?;
    let binary = paths::target()?.join("debug/mantyx-sandbox");
    let tests = paths::root()?.join("sandbox/tests/sdk");
    for (release, folders) in RELEASES {
        let python =
            python::environment(&format!("sdk-{release}"), &tests.join(format!("requirements-{release}.txt")))?;
        let sandbox = Sandbox::start(&binary)?;
        // One on which tokens end while a test waits.
        let short_lived = Sandbox::start_with(&binary, &["--access-token-seconds", "1"])?;
        println!("     Running sandbox/tests/sdk with mantyx-sdk {release} on {}", sandbox.url());
        command::run(
            Command::new(python)
                .args(["-m", "pytest"])
                .args(*folders)
                .current_dir(&tests)
                .env("MANTYX_URL", sandbox.url())
                .env("MANTYX_SHORT_LIVED_TOKENS_URL", short_lived.url())
                .env("MANTYX_API_KEY", KEY)
                .env("MANTYX_WORKSPACE", WORKSPACE)
                .env("PYTHONDONTWRITEBYTECODE", "1"),
        )
        .with_context(|| format!("mantyx-sdk {release}; the sandbox said:\n{}", sandbox.log()))?;
    }
    Ok(())
}
