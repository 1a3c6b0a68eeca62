//! Runs `mantyx-sandbox` on a free port with an empty database.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

pub const KEY: &str = "mantyx_sandbox_demo";
pub const WORKSPACE: &str = "demo";

/// A running sandbox; killed when dropped.
pub struct Sandbox {
    process: Child,
    dir: TempDir,
    url: String,
}

impl Sandbox {
    /// Starts it without demo runs and pauses, and waits until it listens.
    pub fn start(binary: &Path) -> Result<Self> {
        Self::start_with(binary, &[])
    }

    /// Starts it with further options.
    pub fn start_with(binary: &Path, options: &[&str]) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("runlens-sandbox-").tempdir()?;
        let mut command = Command::new(binary);
        command
            .args(["--addr", "127.0.0.1:0", "--no-demo", "--rate-limits", "off", "--data"])
            .arg(dir.path().join("sandbox.db"))
            .args(options)
            .env("RUNLENS_SANDBOX_DELTA_MS", "0")
            .env_remove("OPENAI_BASE_URL")
            .env_remove("OPENAI_API_KEY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(log_of(&dir))?);
        let process = command.spawn().with_context(|| format!("could not start {}", binary.display()))?;
        let mut sandbox = Self { process, dir, url: String::new() };
        let mut line = String::new();
        if let Some(output) = sandbox.process.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        match line.trim().rsplit_once(' ') {
            Some((_, url)) if url.starts_with("http://") => sandbox.url = url.to_owned(),
            _ => bail!("the sandbox did not start:\n{}", sandbox.log()),
        }
        Ok(sandbox)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Its standard error so far.
    pub fn log(&self) -> String {
        fs::read_to_string(log_of(&self.dir)).unwrap_or_default()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn log_of(dir: &TempDir) -> PathBuf {
    dir.path().join("log")
}
