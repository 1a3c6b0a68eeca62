//! Runs the browser tests with Playwright.

use std::process::Command;

use anyhow::Result;

use crate::tools::{chromium, npm};
use crate::{build, command, paths};

/// Builds, then runs the tests of `end2end`, which start the binary.
pub fn run() -> Result<()> {
    build::all()?;
    npm::install()?;
    let browser = chromium::find()?;
    let end2end = paths::end2end()?;
    command::run(Command::new("npx").args(["tsc", "--noEmit"]).current_dir(&end2end))?;
    command::run(
        Command::new("npx")
            .args(["playwright", "test"])
            .env(chromium::VARIABLE, browser)
            .env("RUNLENS_BIN", paths::binary()?)
            .current_dir(&end2end),
    )
}
