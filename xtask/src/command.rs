//! Runs other programs, with errors that contain the command.

use std::env;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// The cargo that runs this xtask, at the workspace's root.
pub fn cargo() -> Result<Command> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(crate::paths::root()?);
    // Set by `cargo run` for xtask itself. Some build scripts depend on them, so that cargo would compile their crates, and
    // all that use these, again after each change between `cargo` and `cargo xtask`.
    let is_of_xtask = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_xtask)) {
        cargo.env_remove(name);
    }
    Ok(cargo)
}

/// Runs to the end, its output shown; anything but success is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("could not start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", line(command));
    }
    Ok(())
}

/// A program that runs in the background and is killed when this value is dropped.
pub struct Background {
    line: String,
    child: Child,
}

impl Background {
    pub fn start(command: &mut Command) -> Result<Self> {
        let line = line(command);
        let child = command.spawn().with_context(|| format!("could not start `{line}`"))?;
        Ok(Self { line, child })
    }

    /// Waits for its end; anything but success is an error.
    pub fn finish(&mut self) -> Result<()> {
        let status = self.child.wait()?;
        if !status.success() {
            bail!("`{}` ended with {status}", self.line);
        }
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // No effect if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs to the end and returns its output.
pub fn read(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("could not start `{}`", line(command)))?;
    if !output.status.success() {
        bail!("`{}` ended with {}\n{}", line(command), output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The first program of that name on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(program)).find(|path| path.is_file())
}

/// Root may install packages, and must run neither PostgreSQL nor Chromium's sandbox.
pub fn is_root() -> bool {
    read(Command::new("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0")
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
