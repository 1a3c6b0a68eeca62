//! Runs a server on free ports, without settings of the environment.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::{http, process};
use crate::tools::free_port;
use crate::{command, paths};

const READY_WITHIN: Duration = Duration::from_secs(60);

/// The optimised binary, or the one that RUNLENS_BIN names.
pub fn binary() -> Result<PathBuf> {
    std::env::var_os("RUNLENS_BIN").map_or_else(paths::binary, |path| Ok(path.into()))
}

/// A running server; stopped when dropped.
pub struct Server {
    process: Child,
    pub addr: SocketAddr,
    /// Time from the start of the process until it was ready.
    pub ready_after: Duration,
}

impl Server {
    /// Starts on a data directory and waits until ready.
    pub fn start(data_dir: &Path) -> Result<Self> {
        Self::start_on(data_dir, None)
    }

    /// Starts on a PostgreSQL, if a URL is given.
    pub fn start_on(data_dir: &Path, database_url: Option<&str>) -> Result<Self> {
        Self::start_with(data_dir, database_url, &[])
    }

    /// Starts with further settings.
    pub fn start_with(data_dir: &Path, database_url: Option<&str>, settings: &[(&str, &str)]) -> Result<Self> {
        Self::start_binary(&binary()?, data_dir, database_url, settings)
    }

    pub fn start_binary(
        binary: &Path,
        data_dir: &Path,
        database_url: Option<&str>,
        settings: &[(&str, &str)],
    ) -> Result<Self> {
        let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
        let log_path = data_dir.with_extension("log");
        let log = File::create(&log_path)?;
        let mut command = Command::new(binary);
        for name in ["DATABASE_URL", "MANTYX_URL", "MANTYX_API_KEY", "RUNLENS_PUBLIC_URL", "RUNLENS_SECRET_KEY"] {
            command.env_remove(name);
        }
        command
            .env("RUNLENS_DATA_DIR", data_dir)
            .env("RUNLENS_ADDR", addr.to_string())
            .env("RUNLENS_SANDBOX_ADDR", format!("127.0.0.1:{}", free_port()?))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        if let Some(url) = database_url {
            command.env("DATABASE_URL", url).env("RUNLENS_SECRET_KEY", "a key for measuring, long enough to be one");
        }
        command.envs(settings.iter().copied());
        let start = Instant::now();
        let process = command.spawn()?;
        let mut server = Self { process, addr, ready_after: Duration::ZERO };
        while !http::get_status(addr, "/readyz").is_ok_and(|status| status == 200) {
            let ended = server.process.try_wait()?;
            if ended.is_some() || start.elapsed() > READY_WITHIN {
                let log = fs::read_to_string(&log_path).unwrap_or_default();
                bail!("the server did not become ready ({ended:?}):\n{log}");
            }
            sleep(Duration::from_millis(1));
        }
        server.ready_after = start.elapsed();
        Ok(server)
    }

    /// Processor time of the process so far.
    pub fn cpu_seconds(&self) -> Result<f64> {
        process::cpu_seconds(self.process.id())
    }

    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The current memory of the process.
    pub fn resident_bytes(&self) -> Result<u64> {
        process::resident_bytes(self.process.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGTERM, so that it closes its databases.
        let asked = command::run(Command::new("kill").arg(self.process.id().to_string()));
        let start = Instant::now();
        while asked.is_ok() && start.elapsed() < Duration::from_secs(10) {
            if let Ok(Some(_)) = self.process.try_wait() {
                return;
            }
            sleep(Duration::from_millis(5));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
