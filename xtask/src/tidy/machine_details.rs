//! Checks that no file contains paths of one machine or addresses of package registries.

use super::{SourceFile, Violation};

/// Top-level folders that belong to one machine or one person.
const FOLDERS: &[&str] = &["Users", "home", "root", "work"];
/// Parts of the host name of a package registry or a proxy to one.
const REGISTRIES: &[&str] = &["artifactory", "mirror", "mirrors", "nexus", "npm", "npmjs", "proxy", "pypi", "registry"];

pub fn check(file: &SourceFile) -> Vec<Violation> {
    if file.path == "Cargo.lock" {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let mut report = |what: String| found.push(Violation::new(file, index + 1, what));
        if let Some(folder) = FOLDERS.iter().find(|folder| has_path(line, folder)) {
            report(format!("a path under /{folder} exists on one machine only"));
        }
        if let Some(host) = hosts(line).find(|host| host.split('.').any(|label| REGISTRIES.contains(&label))) {
            report(format!("{host} is a package registry: leave that to each machine's settings"));
        }
        if file.path.ends_with("package-lock.json") && line.contains("\"resolved\"") {
            report("leave download addresses out: npm config set omit-lockfile-registry-resolved true".into());
        }
    }
    found
}

fn has_path(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|before| before.is_whitespace() || "\"'`=(:,<>[".contains(before))
    })
}

fn hosts(line: &str) -> impl Iterator<Item = &str> {
    line.split("://").skip(1).filter_map(|rest| {
        rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'))
            .next()
            .filter(|host| host.contains('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::super::messages;
    use super::*;

    fn reported(path: &str, line: &str) -> usize {
        messages(check, path, line).len()
    }

    #[test]
    fn a_path_of_one_machine_is_reported_and_a_route_is_not() {
        assert_eq!(reported("README.md", &format!("cd /{}/runlens", "root")), 1);
        assert_eq!(reported("a.rs", &format!("let p = \"/{}/x\";", "home")), 1);
        assert_eq!(reported("a.rs", "route(\"/runs/work/x\")"), 0);
        assert_eq!(reported("a.rs", "let dir = \"/usr/lib/postgresql\";"), 0);
    }

    #[test]
    fn a_registry_is_reported_and_other_hosts_are_not() {
        assert_eq!(reported("a.json", &format!("\"https://{}.example.org/x\"", "registry")), 1);
        assert_eq!(reported("README.md", "see https://leptos.dev/ and http://127.0.0.1:3000"), 0);
        assert_eq!(reported("Cargo.lock", &format!("https://{}.example.org", "registry")), 0);
    }

    #[test]
    fn the_lock_file_of_npm_has_no_addresses() {
        assert_eq!(reported("end2end/package-lock.json", "\"resolved\": \"x\","), 1);
        assert_eq!(reported("end2end/package-lock.json", "\"integrity\": \"x\","), 0);
    }
}
