//! Checks which crates of this workspace depend on which.

use super::manifest::{crate_name, dependencies};
use super::{SourceFile, Violation};

/// Each crate with the crates of this workspace that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("domain", &["protocol"]),
    ("app", &["domain", "protocol"]),
    ("remote_tools", &["domain", "protocol"]),
    ("sandbox", &["domain", "protocol", "remote_tools"]),
    ("server", &["app", "domain", "protocol", "remote_tools", "sandbox"]),
    ("xtask", &[]),
];

pub fn check(file: &SourceFile) -> Vec<Violation> {
    let Some(name) = crate_name(file) else { return Vec::new() };
    let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
        let what = format!("{name} is a new crate: add it to ALLOWED in xtask/src/tidy/crate_dependencies.rs");
        return vec![Violation::new(file, 1, what)];
    };
    // A crate may depend on itself, to enable features for its tests.
    let is_another_of_ours = |found: &str| found != name && ALLOWED.iter().any(|(known, _)| *known == found);
    dependencies(&file.text)
        .iter()
        .filter(|found| is_another_of_ours(found.name) && !allowed.contains(&found.name))
        .map(|found| Violation::new(file, found.line, format!("{name} may not depend on {}", found.name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_dependency_that_is_not_allowed_is_reported() {
        let text = "[dependencies]\nprotocol.workspace = true\nserver.workspace = true\nserde.workspace = true\n";
        assert_eq!(messages(check, "app/Cargo.toml", text), ["app/Cargo.toml:3: app may not depend on server"]);
        assert!(messages(check, "server/Cargo.toml", "[dependencies]\napp.workspace = true\n").is_empty());
        assert!(messages(check, "app/Cargo.toml", "[dev-dependencies]\napp = { path = \".\" }\n").is_empty());
        assert!(messages(check, "Cargo.toml", "[workspace.dependencies]\napp = { path = \"app\" }\n").is_empty());
    }

    #[test]
    fn a_new_crate_must_be_listed() {
        assert_eq!(messages(check, "extra/Cargo.toml", "").len(), 1);
    }
}
