//! Finds or installs a Chromium for the browser tests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::apt;
use crate::{command, paths};

/// The variable that names the browser, here and in Playwright's configuration.
pub const VARIABLE: &str = "RUNLENS_CHROMIUM";

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Without a font, pages are laid out without text.
const PACKAGES: &[&str] = &["chromium", "fonts-dejavu-core", "fonts-liberation"];

/// The browser that the variable names, one on PATH, Playwright's own, or Debian's. Needs the npm packages.
pub fn find() -> Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).map(PathBuf::from) {
        if !named.is_file() {
            bail!("{VARIABLE} names {}, which is not a file", named.display());
        }
        return Ok(named);
    }
    if let Some(path) = on_path().or_else(downloaded) {
        return Ok(path);
    }
    println!("▸ no Chromium on PATH; asking Playwright for its own …");
    let mut download = Command::new("npx");
    download.args(["playwright", "install", "chromium"]).current_dir(paths::end2end()?);
    let download = command::run(&mut download);
    if let Some(path) = downloaded().filter(|_| download.is_ok()) {
        return Ok(path);
    }
    if let Err(refused) = apt::install(PACKAGES) {
        bail!(
            "no browser: {VARIABLE} is unset, none of {} is on PATH, Playwright's download failed, and {refused:#}",
            NAMES.join(", ")
        );
    }
    match on_path() {
        Some(path) => Ok(path),
        None => bail!("the package chromium is installed, but no program of that name is on PATH"),
    }
}

fn on_path() -> Option<PathBuf> {
    NAMES.iter().find_map(|name| command::find(name))
}

/// The browser that the installed Playwright would start, if it was downloaded.
fn downloaded() -> Option<PathBuf> {
    let mut node = Command::new("node");
    node.args(["-p", "require('playwright-core').chromium.executablePath()"]).current_dir(paths::end2end().ok()?);
    let path = command::read(&mut node).ok()?;
    fs::canonicalize(Path::new(path.trim())).ok().filter(|path| path.is_file())
}
