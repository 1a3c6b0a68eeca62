//! Checks that dependencies come from crates.io under licences that `deny.toml` allows.
//!
//! cargo-deny checks the same and more, where it is installed.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Violation;
use crate::{command, paths};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
const CONFIGURATION: &str = "deny.toml";

/// Asks cargo for all packages that are compiled for this machine or for the browser.
pub fn check() -> Result<Vec<Violation>> {
    let version = command::read(Command::new("rustc").arg("-vV").current_dir(paths::root()?))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not name its host")?;
    let mut cargo = command::cargo()?;
    cargo.args(["metadata", "--format-version", "1", "--locked"]);
    cargo.args(["--filter-platform", host, "--filter-platform", "wasm32-unknown-unknown"]);
    let metadata: Value = serde_json::from_str(&command::read(&mut cargo)?)?;
    let allowed = Allowed::parse(&std::fs::read_to_string(paths::root()?.join(CONFIGURATION))?);
    Ok(metadata["packages"].as_array().into_iter().flatten().filter_map(|package| fault(package, &allowed)).collect())
}

fn fault(package: &Value, allowed: &Allowed) -> Option<Violation> {
    // Our own crates have no source.
    let source = package["source"].as_str()?;
    let name = package["name"].as_str().unwrap_or_default();
    let licence = package["license"].as_str().unwrap_or_default();
    let what = if source != CRATES_IO {
        format!("{name} comes from {source}; use crates.io")
    } else if !allowed.permits(name, licence) {
        format!("{name} has the licence `{licence}`; {CONFIGURATION} lists those that are allowed")
    } else {
        return None;
    };
    Some(Violation { path: "Cargo.lock".to_owned(), line: 1, what })
}

/// The licences of `deny.toml`.
#[derive(Default)]
struct Allowed {
    licences: Vec<String>,
    exceptions: BTreeMap<String, Vec<String>>,
}

impl Allowed {
    /// Reads the list `allow` and the exceptions, as they are written there: one entry per line.
    fn parse(text: &str) -> Self {
        let mut allowed = Self::default();
        let mut in_list = false;
        for line in text.lines().map(str::trim) {
            let mut quoted = line.split('"').skip(1).step_by(2).map(str::to_owned);
            if line == "allow = [" {
                in_list = true;
            } else if line == "]" {
                in_list = false;
            } else if in_list {
                allowed.licences.extend(quoted.next());
            } else if line.starts_with("{ crate = ") && line.contains("allow = ") {
                allowed.exceptions.extend(quoted.next().map(|name| (name, quoted.collect())));
            }
        }
        allowed
    }

    fn permits(&self, package: &str, expression: &str) -> bool {
        let exceptions = self.exceptions.get(package);
        let is_allowed = |licence: &str| {
            self.licences.iter().chain(exceptions.into_iter().flatten()).any(|allowed| allowed == licence)
        };
        let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = words.as_slice();
        let permitted = any_of(&mut rest, &is_allowed);
        permitted && rest.is_empty()
    }
}

/// `a OR b AND c`, where AND binds closer.
fn any_of(rest: &mut &[&str], is_allowed: &impl Fn(&str) -> bool) -> bool {
    let mut permitted = all_of(rest, is_allowed);
    while take(rest, "OR") {
        permitted |= all_of(rest, is_allowed);
    }
    permitted
}

fn all_of(rest: &mut &[&str], is_allowed: &impl Fn(&str) -> bool) -> bool {
    let mut permitted = one(rest, is_allowed);
    while take(rest, "AND") {
        permitted &= one(rest, is_allowed);
    }
    permitted
}

fn one(rest: &mut &[&str], is_allowed: &impl Fn(&str) -> bool) -> bool {
    if take(rest, "(") {
        let permitted = any_of(rest, is_allowed);
        return take(rest, ")") && permitted;
    }
    let Some((licence, after)) = rest.split_first() else { return false };
    *rest = after;
    match after {
        ["WITH", exception, after @ ..] => {
            *rest = after;
            is_allowed(&format!("{licence} WITH {exception}"))
        }
        _ => is_allowed(licence),
    }
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    match rest.split_first() {
        Some((first, after)) if *first == word => {
            *rest = after;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = "[licenses]\nallow = [\n    \"MIT\",\n    \"Apache-2.0\",\n    \"Apache-2.0 WITH LLVM-exception\",\n]\n\
        exceptions = [\n    { crate = \"css\", allow = [\"MPL-2.0\"] },\n]\ndeny = [\n    { crate = \"openssl\" },\n]\n";

    #[test]
    fn expressions_are_read_as_cargo_packages_write_them() {
        let allowed = Allowed::parse(TEXT);
        for good in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "MIT AND Apache-2.0", "(MIT OR X) AND Apache-2.0"] {
            assert!(allowed.permits("a", good), "{good}");
        }
        assert!(allowed.permits("a", "Apache-2.0 WITH LLVM-exception OR GPL-3.0"));
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR X) AND GPL-3.0", "MIT WITH X", "(MIT", "MIT MIT"] {
            assert!(!allowed.permits("a", bad), "{bad}");
        }
        assert!(allowed.permits("css", "MPL-2.0") && !allowed.permits("other", "MPL-2.0"));
    }

    #[test]
    fn a_package_from_elsewhere_is_reported() {
        let allowed = Allowed::parse(TEXT);
        let package = |source: Value, licence: &str| json!({ "name": "a", "source": source, "license": licence });
        assert!(fault(&package(Value::Null, "none"), &allowed).is_none());
        assert!(fault(&package(json!(CRATES_IO), "MIT"), &allowed).is_none());
        assert!(fault(&package(json!(CRATES_IO), "GPL-3.0"), &allowed).is_some());
        assert!(fault(&package(json!("git+https://example.com/a"), "MIT"), &allowed).is_some());
    }
}
