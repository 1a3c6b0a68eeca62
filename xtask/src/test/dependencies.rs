//! Licences, bans, sources and known vulnerabilities of dependencies, with the tools that are there.

use std::process::Command;

use anyhow::Result;

use crate::tools::npm;
use crate::{command, paths};

pub fn run() -> Result<()> {
    cargo_deny()?;
    npm_audit()
}

/// `deny.toml` is its configuration. `cargo xtask tidy` checks licences and sources in any case.
fn cargo_deny() -> Result<()> {
    if command::find("cargo-deny").is_none() {
        println!(
            "dependencies: cargo-deny is not installed, so bans and duplicates are not checked (cargo install cargo-deny)"
        );
        return Ok(());
    }
    command::run(command::cargo()?.args(["deny", "--all-features", "check", "bans", "licenses", "sources"]))?;
    // Fetched first, so that a missing database does not look like an advisory.
    if command::read(command::cargo()?.args(["deny", "fetch", "db"])).is_err() {
        println!("dependencies: the database of advisories cannot be reached, so it is not checked");
        return Ok(());
    }
    command::run(command::cargo()?.args(["deny", "--all-features", "check", "--disable-fetch", "advisories"]))
}

/// Known vulnerabilities of the packages of the browser tests.
fn npm_audit() -> Result<()> {
    npm::install()?;
    let audit = Command::new("npm").args(["audit", "--json"]).current_dir(paths::end2end()?).output()?;
    match serde_json::from_slice::<serde_json::Value>(&audit.stdout) {
        Ok(report) if report["metadata"]["vulnerabilities"].is_object() => judge(&report),
        _ => {
            println!("dependencies: the registry does not answer npm audit, so npm packages are not checked");
            Ok(())
        }
    }
}

fn judge(report: &serde_json::Value) -> Result<()> {
    let serious = ["high", "critical"].map(|level| report["metadata"]["vulnerabilities"][level].as_u64().unwrap_or(0));
    let found: u64 = serious.iter().sum();
    anyhow::ensure!(found == 0, "npm audit reports {found} serious vulnerabilities: run npm audit in end2end");
    println!("dependencies: npm audit reports nothing serious");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn serious_vulnerabilities_fail() {
        let report =
            |high: u64| json!({ "metadata": { "vulnerabilities": { "low": 9, "high": high, "critical": 0 } } });
        assert!(judge(&report(0)).is_ok());
        assert!(judge(&report(1)).is_err());
    }
}
