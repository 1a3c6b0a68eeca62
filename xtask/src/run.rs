//! `cargo xtask run`: builds, then runs the server.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};

use crate::build::{self, Mode};
use crate::paths;

/// Replaces this process with the server, so that signals reach it.
pub fn run(args: &[String]) -> Result<()> {
    build::with(Mode::Quick)?;
    let binary = paths::target()?.join("quick/runlens");
    let failed = Command::new(&binary).args(args).exec();
    Err(failed).with_context(|| format!("could not start {}", binary.display()))
}
