//! Runs the browser tests with Playwright.

use std::process::Command;

use anyhow::Result;

use super::binaries;
use crate::tools::{chromium, npm};
use crate::{build, command, paths};

/// Builds the optimised site and runs the tests of `end2end` with it. They start the debug binary that the other parts use:
/// the optimised one would take longer to compile than the tests take to run.
pub fn run() -> Result<()> {
    build::site(build::Mode::Release)?;
    let binaries = binaries::build()?;
    npm::install()?;
    let browser = chromium::find()?;
    let end2end = paths::end2end()?;
    command::run(Command::new("npx").args(["tsc", "--noEmit"]).current_dir(&end2end))?;
    command::run(
        Command::new("npx")
            .args(["playwright", "test"])
            .env(chromium::VARIABLE, browser)
            .env("RUNLENS_BIN", binaries.runlens)
            .env("RUNLENS_TEST_SITE", paths::site()?)
            .current_dir(&end2end),
    )
}
