//! Nothing native among the client's dependencies.

use anyhow::Result;

use super::Violation;
use crate::command;

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

/// Asks cargo for the client's tree.
pub fn check() -> Result<Vec<Violation>> {
    let client = ["-p", "app", "--no-default-features", "--features", "hydrate", "--target", "wasm32-unknown-unknown"];
    let tree = command::read(command::cargo()?.arg("tree").args(client).args(["-e", "normal", "--prefix", "none"]))?;
    let found = native_in(&tree);
    Ok(found
        .into_iter()
        .map(|name| Violation {
            path: "app/Cargo.toml".into(),
            line: 1,
            what: format!(
                "{name} is native, but the client's dependencies lead to it; `cargo tree -i {name}` tells how"
            ),
        })
        .collect())
}

fn native_in(tree: &str) -> Vec<&'static str> {
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    NATIVE.iter().copied().filter(|native| names.contains(native)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_native_crate_is_found_wherever_it_stands() {
        let tree = "app v0.1.0 (/x/app)\nleptos v0.8.23\nserde v1.0.0 (*)\n";
        assert!(native_in(tree).is_empty());
        assert_eq!(native_in(&format!("{tree}tokio v1.49.0\ntokio-util v0.7.0\n")), ["tokio"]);
    }
}
