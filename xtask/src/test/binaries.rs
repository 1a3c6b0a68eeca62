//! Builds the debug programs that several parts run.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command;

/// Programs of one build.
pub struct Binaries {
    /// The server's integration tests.
    pub integration: PathBuf,
    pub runlens: PathBuf,
    pub sandbox: PathBuf,
}

/// Builds them together with all integration tests. Building one alone would select other features of shared dependencies
/// and compile these again.
pub fn build() -> Result<Binaries> {
    let build = ["test", "--workspace", "--test", "integration", "--no-run"];
    let messages = command::read(
        command::cargo()?.args(build).arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit()),
    )?;
    find_all(&messages).context("cargo did not report the programs that it built")
}

fn find_all(messages: &str) -> Option<Binaries> {
    let messages: Vec<Value> = messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let find = |source: &str| {
        let is_source = |path: &str| path.ends_with(source);
        let of_source = messages.iter().filter(|message| message["target"]["src_path"].as_str().is_some_and(is_source));
        of_source.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back()
    };
    Some(Binaries {
        integration: find("server/tests/integration/main.rs")?,
        runlens: find("server/src/main.rs")?,
        sandbox: find("sandbox/src/main.rs")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_their_source() {
        let message = |source: &str, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"src_path":"/x/{source}"}},"executable":"{executable}"}}"#
            )
        };
        let messages = [
            message("sandbox/tests/integration/main.rs", "/t/sandbox-integration"),
            message("server/tests/integration/main.rs", "/t/integration"),
            message("server/src/main.rs", "/t/runlens"),
            message("sandbox/src/main.rs", "/t/mantyx-sandbox"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let found = find_all(&messages.join("\n")).expect("all three");
        assert_eq!(found.integration, PathBuf::from("/t/integration"));
        assert_eq!(found.runlens, PathBuf::from("/t/runlens"));
        assert_eq!(found.sandbox, PathBuf::from("/t/mantyx-sandbox"));
        assert!(find_all(&messages[3..].join("\n")).is_none());
    }
}
