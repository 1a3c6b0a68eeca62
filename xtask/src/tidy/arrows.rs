//! Which of our crates may import which.

use super::manifest::{crate_name, dependencies};
use super::{SourceFile, Violation};

const ARROWS: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("domain", &["protocol"]),
    ("app", &["domain", "protocol"]),
    ("remote_tools", &["domain", "protocol"]),
    ("sandbox", &["domain", "protocol", "remote_tools"]),
    ("server", &["app", "domain", "protocol", "remote_tools", "sandbox"]),
    ("xtask", &[]),
];

/// A manifest must not name a crate of ours that its own crate may not import.
pub fn check(file: &SourceFile) -> Vec<Violation> {
    let Some(name) = crate_name(file) else { return Vec::new() };
    let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| *from == name) else {
        return vec![Violation::new(
            file,
            1,
            format!("{name} is a new crate: say in tidy's arrows what it may import"),
        )];
    };
    let ours = |name: &str| ARROWS.iter().any(|(from, _)| *from == name);
    dependencies(&file.text)
        .iter()
        .filter(|found| ours(found.name) && !allowed.contains(&found.name))
        .map(|found| Violation::new(file, found.line, format!("{name} may not import {}", found.name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn an_arrow_of_the_map_is_fine_and_any_other_is_not() {
        let text = "[dependencies]\nprotocol.workspace = true\nserver.workspace = true\nserde.workspace = true\n";
        assert_eq!(messages(check, "app/Cargo.toml", text), ["app/Cargo.toml:3: app may not import server"]);
        assert!(messages(check, "server/Cargo.toml", "[dependencies]\napp.workspace = true\n").is_empty());
        assert!(messages(check, "Cargo.toml", "[workspace.dependencies]\napp = { path = \"app\" }\n").is_empty());
    }

    #[test]
    fn a_new_crate_must_be_put_on_the_map() {
        assert_eq!(messages(check, "extra/Cargo.toml", "").len(), 1);
    }
}
