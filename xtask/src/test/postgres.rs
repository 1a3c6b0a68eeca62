//! Runs the server's integration tests on PostgreSQL.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::tools::curl;
use crate::tools::postgres::Cluster;
use crate::{command, paths};

pub fn run() -> Result<()> {
    let tests = compiled()?;
    let package = paths::root()?.join("server");
    curl::ensure()?;
    let cluster = Cluster::start()?;
    println!("     Running server/tests/integration on {}", cluster.url());
    command::run(
        Command::new(tests)
            .current_dir(&package)
            .env("CARGO_MANIFEST_DIR", &package)
            .env("RUNLENS_TEST_DATABASE_URL", cluster.url()),
    )
}

/// Returns the test binary that the other parts built. For the server alone cargo would select other features of shared
/// dependencies and compile them again.
fn compiled() -> Result<PathBuf> {
    let build = ["test", "--workspace", "--test", "integration", "--no-run"];
    let messages = command::read(
        command::cargo()?.args(build).arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit()),
    )?;
    executable(&messages).context("cargo built no integration tests of the server")
}

fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages
        .filter(|message| {
            let of_server = |path: &str| path.ends_with("server/tests/integration/main.rs");
            message["target"]["src_path"].as_str().is_some_and(of_server)
        })
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_of_the_server_is_found_among_the_others() {
        let messages = r#"{"reason":"compiler-artifact","target":{"src_path":"/x/sandbox/tests/integration/main.rs"},"executable":"/t/a"}
{"reason":"compiler-artifact","target":{"src_path":"/x/server/tests/integration/main.rs"},"executable":"/t/b"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some(PathBuf::from("/t/b")));
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#), None);
    }
}
