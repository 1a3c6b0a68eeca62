//! Checks that paths of source files in the documents exist.

use super::{SourceFile, Violation};
use crate::paths;

/// Where a path in backticks must start to be checked. Not `sandbox/`, since names of models start like that.
const ROOTS: &[&str] = &[
    "app/",
    "docs/",
    "domain/",
    "end2end/",
    "migrations/",
    "protocol/",
    "remote_tools/",
    "sandbox/src/",
    "sandbox/tests/",
    "server/",
    "style/",
    "xtask/",
];
/// Paths with such signs are patterns.
const PLACEHOLDERS: &[char] = &['<', '{', '*', '…', ' '];

pub fn check(file: &SourceFile) -> Vec<Violation> {
    let Some(root) = paths::root().ok().filter(|_| file.path.ends_with(".md")) else { return Vec::new() };
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for path in mentioned(line).filter(|path| !root.join(path).exists()) {
            found.push(Violation::new(file, index + 1, format!("{path} does not exist")));
        }
    }
    found
}

/// Every other part between backticks is code.
fn mentioned(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).filter(|code| {
        ROOTS.iter().any(|root| code.starts_with(root)) && !code.contains(PLACEHOLDERS) && !code.contains("::")
    })
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_path_that_does_not_exist_is_reported() {
        let text = "See `xtask/src/main.rs`, `xtask/src/missing.rs`, `app/src/pages/<page>.rs` and `sandbox/script`.\n";
        assert_eq!(messages(check, "README.md", text), ["README.md:1: xtask/src/missing.rs does not exist"]);
        assert!(messages(check, "xtask/src/main.rs", text).is_empty());
    }
}
