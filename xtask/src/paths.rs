//! Paths of the workspace, cargo's output and the site.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folder of the workspace's manifest.
pub fn root() -> Result<PathBuf> {
    let start = match env::var_os("CARGO_MANIFEST_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => env::current_dir()?,
    };
    start
        .ancestors()
        .filter(|dir| dir.join("Cargo.lock").is_file())
        .last()
        .map(Path::to_path_buf)
        .context("not inside the Runlens workspace: no Cargo.lock above this folder")
}

/// Cargo's output folder.
pub fn target() -> Result<PathBuf> {
    let root = root()?;
    Ok(match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root.join(dir),
        None => root.join("target"),
    })
}

/// The site that the binary embeds; `.cargo/config.toml` sets the variable for both.
pub fn site() -> Result<PathBuf> {
    Ok(match env::var_os("RUNLENS_SITE_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => root()?.join("target/site"),
    })
}

/// The optimised binary.
pub fn binary() -> Result<PathBuf> {
    Ok(target()?.join("release/runlens"))
}

/// The browser tests, whose npm packages the build uses too.
pub fn end2end() -> Result<PathBuf> {
    Ok(root()?.join("end2end"))
}
