//! `cargo xtask tidy`: checks rules that the compiler does not know. One rule, one file.

mod crate_dependencies;
mod dependency_table;
mod dependency_versions;
mod document_length;
mod document_paths;
mod file_length;
mod licences;
mod machine_details;
mod manifest;
mod module_docs;
mod module_imports;
mod named_tests;
mod old_phrases;
mod restricted_crates;
mod unfinished_work;
mod wasm_dependencies;

use std::fmt;
use std::fs;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{command, paths};

/// A file that is committed or would be.
pub struct SourceFile {
    /// Path from the workspace's root, with `/`.
    pub path: String,
    pub text: String,
}

/// A place that breaks a rule.
#[derive(Debug, PartialEq)]
pub struct Violation {
    path: String,
    line: usize,
    what: String,
}

impl Violation {
    fn new(file: &SourceFile, line: usize, what: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A rule for one file.
type Check = fn(&SourceFile) -> Vec<Violation>;

const CHECKS: &[Check] = &[
    crate_dependencies::check,
    dependency_versions::check,
    document_length::check,
    document_paths::check,
    file_length::check,
    machine_details::check,
    module_docs::check,
    module_imports::check,
    named_tests::check,
    old_phrases::check,
    restricted_crates::check,
    unfinished_work::check,
];

/// Prints every violation, and fails if there is one.
pub fn run() -> Result<()> {
    let files = files()?;
    let mut violations: Vec<Violation> =
        files.iter().flat_map(|file| CHECKS.iter().flat_map(|check| check(file))).collect();
    violations.extend(dependency_table::check(&files));
    violations.extend(licences::check()?);
    violations.extend(wasm_dependencies::check()?);
    for violation in &violations {
        println!("{violation}");
    }
    match violations.len() {
        0 => {
            println!("tidy: {} files, no violations", files.len());
            Ok(())
        }
        count => bail!("{count} violations"),
    }
}

/// All text files that git tracks or would add.
fn files() -> Result<Vec<SourceFile>> {
    let root = paths::root()?;
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(&root);
    let listed = command::read(&mut git)?;
    let mut files = Vec::new();
    for path in listed.split_terminator('\0') {
        // Deleted, or not text.
        if let Ok(text) = fs::read_to_string(root.join(path)) {
            files.push(SourceFile { path: path.to_owned(), text });
        }
    }
    Ok(files)
}

#[cfg(test)]
fn messages(check: Check, path: &str, text: &str) -> Vec<String> {
    check(&SourceFile { path: path.to_owned(), text: text.to_owned() }).iter().map(Violation::to_string).collect()
}
