//! `cargo xtask dev`: serves an unoptimised build, rebuilds what changed, restarts the server and reloads open pages.

mod changes;
mod server;
mod site;

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::paths;
use crate::progress::step;
use changes::{Changes, Snapshot};
use server::Server;

const POLL_EVERY: Duration = Duration::from_millis(100);

/// Runs until it is interrupted. A build that fails leaves the running server as it is.
pub fn run(args: &[String]) -> Result<()> {
    let root = paths::root()?;
    let folder = paths::target()?.join("dev-site");
    let mut seen = Snapshot::take(&root);
    site::write_public_files(&folder)?;
    site::write_styles(&folder)?;
    build(true, &folder)?;
    let mut server = Server::start(&folder, args)?;
    println!("▸ watching; stop with Ctrl-C");
    loop {
        sleep(POLL_EVERY);
        let now = Snapshot::take(&root);
        let changes = seen.changes_to(&now);
        // Taken before the build: a file that changes meanwhile is seen in the next round.
        seen = now;
        if changes.is_empty() {
            continue;
        }
        let start = Instant::now();
        println!("▸ changed: {}", changes.paths.join(", "));
        match rebuild(&changes, &folder, args, &mut server) {
            Ok(()) => println!("▸ shown after {:.1} s", start.elapsed().as_secs_f64()),
            Err(error) => eprintln!("▸ not shown: {error:#}"),
        }
    }
}

fn rebuild(changes: &Changes, folder: &Path, args: &[String], server: &mut Server) -> Result<()> {
    if changes.styles {
        site::write_styles(folder)?;
    }
    if changes.public {
        site::write_public_files(folder)?;
    }
    if changes.client || changes.server {
        build(changes.client, folder)?;
    }
    if changes.client || changes.server || changes.public {
        server.stop()?;
        *server = Server::start(folder, args)?;
    }
    Ok(())
}

/// Builds the server and, where it is affected, the client at the same time. Their profiles have different build folders, so
/// that neither waits for the other's lock.
fn build(client: bool, folder: &Path) -> Result<()> {
    let mut server = server::build()?;
    if client {
        site::write_client(folder, &site::compile_client()?)?;
    }
    step("server", || server.finish())
}
