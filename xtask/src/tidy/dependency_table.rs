//! Checks that `docs/dependencies.md` says of every direct dependency why it is there.

use std::collections::BTreeSet;

use super::manifest::dependencies;
use super::{SourceFile, Violation};

const TABLE: &str = "docs/dependencies.md";
const CARGO: &str = "Cargo.toml";
const NPM: &str = "end2end/package.json";

/// Compares the rows of the table with the manifests.
pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let Some(table) = find(TABLE) else {
        return vec![Violation {
            path: TABLE.to_owned(),
            line: 1,
            what: "the table of dependencies is missing".into(),
        }];
    };
    let used: BTreeSet<&str> =
        find(CARGO).map(crates).into_iter().flatten().chain(find(NPM).map(packages).into_iter().flatten()).collect();
    let rows: Vec<(usize, &str)> =
        table.text.lines().enumerate().filter_map(|(i, line)| Some((i + 1, row(line)?))).collect();
    let listed: BTreeSet<&str> = rows.iter().map(|(_, name)| *name).collect();
    let missing = used.difference(&listed).map(|name| Violation::new(table, 1, format!("say why {name} is there")));
    let stale = rows.iter().filter(|(_, name)| !used.contains(name));
    missing.chain(stale.map(|(line, name)| Violation::new(table, *line, format!("{name} is no dependency")))).collect()
}

/// The crates of the workspace's manifest that are not our own.
fn crates(manifest: &SourceFile) -> Vec<&str> {
    let ours = |line: usize| manifest.text.lines().nth(line - 1).is_some_and(|line| line.contains("path = "));
    dependencies(&manifest.text).into_iter().filter(|found| !ours(found.line)).map(|found| found.name).collect()
}

fn packages(manifest: &SourceFile) -> Vec<&str> {
    let lines = manifest.text.lines().skip_while(|line| !line.contains("ependencies\": {")).skip(1);
    lines.take_while(|line| !line.contains('}')).filter_map(|line| line.split('"').nth(1)).collect()
}

/// The name in the first cell of a row.
fn row(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split('`').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_stale_rows_are_reported() {
        let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
        let manifest =
            "[workspace.dependencies]\nprotocol = { path = \"protocol\" }\naxum = \"1\"\nserde = { version = \"1\" }\n";
        let npm = "{\n  \"devDependencies\": {\n    \"typescript\": \"5\"\n  }\n}\n";
        let table =
            "| crate | why |\n| --- | --- |\n| `axum` | HTTP |\n| `old` | nothing |\n| `typescript` | types |\n";
        let check = |table: &str| -> Vec<String> {
            let files = [file(CARGO, manifest), file(NPM, npm), file(TABLE, table)];
            check(&files).iter().map(Violation::to_string).collect()
        };
        assert_eq!(
            check(table),
            ["docs/dependencies.md:1: say why serde is there", "docs/dependencies.md:4: old is no dependency"]
        );
        assert!(check(&table.replace("`old`", "`serde`")).is_empty());
    }
}
