//! Where things stand: the workspace, cargo's output, the site.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folder that holds the workspace's manifest.
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

/// The site that the server's build script embeds; `.cargo/config.toml` names it for both.
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

/// The browser tests, and the npm packages that the build borrows from them.
pub fn end2end() -> Result<PathBuf> {
    Ok(root()?.join("end2end"))
}
