//! Three processes on one PostgreSQL, with the same mixed traffic.

use anyhow::Result;

use super::{mixed, sessions, start_with_sandbox};
use crate::bench::server::{Server, binary};
use crate::bench::{Figure, Options};
use crate::command;
use crate::tools::postgres::Cluster;

pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let dir = tempfile::tempdir()?;
    let cluster = Cluster::start()?;
    let url = cluster.url();
    let data_dir = |number: usize| dir.path().join(format!("data-{number}"));
    command::read(
        std::process::Command::new(binary()?)
            .args(["seed", "--runs", &options.load_runs.to_string()])
            .env("RUNLENS_DATA_DIR", data_dir(0))
            .env("DATABASE_URL", &url),
    )?;
    // The first process runs the sandbox, which the others use.
    let (first, sandbox) = start_with_sandbox(&data_dir(0), Some(&url))?;
    let public_url = format!("http://{}", first.addr);
    let settings = [
        ("MANTYX_URL", sandbox.as_str()),
        ("MANTYX_CLIENT_ID", "mantyx_oa_runlens"),
        ("MANTYX_CLIENT_SECRET", "mantyx_oas_sandbox"),
        ("RUNLENS_PUBLIC_URL", public_url.as_str()),
    ];
    let others = [1, 2].map(|number| Server::start_with(&data_dir(number), Some(&url), &settings));
    let [second, third] = others;
    let (second, third) = (second?, third?);
    let sessions = sessions(first.addr)?;
    mixed("three processes on PostgreSQL", &[&first, &second, &third], &sessions, options)
}
