//! `cargo xtask tidy`: the rules that no compiler knows, each in a file of its own.

mod arrows;
mod fences;
mod length;
mod machine;
mod manifest;
mod openings;
mod versions;
mod wasm_tree;
mod words;

use std::fmt;
use std::fs;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{command, paths};

/// A file that is, or is about to be, committed.
pub struct SourceFile {
    /// From the workspace's root, with `/`.
    pub path: String,
    pub text: String,
}

/// Something to put right.
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

const CHECKS: &[Check] =
    &[arrows::check, fences::check, length::check, machine::check, openings::check, versions::check, words::check];

/// Lists every violation; an error when there is one.
pub fn run() -> Result<()> {
    let files = files()?;
    let mut violations: Vec<Violation> =
        files.iter().flat_map(|file| CHECKS.iter().flat_map(|check| check(file))).collect();
    violations.extend(wasm_tree::check()?);
    for violation in &violations {
        println!("{violation}");
    }
    match violations.len() {
        0 => {
            println!("tidy: {} files, nothing to put right", files.len());
            Ok(())
        }
        count => bail!("{count} to put right"),
    }
}

/// All text files that git knows or would add.
fn files() -> Result<Vec<SourceFile>> {
    let root = paths::root()?;
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(&root);
    let listed = command::read(&mut git)?;
    let mut files = Vec::new();
    for path in listed.split_terminator('\0') {
        // Not there any more, or not text: nothing to read.
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
