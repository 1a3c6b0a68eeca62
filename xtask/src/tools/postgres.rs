//! A temporary PostgreSQL server for tests and benchmarks.

use std::fs::{self, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::{apt, free_port};
use crate::command;

const PATIENCE: Duration = Duration::from_secs(30);
/// The data is temporary, so nothing needs to reach the disk.
const SETTINGS: &[&str] = &["fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=300"];
/// What is committed survives the end of the processes.
const DURABLE: &[&str] = &["fsync=off", "max_connections=300"];

/// A running cluster in a temporary folder; stopped and removed when dropped.
pub struct Cluster {
    programs: Programs,
    dir: TempDir,
    port: u16,
    settings: &'static [&'static str],
    server: Child,
}

impl Cluster {
    /// Creates a cluster, starts it on a free loopback port and waits until it answers.
    pub fn start() -> Result<Self> {
        Self::create(SETTINGS)
    }

    /// The same, for a cluster that is killed and started again.
    pub fn start_durable() -> Result<Self> {
        Self::create(DURABLE)
    }

    fn create(settings: &'static [&'static str]) -> Result<Self> {
        let programs = Programs::find()?;
        let dir = programs.folder()?;
        let init = ["--username=runlens", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"];
        command::read(programs.command("initdb", dir.path()).args(init).arg("-D").arg(dir.path().join("data")))?;
        Self::start_in(dir, programs, settings)
    }

    fn start_in(dir: TempDir, programs: Programs, settings: &'static [&'static str]) -> Result<Self> {
        let port = free_port()?;
        let server = serve(&programs, dir.path(), port, settings)?;
        let mut cluster = Self { programs, dir, port, settings, server };
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    /// Ends all its processes at once, as a crash does.
    pub fn kill(&mut self) -> Result<()> {
        let mut stop = self.programs.command("pg_ctl", self.dir.path());
        stop.args(["stop", "-m", "immediate", "-D"]).arg(self.dir.path().join("data"));
        command::read(&mut stop)?;
        self.server.wait()?;
        Ok(())
    }

    /// Starts it again if it was killed.
    pub fn ensure_running(&mut self) -> Result<()> {
        if self.server.try_wait()?.is_some() {
            self.server = serve(&self.programs, self.dir.path(), self.port, self.settings)?;
        }
        self.wait_until_ready()
    }

    /// A copy of this cluster that follows it. From now on, this one commits nothing that the copy does not have.
    pub fn start_standby(&self) -> Result<Self> {
        let dir = self.programs.folder()?;
        let mut copy = self.client("pg_basebackup");
        copy.args(["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "-D"]).arg(dir.path().join("data"));
        command::read(&mut copy)?;
        let standby = Self::start_in(dir, self.programs.clone(), self.settings)?;
        self.query("ALTER SYSTEM SET synchronous_standby_names = '*'")?;
        self.query("SELECT pg_reload_conf()")?;
        let start = Instant::now();
        while self.query("SELECT sync_state FROM pg_stat_replication")?.trim() != "sync" {
            ensure!(start.elapsed() < PATIENCE, "the standby did not follow within {} s", PATIENCE.as_secs());
            sleep(Duration::from_millis(50));
        }
        Ok(standby)
    }

    /// Makes a standby accept changes.
    pub fn promote(&self) -> Result<()> {
        let mut promote = self.programs.command("pg_ctl", self.dir.path());
        command::read(promote.args(["promote", "--wait", "-D"]).arg(self.dir.path().join("data"))).map(drop)
    }

    fn query(&self, sql: &str) -> Result<String> {
        command::read(self.client("psql").args(["-d", "postgres", "-qAtc", sql]))
    }

    /// A client program, connected to this cluster.
    fn client(&self, program: &str) -> Command {
        let mut client = self.programs.command(program, self.dir.path());
        client.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "runlens"]);
        client
    }

    pub fn addr(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// The URL of a user who may create databases.
    pub fn url(&self) -> String {
        url_at(self.addr())
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let start = Instant::now();
        let port = self.port.to_string();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.server.try_wait()? {
                let log = fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
                bail!("PostgreSQL ended at once with {status}\n{log}");
            }
            let mut ask = self.programs.command("pg_isready", self.dir.path());
            if command::read(ask.args(["-h", "127.0.0.1", "-p", &port])).is_ok() {
                return Ok(());
            }
            sleep(Duration::from_millis(50));
        }
        bail!("PostgreSQL did not answer within {} s", PATIENCE.as_secs())
    }
}

/// The URL of a cluster that is reached at this address.
pub fn url_at(addr: SocketAddr) -> String {
    format!("postgres://runlens@{addr}/postgres")
}

fn serve(programs: &Programs, dir: &Path, port: u16, settings: &[&str]) -> Result<Child> {
    let log = OpenOptions::new().create(true).append(true).open(dir.join("log"))?;
    let mut server = programs.command("postgres", dir);
    server.arg("-D").arg(dir.join("data")).arg("-k").arg(dir).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
    server.args(settings.iter().flat_map(|setting| ["-c", setting]));
    Ok(server.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?)
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.kill().is_err() {
            let _ = self.server.kill();
            let _ = self.server.wait();
        }
    }
}

/// The folder of the server's programs, and the user who runs them.
#[derive(Clone)]
struct Programs {
    dir: PathBuf,
    user: Option<User>,
}

/// PostgreSQL refuses to run as root.
#[derive(Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl Programs {
    fn find() -> Result<Self> {
        let dir = match installed() {
            Some(dir) => dir,
            None => {
                apt::install(&["postgresql"])
                    .context("PostgreSQL's server programs (initdb, postgres) are neither on PATH nor in /usr/lib/postgresql/*/bin")?;
                installed()
                    .context("the package postgresql is installed, but /usr/lib/postgresql/*/bin has no initdb")?
            }
        };
        let user = if command::is_root() { Some(unprivileged()?) } else { None };
        Ok(Self { dir, user })
    }

    /// A temporary folder for a cluster.
    fn folder(&self) -> Result<TempDir> {
        let dir = tempfile::Builder::new().prefix("runlens-postgres-").tempdir()?;
        if let Some(user) = self.user {
            chown(dir.path(), Some(user.uid), Some(user.gid))?;
        }
        Ok(dir)
    }

    fn command(&self, program: &str, working_dir: &Path) -> Command {
        let mut command = Command::new(self.dir.join(program));
        command.current_dir(working_dir);
        if let Some(user) = self.user {
            command.uid(user.uid).gid(user.gid);
        }
        command
    }
}

fn installed() -> Option<PathBuf> {
    if let Some(initdb) = command::find("initdb") {
        // A link on PATH points into the folder that contains all of them.
        return fs::canonicalize(initdb).ok()?.parent().map(Path::to_path_buf);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions.filter_map(|version| Some(version.ok()?.path().join("bin"))).collect();
    found.retain(|bin| bin.join("initdb").is_file());
    found.sort();
    found.pop()
}

fn unprivileged() -> Result<User> {
    for name in ["postgres", "nobody"] {
        let id = |flag| -> Result<u32> { Ok(command::read(Command::new("id").args([flag, name]))?.trim().parse()?) };
        if let (Ok(uid), Ok(gid)) = (id("-u"), id("-g")) {
            return Ok(User { uid, gid });
        }
    }
    bail!("PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;

    #[test]
    fn a_cluster_is_reachable_until_it_is_dropped() -> Result<()> {
        if installed().is_none() {
            return Ok(());
        }
        let cluster = Cluster::start()?;
        let (port, dir) = (cluster.port, cluster.dir.path().to_path_buf());
        assert!(cluster.url().contains(&port.to_string()));
        TcpStream::connect(("127.0.0.1", port))?;
        drop(cluster);
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
        assert!(!dir.exists());
        Ok(())
    }

    #[test]
    fn a_promoted_standby_has_what_was_committed() -> Result<()> {
        if installed().is_none() {
            return Ok(());
        }
        let mut cluster = Cluster::start_durable()?;
        cluster.query("CREATE TABLE before (n int)")?;
        let standby = cluster.start_standby()?;
        cluster.query("INSERT INTO before VALUES (7)")?;
        cluster.kill()?;
        standby.promote()?;
        assert_eq!(standby.query("INSERT INTO before VALUES (8); SELECT sum(n) FROM before")?.trim(), "15");
        Ok(())
    }
}
