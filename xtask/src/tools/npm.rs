//! The npm packages of `end2end`: Playwright for the browser tests, wasm-opt and esbuild for the build.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{command, paths};

/// Installs the packages of the lock file, unless they are installed already.
pub fn install() -> Result<()> {
    for program in ["node", "npm"] {
        if command::find(program).is_none() {
            bail!("{program} is not on PATH: install Node.js 20 or newer with npm");
        }
    }
    let end2end = paths::end2end()?;
    let lock = lock_file()?;
    let stamp = end2end.join("node_modules/.installed-lock.json");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    println!("▸ npm packages …");
    command::run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&end2end))
        .context("the npm packages of end2end could not be installed")?;
    Ok(fs::write(stamp, lock)?)
}

/// Binaryen's optimiser, a script for node.
pub fn wasm_opt() -> Result<PathBuf> {
    program("binaryen", "wasm-opt")
}

/// The program that shortens JavaScript: a script for node, or a native program where packages may run scripts.
pub fn esbuild() -> Result<PathBuf> {
    program("esbuild", "esbuild")
}

fn program(package: &str, name: &str) -> Result<PathBuf> {
    install()?;
    let path = paths::end2end()?.join("node_modules").join(package).join("bin").join(name);
    if !path.is_file() {
        bail!("the npm package {package} has no {}", path.display());
    }
    Ok(path)
}

pub fn lock_file() -> Result<String> {
    let path = paths::end2end()?.join("package-lock.json");
    fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))
}
