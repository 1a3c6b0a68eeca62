//! The unoptimised server as a child process that is stopped and started again after each build.

use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::command::{self, Background};
use crate::paths;

/// Time to end requests and give back leases; then it is killed.
const STOP_WITHIN: Duration = Duration::from_secs(2);

pub struct Server(Child);

/// Starts the build in the background.
pub fn build() -> Result<Background> {
    Background::start(command::cargo()?.args(["build", "--workspace", "--bin", "runlens"]))
}

impl Server {
    pub fn start(site: &Path, args: &[String]) -> Result<Self> {
        let binary = paths::target()?.join("debug/runlens");
        let child = Command::new(&binary).args(args).env("RUNLENS_DEV_SITE", site).spawn();
        Ok(Self(child.with_context(|| format!("could not start {}", binary.display()))?))
    }

    pub fn stop(&mut self) -> Result<()> {
        // Fails where it has ended by itself.
        let asked = command::read(Command::new("kill").arg(self.0.id().to_string()));
        let start = Instant::now();
        while asked.is_ok() && start.elapsed() < STOP_WITHIN {
            if self.0.try_wait()?.is_some() {
                return Ok(());
            }
            sleep(Duration::from_millis(10));
        }
        let _ = self.0.kill();
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}
