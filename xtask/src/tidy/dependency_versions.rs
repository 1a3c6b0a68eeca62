//! Checks that versions of dependencies are in the workspace's manifest only.

use super::manifest::{crate_name, dependencies};
use super::{SourceFile, Violation};

pub fn check(file: &SourceFile) -> Vec<Violation> {
    let Some(name) = crate_name(file) else { return Vec::new() };
    dependencies(&file.text)
        .iter()
        .filter(|found| !found.inherited && found.name != name)
        .map(|found| {
            let what = format!(
                "put the version of {} into the workspace's manifest and write `workspace = true` here",
                found.name
            );
            Violation::new(file, found.line, what)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_version_in_a_member_is_reported() {
        let found = messages(check, "app/Cargo.toml", "[dependencies]\na.workspace = true\nb = \"1.0\"\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("app/Cargo.toml:3: put the version of b"), "{found:?}");
        assert!(messages(check, "Cargo.toml", "[workspace.dependencies]\nb = \"1.0\"\n").is_empty());
    }
}
