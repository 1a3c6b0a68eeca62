//! Checks the layers inside the crates `app` and `server`: which modules may import which.

use super::{SourceFile, Violation};

const PAGES: &str = "app/src/pages/";
/// The router, which lists the pages.
const ABOVE_PAGES: &[&str] = &["app/src/app.rs", "app/src/lib.rs"];
const STORE: &str = "server/src/store/";

/// Tests may import anything.
pub fn check(file: &SourceFile) -> Vec<Violation> {
    let path = file.path.as_str();
    if path.ends_with("tests.rs") {
        return Vec::new();
    }
    let is_below_pages = path.starts_with("app/src/") && !path.starts_with(PAGES) && !ABOVE_PAGES.contains(&path);
    if is_below_pages {
        report(
            file,
            "crate",
            |module| module == "pages",
            "only the router imports pages: move what is shared below them",
        )
    } else if path.starts_with(STORE) {
        let mut found =
            report(file, "crate", |module| module != "store", "the store imports no other module of `server`");
        found.extend(report(file, "app", |_| true, "the store knows no pages: move shared types to `domain`"));
        found
    } else {
        Vec::new()
    }
}

fn report(file: &SourceFile, root: &str, is_forbidden: impl Fn(&str) -> bool, why: &str) -> Vec<Violation> {
    let code = file.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    imports(code, root)
        .into_iter()
        .filter(|(_, module)| is_forbidden(module))
        .map(|(line, module)| Violation::new(file, line, format!("no {root}::{module} here: {why}")))
        .collect()
}

/// The line and the first name of every path that begins with `root::`, also inside `use root::{…}`.
fn imports<'a>(text: &'a str, root: &str) -> Vec<(usize, &'a str)> {
    let prefix = format!("{root}::");
    let mut found = Vec::new();
    for (at, _) in text.match_indices(&prefix) {
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let is_part_of_a_path = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '"');
        if is_part_of_a_path || before[line_start..].contains("//") {
            continue;
        }
        let line = before.matches('\n').count() + 1;
        let rest = &text[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_members(group).into_iter().map(|module| (line, module))),
            None => found.push((line, first_name(rest))),
        }
    }
    found
}

/// The first name of each path in `a, b::c, d::{e, f}}`.
fn group_members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, sign) in group.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' | ',' if depth == 0 => {
                members.push(first_name(&group[start..at]));
                start = at + 1;
                if sign == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    members.retain(|member| !member.is_empty());
    members
}

fn first_name(path: &str) -> &str {
    let path = path.trim_start();
    &path[..path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len())]
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    #[test]
    fn nothing_below_the_pages_imports_them() {
        let text = "//! A.\nuse crate::{\n    api,\n    pages::{run, runs},\n};\nfn f() { crate::pages::g() }\n// crate::pages\n";
        let found = messages(check, "app/src/components/frame.rs", text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1].starts_with("app/src/components/frame.rs:6: no crate::pages here"), "{found:?}");
        assert!(messages(check, "app/src/pages/run/mod.rs", text).is_empty());
        assert!(messages(check, "app/src/app.rs", text).is_empty());
    }

    #[test]
    fn the_store_imports_neither_pages_nor_other_modules() {
        let text = "use crate::store::sql;\nuse crate::error::Error;\nuse app::model::Run;\nuse my_app::X;\nuse domain::Run;\n";
        let found = messages(check, "server/src/store/runs.rs", text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains(":2: no crate::error here") && found[1].contains(":3: no app::model here"));
        assert!(messages(check, "server/src/mirror/list.rs", text).is_empty());
        assert!(
            messages(check, "server/src/store/runs.rs", "#[cfg(test)]\nmod tests {\n    use crate::seed;\n}\n")
                .is_empty()
        );
    }
}
