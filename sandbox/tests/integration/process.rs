//! The sandbox program in its own process, which a test can kill.

use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::Api;

pub struct Process {
    child: Child,
    api: Api,
}

impl Process {
    /// Starts with the database of a folder and a delay before each text delta, and waits until it listens.
    pub fn start(folder: &Path, delta_ms: u32) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mantyx-sandbox"))
            .args(["--addr", "127.0.0.1:0", "--no-demo", "--rate-limits", "off", "--data"])
            .arg(folder.join("sandbox.db"))
            .env("RUNLENS_SANDBOX_DELTA_MS", delta_ms.to_string())
            .env("RUST_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let (_, url) = line.trim().rsplit_once(' ').expect("its address");
        Self { child, api: Api::new(url.to_owned()) }
    }

    /// Sends SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it is gone");
    }

    /// Returns the peak memory.
    pub fn peak_resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        kilobytes * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Deref for Process {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}
