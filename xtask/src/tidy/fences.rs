//! Crates that only some folders may use.

use super::{SourceFile, Violation};

/// A crate, the folders that may use it, and why not elsewhere.
struct Fence {
    name: &'static str,
    inside: &'static [&'static str],
    why: &'static str,
}

const FENCES: &[Fence] = &[
    Fence {
        name: "sqlx",
        inside: &["server/src/store/", "server/src/store.rs", "server/tests/", "sandbox/"],
        why: "the server's SQL stands in its store",
    },
    Fence {
        name: "reqwest",
        inside: &["server/src/mantyx/", "server/src/outbound/", "server/tests/", "sandbox/"],
        why: "the server calls MANTYX through its client, and everybody else through `outbound`",
    },
    Fence {
        name: "sandbox",
        inside: &["server/src/serve.rs", "server/tests/", "sandbox/"],
        why: "the server starts the sandbox in serve.rs, and from then on talks to it over HTTP only",
    },
];

/// Code outside a fence must not name the crate; comments may.
pub fn check(file: &SourceFile) -> Vec<Violation> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let outside = |fence: &&Fence| !fence.inside.iter().any(|folder| file.path.starts_with(folder));
    let mut found = Vec::new();
    for fence in FENCES.iter().filter(outside) {
        for (index, line) in file.text.lines().enumerate() {
            if uses(line, fence.name) {
                found.push(Violation::new(file, index + 1, format!("no {} here: {}", fence.name, fence.why)));
            }
        }
    }
    found
}

fn uses(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let mut rest = code;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + name.len()..];
        let starts_word = before.is_none_or(|before| !before.is_alphanumeric() && !"_\"-.:".contains(before));
        let is_path =
            after.starts_with("::") || (code.trim_start().starts_with("use ") && after.starts_with([';', ' ']));
        if starts_word && is_path {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn a_crate_is_used_inside_its_fence_only() {
        let text = "//! Reads.\nuse sqlx::Row;\n";
        assert!(messages(check, "server/src/store/runs.rs", text).is_empty());
        assert_eq!(
            messages(check, "server/src/auth/session.rs", text),
            ["server/src/auth/session.rs:2: no sqlx here: the server's SQL stands in its store"]
        );
        assert_eq!(
            messages(check, "server/src/launch.rs", &format!("fn a(c: &{}::Client) {{}}\n", "reqwest")).len(),
            1
        );
    }

    #[test]
    fn talking_about_a_crate_is_not_using_it() {
        for line in [
            "// sqlx::Any has no booleans\n",
            "let level = \"sqlx::query=warn\";\n",
            "my_sqlx::run();\n",
            "crate::sqlx::run();\n",
        ] {
            assert!(messages(check, "server/src/main.rs", line).is_empty(), "{line}");
        }
    }
}
