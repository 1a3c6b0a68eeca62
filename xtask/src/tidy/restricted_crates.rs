//! Checks that some crates are used in some folders only.

use super::{SourceFile, Violation};

struct Restriction {
    crates: &'static [&'static str],
    /// Paths of files and folders that may use them.
    allowed_in: &'static [&'static str],
    why: &'static str,
}

const RESTRICTIONS: &[Restriction] = &[
    Restriction {
        crates: &["sqlx"],
        allowed_in: &["server/src/store/", "server/src/store.rs", "server/tests/", "sandbox/"],
        why: "the server's SQL is in its store",
    },
    Restriction {
        crates: &["reqwest"],
        allowed_in: &["server/src/mantyx/", "server/src/outbound/", "server/tests/", "remote_tools/", "sandbox/"],
        why: "the server calls MANTYX through its client, and every other host through `outbound`",
    },
    Restriction {
        crates: &["sandbox"],
        allowed_in: &["server/src/serve.rs", "server/tests/", "sandbox/"],
        why: "the server starts the sandbox in serve.rs and then uses it over HTTP only",
    },
    Restriction {
        crates: &["web_sys", "wasm_bindgen", "wasm_bindgen_futures", "js_sys", "gloo_net"],
        allowed_in: &["app/src/browser/", "app/src/lib.rs"],
        why: "code that only runs in the browser is in app/src/browser",
    },
    Restriction {
        crates: &["pulldown_cmark"],
        allowed_in: &["server/"],
        why: "Markdown is rendered on the server only",
    },
];

/// Comments may name a restricted crate.
pub fn check(file: &SourceFile) -> Vec<Violation> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let is_outside = |rule: &&Restriction| !rule.allowed_in.iter().any(|allowed| file.path.starts_with(allowed));
    let mut found = Vec::new();
    for rule in RESTRICTIONS.iter().filter(is_outside) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(name) = rule.crates.iter().find(|name| uses(line, name)) {
                found.push(Violation::new(file, index + 1, format!("no {name} here: {}", rule.why)));
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
    fn a_restricted_crate_is_used_where_it_is_allowed_only() {
        let text = "//! Reads.\nuse sqlx::Row;\n";
        assert!(messages(check, "server/src/store/runs.rs", text).is_empty());
        assert_eq!(
            messages(check, "server/src/auth/session.rs", text),
            ["server/src/auth/session.rs:2: no sqlx here: the server's SQL is in its store"]
        );
        assert_eq!(
            messages(check, "server/src/launch.rs", &format!("fn a(c: &{}::Client) {{}}\n", "reqwest")).len(),
            1
        );
    }

    #[test]
    fn browser_crates_stay_in_the_browser_folder() {
        let text = "//! A.\nuse web_sys::Element;\n";
        assert!(messages(check, "app/src/browser/focus.rs", text).is_empty());
        assert_eq!(messages(check, "app/src/pages/run/mod.rs", text).len(), 1);
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
