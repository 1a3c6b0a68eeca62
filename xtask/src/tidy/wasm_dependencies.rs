//! Checks that the client depends on nothing native and nothing that is too large for a browser.

use anyhow::Result;

use super::Violation;
use crate::command;

/// A regex engine is as large as all of `protocol`.
const TOO_LARGE: &[&str] = &["fancy-regex", "regex", "regex-automata", "regex-lite"];

const NATIVE: &[&str] = &[
    "axum",
    "hyper",
    "mio",
    "openssl",
    "openssl-sys",
    "reqwest",
    "ring",
    "rustls",
    "sandbox",
    "server",
    "socket2",
    "sqlx",
    "tokio",
];

/// Asks cargo for the dependencies of the client and of the crate that it shares with the server.
pub fn check() -> Result<Vec<Violation>> {
    let client = tree(&["-p", "app", "--no-default-features", "--features", "hydrate"])?;
    let native = found_in(&client, NATIVE).into_iter().map(|name| violation("app", name, "native"));
    // Leptos depends on one for its settings, which the linker drops; ours would stay.
    let shared = tree(&["-p", "protocol"])?;
    let too_large = found_in(&shared, TOO_LARGE).into_iter();
    Ok(native.chain(too_large.map(|name| violation("protocol", name, "too large for a browser"))).collect())
}

fn tree(package: &[&str]) -> Result<String> {
    let wasm = ["--target", "wasm32-unknown-unknown", "-e", "normal", "--prefix", "none"];
    command::read(command::cargo()?.arg("tree").args(package).args(wasm))
}

fn violation(package: &str, name: &str, fault: &str) -> Violation {
    Violation {
        path: format!("{package}/Cargo.toml"),
        line: 1,
        what: format!("{name} is {fault}; `cargo tree -p {package} -i {name}` shows which dependency needs it"),
    }
}

fn found_in(tree: &str, unwanted: &[&'static str]) -> Vec<&'static str> {
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    unwanted.iter().copied().filter(|name| names.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_native_crate_is_found_anywhere_in_the_tree() {
        let tree = "app v0.2.0 (/x/app)\nleptos v0.8.23\nserde v1.0.0 (*)\n";
        assert!(found_in(tree, NATIVE).is_empty());
        assert_eq!(found_in(&format!("{tree}tokio v1.49.0\ntokio-util v0.7.0\n"), NATIVE), ["tokio"]);
        assert_eq!(found_in(&format!("{tree}regex v1.13.1\n"), TOO_LARGE), ["regex"]);
    }
}
