//! The processes of a torture: a server, its sandbox behind a proxy, and perhaps a PostgreSQL.

use std::fs::{self, File, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::database::Database;
use super::proxy::Proxy;
use crate::bench::{client::Client, sign_in};
use crate::command;
use crate::tools::free_port;
use crate::tools::postgres::Cluster;
use crate::tools::sandbox::{KEY, WORKSPACE};

const PATIENCE: Duration = Duration::from_secs(60);
const SIGKILL: i32 = 9;
const SECRET_KEY: &str = "a key for the torture, long enough to be one";
/// Read by libfaketime while the server runs.
const CLOCK_FILE: &str = "clock";
const DISK: &str = "size=512m,mode=700";

/// The programs that are tortured.
pub struct Programs {
    pub runlens: PathBuf,
    pub sandbox: PathBuf,
    /// libfaketime, where it is installed.
    pub clock_library: Option<PathBuf>,
}

pub struct World {
    pub engine: &'static str,
    pub dir: TempDir,
    pub server_addr: SocketAddr,
    pub sandbox_addr: SocketAddr,
    pub proxy: Proxy,
    pub database: Option<Database>,
    programs: Programs,
    server: Option<Child>,
    sandbox: Option<Child>,
    /// The data folder is a file system of its own.
    has_disk: bool,
}

impl World {
    pub fn start(programs: Programs, cluster: Option<Cluster>) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("runlens-torture-").tempdir()?;
        let address = || Ok::<_, anyhow::Error>(SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?)));
        let (server_addr, sandbox_addr) = (address()?, address()?);
        let proxy = Proxy::start(sandbox_addr)?;
        let engine = if cluster.is_some() { "PostgreSQL" } else { "SQLite" };
        let database = cluster.map(Database::new).transpose()?;
        let (server, sandbox, has_disk) = (None, None, false);
        let mut world =
            Self { engine, dir, server_addr, sandbox_addr, proxy, database, programs, server, sandbox, has_disk };
        fs::create_dir(world.data_dir())?;
        world.has_disk = world.database.is_none() && mount(&["-t", "tmpfs", "-o", DISK, "tmpfs"], &world.data_dir());
        world.set_clock("+0")?;
        world.start_sandbox()?;
        world.start_server()?;
        Ok(world)
    }

    pub fn start_sandbox(&mut self) -> Result<()> {
        let child = Command::new(&self.programs.sandbox)
            .args(["--addr", &self.sandbox_addr.to_string(), "--no-demo", "--rate-limits", "off"])
            .args(["--heartbeat-ms", "1000", "--redirect-uri", &format!("http://{}/auth/callback", self.server_addr)])
            .arg("--data")
            .arg(self.dir.path().join("sandbox.db"))
            .env("RUNLENS_SANDBOX_DELTA_MS", "2")
            .env("RUST_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(self.log("sandbox")?)
            .spawn()
            .context("the sandbox could not be started")?;
        self.sandbox = Some(child);
        let url = format!("/api/v1/workspaces/{WORKSPACE}/agent-runs?limit=1");
        self.wait("the sandbox", |world| world.sandbox_client().get(&url).is_ok_and(|answer| answer.status == 200))
    }

    pub fn start_server(&mut self) -> Result<()> {
        self.spawn_server()?;
        self.wait("the server", Self::is_ready)
    }

    /// Starts the server on a disk that cannot be written. It must end by itself and name the folder.
    pub fn expect_no_start(&mut self) -> Result<()> {
        self.spawn_server()?;
        let start = Instant::now();
        let mut child = self.server.take().context("no server")?;
        while start.elapsed() < PATIENCE {
            if let Some(status) = child.try_wait()? {
                ensure!(!status.success(), "the server ended without an error on a read-only disk");
                return Ok(());
            }
            sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let _ = child.wait();
        bail!("the server started on a read-only disk")
    }

    pub fn spawn_server(&mut self) -> Result<()> {
        // Without the signal that a too large file causes, the write fails and the process goes on.
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "trap '' XFSZ; exec \"$0\""])
            .arg(&self.programs.runlens)
            .env_clear()
            .env("RUNLENS_ADDR", self.server_addr.to_string())
            .env("RUNLENS_DATA_DIR", self.data_dir())
            .env("RUNLENS_SECRET_KEY", SECRET_KEY)
            .env("MANTYX_URL", format!("http://{}", self.proxy.addr))
            .env("MANTYX_CLIENT_ID", "mantyx_oa_runlens")
            .env("MANTYX_CLIENT_SECRET", "mantyx_oas_sandbox")
            .env("MANTYX_API_KEY", KEY)
            .env("MANTYX_WORKSPACE", WORKSPACE)
            .env("RUST_LOG", "error")
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(self.log("server")?);
        if let Some(database) = &self.database {
            command.env("DATABASE_URL", database.url());
        }
        if let Some(library) = &self.programs.clock_library {
            command
                .env("LD_PRELOAD", library)
                .env("FAKETIME_TIMESTAMP_FILE", self.dir.path().join(CLOCK_FILE))
                .env("FAKETIME_NO_CACHE", "1")
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        self.server = Some(command.spawn().context("the server could not be started")?);
        Ok(())
    }

    pub fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub fn is_ready(&self) -> bool {
        self.server_client().get("/readyz").is_ok_and(|answer| answer.status == 200)
    }

    pub fn kill_server(&mut self) -> Result<()> {
        kill(&mut self.server, "server")
    }

    pub fn kill_sandbox(&mut self) -> Result<()> {
        kill(&mut self.sandbox, "sandbox")
    }

    /// Limits the size of files that the server writes; a write beyond fails as it does on a full disk.
    pub fn limit_files(&self, limit: &str) -> Result<()> {
        let Some(server) = &self.server else { return Ok(()) };
        let limit = format!("--fsize={limit}:unlimited");
        command::read(Command::new("prlimit").args(["--pid", &server.id().to_string(), &limit])).map(drop)
    }

    /// A disk of its own can be made read-only.
    pub fn has_disk(&self) -> bool {
        self.has_disk
    }

    pub fn set_read_only(&self, read_only: bool) -> Result<()> {
        let options = if read_only { "remount,ro" } else { "remount,rw" };
        ensure!(mount(&["-o", options], &self.data_dir()), "the data folder could not be remounted");
        Ok(())
    }

    pub fn runlens(&self) -> &Path {
        &self.programs.runlens
    }

    pub fn has_clock(&self) -> bool {
        self.programs.clock_library.is_some()
    }

    /// Sets the server's clock off by this, for example `+2h`.
    pub fn set_clock(&self, offset: &str) -> Result<()> {
        Ok(fs::write(self.dir.path().join(CLOCK_FILE), offset)?)
    }

    /// Ends every fault.
    pub fn heal(&mut self) -> Result<()> {
        self.set_clock("+0")?;
        if let Some(database) = &mut self.database {
            database.ensure_running()?;
        }
        if self.sandbox.is_none() {
            self.start_sandbox()?;
        }
        self.proxy.set(super::proxy::Mode::Pass);
        if self.server.is_none() {
            self.spawn_server()?;
        }
        self.limit_files("unlimited")?;
        self.wait("the healed server", Self::is_ready)
    }

    /// Fails if a process ended by itself or panicked.
    pub fn check_processes(&mut self) -> Result<()> {
        for (name, child) in [("server", &mut self.server), ("sandbox", &mut self.sandbox)] {
            if let Some(status) = child.as_mut().map(Child::try_wait).transpose()?.flatten() {
                bail!("the {name} ended by itself with {status}");
            }
        }
        for name in ["server", "sandbox"] {
            let log = fs::read_to_string(self.log_path(name)).unwrap_or_default();
            if let Some(at) = log.find("panicked at") {
                let from = log[..at].rfind('\n').map_or(0, |line| line + 1);
                bail!("the {name} panicked: {}", log[from..].chars().take(2_000).collect::<String>());
            }
        }
        Ok(())
    }

    pub fn server_client(&self) -> Client {
        let mut client = Client::new(self.server_addr);
        client.timeout = Duration::from_secs(10);
        client
    }

    /// A client of the server with an API key.
    pub fn script_client(&self) -> Client {
        let mut client = self.server_client();
        client.bearer = Some(KEY.to_owned());
        client
    }

    /// A client that talks to the sandbox directly.
    pub fn sandbox_client(&self) -> Client {
        let mut client = Client::new(self.sandbox_addr);
        client.timeout = Duration::from_secs(10);
        client.bearer = Some(KEY.to_owned());
        client
    }

    pub fn signed_in(&self) -> Result<Client> {
        let mut client = self.server_client();
        client.timeout = Duration::from_secs(30);
        sign_in(&mut client)?;
        Ok(client)
    }

    fn wait(&mut self, what: &str, is_there: impl Fn(&Self) -> bool) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if is_there(self) {
                return Ok(());
            }
            self.check_processes()?;
            sleep(Duration::from_millis(20));
        }
        bail!("{what} was not ready within {} s", PATIENCE.as_secs())
    }

    /// The end of a process's log.
    pub fn log_end(&self, name: &str) -> String {
        let log = fs::read_to_string(self.log_path(name)).unwrap_or_default();
        let from = log.char_indices().rev().nth(4_000).map_or(0, |(at, _)| at);
        log[from..].to_owned()
    }

    fn log_path(&self, name: &str) -> PathBuf {
        self.dir.path().join(format!("{name}.log"))
    }

    fn log(&self, name: &str) -> Result<File> {
        Ok(OpenOptions::new().create(true).append(true).open(self.log_path(name))?)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.kill_server();
        let _ = self.kill_sandbox();
        if self.has_disk {
            let _ = command::read(Command::new("umount").arg(self.data_dir()));
        }
    }
}

fn mount(options: &[&str], folder: &Path) -> bool {
    command::is_root() && command::read(Command::new("mount").args(options).arg(folder)).is_ok()
}

fn kill(child: &mut Option<Child>, name: &str) -> Result<()> {
    let Some(mut child) = child.take() else { return Ok(()) };
    child.kill()?;
    let status = child.wait()?;
    ensure!(status.signal() == Some(SIGKILL), "the {name} had ended by itself with {status}");
    Ok(())
}

/// The library that changes a process's clock, from Debian's package `libfaketime`.
pub fn find_clock_library() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime", "/usr/lib/faketime"];
    folders.iter().map(|folder| Path::new(folder).join("libfaketimeMT.so.1")).find(|path| path.is_file())
}
