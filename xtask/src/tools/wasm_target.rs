//! Installs the Rust target for wasm.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command;

/// Adds the target if the toolchain does not have it.
pub fn ensure(target: &str) -> Result<()> {
    if installed(target)? {
        return Ok(());
    }
    if command::find("rustup").is_none() {
        bail!(
            "the Rust target {target} is missing, and rustup, which could add it, is not on PATH: install the target's standard library for this rustc"
        );
    }
    command::run(Command::new("rustup").args(["target", "add", target]).current_dir(crate::paths::root()?))
        .with_context(|| format!("the Rust target {target} is missing and could not be added"))
}

fn installed(target: &str) -> Result<bool> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]).current_dir(crate::paths::root()?);
    Ok(std::path::Path::new(command::read(&mut rustc)?.trim()).is_dir())
}
