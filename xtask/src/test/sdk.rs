//! Tests an early and a current release of the official Python client against the sandbox.

use std::process::Command;

use anyhow::{Context, Result};

use super::binaries;
use crate::tools::python;
use crate::tools::sandbox::{KEY, Sandbox, WORKSPACE};
use crate::{command, paths};

/// Releases, each with the folders of tests that it supports.
const RELEASES: &[(&str, &[&str])] = &[("0.10.1", &["every"]), ("2026.10.2", &["every", "since_2026"])];

/// Runs the tests of `sandbox/tests/sdk` with each release on a new sandbox. The client gets the base URL, key and
/// workspace, and nothing else.
pub fn run() -> Result<()> {
    let binary = binaries::build()?.sandbox;
    let tests = paths::root()?.join("sandbox/tests/sdk");
    for (release, folders) in RELEASES {
        let python =
            python::environment(&format!("sdk-{release}"), &tests.join(format!("requirements-{release}.txt")))?;
        let sandbox = Sandbox::start(&binary)?;
        // Its tokens expire while a test waits.
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
