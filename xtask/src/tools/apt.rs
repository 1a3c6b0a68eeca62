//! Installs Debian packages, if this process may.

use std::process::Command;

use anyhow::{Result, bail};

use crate::command;

/// Fails if this is not Debian or the user is not root.
pub fn install(packages: &[&str]) -> Result<()> {
    if command::find("apt-get").is_none() || !command::is_root() {
        bail!(
            "install them yourself, since this is not root on Debian or Ubuntu: apt-get install {}",
            packages.join(" ")
        );
    }
    println!("▸ installing {} …", packages.join(" "));
    // The package lists may be recent enough, and updating them takes time.
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
