//! Debian's packages, where this process may install them.

use std::process::Command;

use anyhow::{Result, bail};

use crate::command;

/// Installs packages; an error when this is not Debian or not root.
pub fn install(packages: &[&str]) -> Result<()> {
    if command::find("apt-get").is_none() || !command::is_root() {
        bail!("only root on Debian or Ubuntu can have them installed here: apt-get install {}", packages.join(" "));
    }
    println!("▸ installing {} …", packages.join(" "));
    // The package lists may be fresh enough; fetching them first would cost time on every machine that has them.
    attempt(packages).or_else(|_| {
        command::run(Command::new("apt-get").args(["update", "-q"]))?;
        attempt(packages)
    })
}

fn attempt(packages: &[&str]) -> Result<()> {
    command::run(
        Command::new("apt-get")
            .args(["install", "-y", "-q", "--no-install-recommends"])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}
