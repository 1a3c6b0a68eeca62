//! Runs the server's integration tests on PostgreSQL.

use std::process::Command;

use anyhow::Result;

use super::{binaries, rust};
use crate::tools::curl;
use crate::tools::postgres::Cluster;
use crate::{command, paths};

pub fn run() -> Result<()> {
    let tests = binaries::build()?.integration;
    let package = paths::root()?.join("server");
    curl::ensure()?;
    let cluster = Cluster::start()?;
    println!("     Running server/tests/integration on {}", cluster.url());
    command::run(
        Command::new(tests)
            .args(["--test-threads", &rust::threads()])
            .current_dir(&package)
            .env("CARGO_MANIFEST_DIR", &package)
            .env("RUNLENS_TEST_DATABASE_URL", cluster.url()),
    )
}
