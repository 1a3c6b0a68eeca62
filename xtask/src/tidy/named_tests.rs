//! Checks that each decision in `docs/security.md` names a test, and that the test exists.

use std::fs;
use std::path::{Path, PathBuf};

use super::{SourceFile, Violation};
use crate::paths;

const DOCUMENT: &str = "docs/security.md";
/// Where tests are.
const ROOTS: &[&str] = &["app", "domain", "protocol", "remote_tools", "sandbox", "server", "xtask"];
const BROWSER_TESTS: &str = "end2end/tests";
/// The heading of the column with tests.
const COLUMN: &str = "test";

pub fn check(file: &SourceFile) -> Vec<Violation> {
    let Some(root) = paths::root().ok().filter(|_| file.path == DOCUMENT) else { return Vec::new() };
    let sources = sources(&root);
    let mut found = Vec::new();
    let mut has_tests = false;
    for (index, line) in file.text.lines().enumerate() {
        let Some(last) = last_cell(line) else {
            has_tests = false;
            continue;
        };
        if last == COLUMN {
            has_tests = true;
        } else if has_tests && !last.starts_with("---") {
            let mut names = named_tests(last).peekable();
            let mut in_browser = browser_tests(last).peekable();
            if names.peek().is_none() && in_browser.peek().is_none() {
                found.push(Violation::new(
                    file,
                    index + 1,
                    "this decision names no test, as `file::name` or `file.spec.ts`",
                ));
            }
            for name in in_browser.filter(|name| !root.join(BROWSER_TESTS).join(name).is_file()) {
                found.push(Violation::new(file, index + 1, format!("there is no file {BROWSER_TESTS}/{name}")));
            }
            for (stem, name) in names.filter(|(stem, name)| !exists(&sources, stem, name)) {
                found.push(Violation::new(file, index + 1, format!("there is no test {stem}::{name}")));
            }
        }
    }
    found
}

/// The last cell of a table's row.
fn last_cell(line: &str) -> Option<&str> {
    line.strip_prefix('|')?.trim_end().strip_suffix('|')?.rsplit('|').next().map(str::trim)
}

/// Every other part between backticks is code.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn named_tests(cell: &str) -> impl Iterator<Item = (&str, &str)> {
    code(cell).filter_map(|code| code.split_once("::"))
}

fn browser_tests(cell: &str) -> impl Iterator<Item = &str> {
    code(cell).filter(|code| code.ends_with(".spec.ts"))
}

/// All Rust files, each with the name that its tests go by.
fn sources(root: &Path) -> Vec<(String, String)> {
    let mut folders: Vec<PathBuf> = ROOTS.iter().map(|folder| root.join(folder)).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && let Ok(text) = fs::read_to_string(&path)
            {
                sources.push((module_name(&path), text));
            }
        }
    }
    sources
}

/// `mod.rs` and `tests.rs` go by the name of their folder.
fn module_name(path: &Path) -> String {
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match name(path).as_str() {
        "mod" | "tests" => path.parent().map(name).unwrap_or_default(),
        stem => stem.to_owned(),
    }
}

fn exists(sources: &[(String, String)], stem: &str, name: &str) -> bool {
    let function = format!("fn {name}(");
    sources.iter().any(|(module, text)| module == stem && text.contains(&function))
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_decision_without_an_existing_test_is_reported() {
        let text = "| decision | test |\n| --- | --- |\n\
             | tested | `named_tests::a_decision_without_an_existing_test_is_reported` |\n\
             | untested | later |\n| wrong | `named_tests::no_such_test` |\n\
             | in a browser | `hostile.spec.ts`, `no.spec.ts` |\n\n| other | table |\n| x | y |\n";
        let expected = [
            "docs/security.md:4: this decision names no test, as `file::name` or `file.spec.ts`",
            "docs/security.md:5: there is no test named_tests::no_such_test",
            "docs/security.md:6: there is no file end2end/tests/no.spec.ts",
        ];
        assert_eq!(messages(check, DOCUMENT, text), expected);
        assert!(messages(check, "docs/other.md", text).is_empty());
    }
}
