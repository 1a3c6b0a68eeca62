//! The server's integration tests once more, on PostgreSQL.

use anyhow::Result;

use crate::command;
use crate::tools::postgres::Cluster;

/// Starts a cluster, tests against it, stops it.
pub fn run() -> Result<()> {
    let cluster = Cluster::start()?;
    command::run(
        command::cargo()?
            .args(["test", "-p", "server", "--test", "integration"])
            .env("RUNLENS_TEST_DATABASE_URL", cluster.url()),
    )
}
