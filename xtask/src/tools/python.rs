//! Python environments in cargo's output folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::apt;
use crate::{command, paths};

const PACKAGES: &[&str] = &["python3", "python3-venv"];

/// Returns the interpreter of an environment with the packages of a requirements file. It is created again when they
/// change.
pub fn environment(name: &str, requirements: &Path) -> Result<PathBuf> {
    let wanted =
        fs::read_to_string(requirements).with_context(|| format!("could not read {}", requirements.display()))?;
    let dir = paths::target()?.join("python").join(name);
    let (python, stamp) = (dir.join("bin/python"), dir.join("installed-requirements.txt"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("▸ Python packages of {name} …");
    command::run(Command::new(interpreter()?).args(["-m", "venv", "--clear"]).arg(&dir))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    command::run(Command::new(&python).args(install).arg(requirements))
        .with_context(|| format!("the packages of {} could not be installed", requirements.display()))?;
    fs::write(stamp, wanted)?;
    Ok(python)
}

/// A Python that can create environments: the one on PATH, or Debian's.
fn interpreter() -> Result<PathBuf> {
    let missing = match usable() {
        Ok(python) => return Ok(python),
        Err(missing) => missing,
    };
    apt::install(PACKAGES).with_context(|| missing.clone())?;
    usable().or_else(|missing| bail!("{} are installed, and still {missing}", PACKAGES.join(" and ")))
}

/// The error says what is missing.
fn usable() -> Result<PathBuf, String> {
    let python = command::find("python3").ok_or("there is no python3 on PATH; 3.10 or newer is needed")?;
    let probe = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    command::read(Command::new(&python).args(["-c", probe])).map_err(|error| {
        format!("{} is older than 3.10 or lacks the modules venv and ensurepip: {error:#}", python.display())
    })?;
    Ok(python)
}
