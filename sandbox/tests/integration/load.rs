//! A small load test; `cargo xtask bench` runs a larger one.

use sandbox::load::{self, Load};

use crate::process::Process;
use crate::support::KEY;

#[tokio::test]
async fn many_concurrent_runs_lose_and_repeat_no_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let process = Process::start(folder.path(), 0);
    let load = Load { runs: 60, deltas: 200, readers: 2 };
    let figures = load::run(&process.url, KEY, "demo", load).await.expect("every reader sees every event once");
    assert_eq!((figures.events, figures.deliveries), (60 * 202, 2 * 60 * 202));
}
