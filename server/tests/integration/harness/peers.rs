//! Real MCP servers and A2A agents, written with the official Python packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::OnceCell;

static PYTHON: OnceCell<PathBuf> = OnceCell::const_new();

/// A peer that runs until it is dropped.
pub struct Peer {
    pub port: u16,
    _process: Child,
}

impl Peer {
    pub async fn mcp() -> Self {
        Self::start("mcp_server.py", &[]).await
    }

    pub async fn a2a() -> Self {
        Self::start("a2a_peer.py", &[]).await
    }

    /// An agent with a card of version 0.3, at the path of the first versions.
    pub async fn old_a2a() -> Self {
        Self::start("a2a_peer.py", &["v0.3"]).await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    async fn start(script: &str, args: &[&str]) -> Self {
        let mut process = tokio::process::Command::new(python().await)
            .arg(folder().join(script))
            .args(args)
            .stdout(std::process::Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().unwrap_or_else(|| panic!("{script} did not start"));
        Self { port: port.parse().unwrap(), _process: process }
    }
}

/// Returns the command line of the MCP server over stdio.
pub async fn stdio_command() -> String {
    format!("{} {} stdio", python().await.display(), folder().join("mcp_server.py").display())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers")
}

/// Returns the Python of an environment with the packages of `requirements.txt`. It is recreated when they change.
async fn python() -> &'static PathBuf {
    let made = PYTHON.get_or_init(|| async { tokio::task::spawn_blocking(make_environment).await.unwrap() });
    made.await
}

fn make_environment() -> PathBuf {
    let requirements = folder().join("requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).unwrap();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-peers");
    let (python, stamp) = (dir.join("bin/python"), dir.join("installed-requirements.txt"));
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return python;
    }
    let venv = Command::new("python3").args(["-m", "venv", "--clear"]).arg(&dir).output();
    check(venv, "python3 (3.10 or newer, with the module venv) must be on PATH for the tests with real peers");
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    check(Command::new(&python).args(install).arg(&requirements).output(), "the packages could not be installed");
    std::fs::write(stamp, wanted).unwrap();
    python
}

fn check(output: std::io::Result<Output>, otherwise: &str) {
    let output = output.unwrap_or_else(|error| panic!("{otherwise}: {error}"));
    assert!(output.status.success(), "{otherwise}: {}", String::from_utf8_lossy(&output.stderr));
}
