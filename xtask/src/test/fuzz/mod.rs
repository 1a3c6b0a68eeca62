//! Bounded fuzzing with a fresh seed: the parsers with damaged input, and the HTTP API from its own description.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::binaries;
use crate::bench::server::Server;
use crate::command;
use crate::paths;
use crate::tools::python;
use crate::tools::sandbox::KEY;
use crate::torture::Random;

/// Set to repeat a run.
const SEED: &str = "RUNLENS_FUZZ_SEED";
/// Requests of each kind for each endpoint.
const EXAMPLES: &str = "12";

/// `cases` are the inputs for each parser.
pub fn run(cases: u32) -> Result<()> {
    let seed = match std::env::var(SEED) {
        Ok(seed) => seed.parse().with_context(|| format!("{SEED} is not a number"))?,
        Err(_) => Random::fresh_seed(),
    };
    println!("fuzz: seed {seed}; {SEED}={seed} cargo xtask test fuzz repeats it");
    parsers(seed, cases)?;
    http_api(seed)
}

/// The tests of `protocol/tests/fuzz.rs`, and those in modules named `fuzz`.
fn parsers(seed: u64, cases: u32) -> Result<()> {
    for tests in [&["--test", "fuzz"][..], &["--lib", "fuzz::"]] {
        command::run(
            command::cargo()?
                .args(["test", "--workspace", "--no-fail-fast"])
                .args(tests)
                .env("PROPTEST_RNG_SEED", seed.to_string())
                .env("PROPTEST_CASES", cases.to_string()),
        )?;
    }
    Ok(())
}

/// Sends what `/api/openapi.json` allows, and what it does not. An internal error fails, and so does an answer that the
/// description does not know.
fn http_api(seed: u64) -> Result<()> {
    let folder = paths::root()?.join("xtask/src/test/fuzz");
    let python = python::environment("fuzz", &folder.join("requirements.txt"))?;
    let dir = tempfile::tempdir()?;
    let binaries = binaries::build()?;
    let server = Server::start_binary(&binaries.runlens, &dir.path().join("data"), None, &[])?;
    let url = format!("http://{}/api/openapi.json", server.addr);
    println!("     Fuzzing {url}");
    command::run(schemathesis(&python, &url, seed).current_dir(dir.path()))
}

fn schemathesis(python: &Path, url: &str, seed: u64) -> Command {
    let mut command = Command::new(python);
    command
        .args(["-m", "schemathesis.cli", "run", url])
        .args(["--header", &format!("Authorization: Bearer {KEY}")])
        .args(["--seed", &seed.to_string(), "--max-examples", EXAMPLES])
        .args(["--phases", "examples,coverage,fuzzing", "--mode", "all"])
        .args(["--checks", "not_a_server_error,response_schema_conformance,content_type_conformance"])
        .args(["--request-timeout", "20", "--generation-database", "none", "--no-color", "--warnings", "off"])
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
