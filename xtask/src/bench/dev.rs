//! The development loop: how soon an edit shows in an open page under `cargo xtask dev`, and how long the first build takes.

use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::{Figure, browser, http, process};
use crate::tools::free_port;
use crate::{command, paths};

/// For the first build of what `cargo xtask dev` serves.
const READY_WITHIN: Duration = Duration::from_secs(3_600);
const COLD_GOAL: Duration = Duration::from_secs(600);

/// Edits files of this working copy, one after the other, and restores each. With `cold`, also builds everything from an
/// empty target folder.
pub fn run(cold: bool) -> Result<Vec<Figure>> {
    let mut figures = edits()?;
    if cold {
        figures.extend(cold_build()?);
    }
    Ok(figures)
}

fn edits() -> Result<Vec<Figure>> {
    let data_dir = tempfile::tempdir()?;
    let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
    let mut dev = Command::new(env::current_exe()?);
    dev.arg("dev")
        .current_dir(paths::root()?)
        .env("RUNLENS_ADDR", addr.to_string())
        .env("RUNLENS_SANDBOX_ADDR", format!("127.0.0.1:{}", free_port()?))
        .env("RUNLENS_DATA_DIR", data_dir.path())
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null());
    for name in ["DATABASE_URL", "MANTYX_URL", "RUNLENS_PUBLIC_URL"] {
        dev.env_remove(name);
    }
    let mut dev = Group(dev.process_group(0).spawn()?);
    let start = Instant::now();
    while !http::get_status(addr, "/readyz").is_ok_and(|status| status == 200) {
        if dev.0.try_wait()?.is_some() || start.elapsed() > READY_WITHIN {
            bail!("`cargo xtask dev` did not become ready");
        }
        sleep(Duration::from_millis(100));
    }
    browser::figures("bench/dev.mjs", &[&format!("http://{addr}"), &paths::root()?.display().to_string()])
}

/// `cargo xtask dev` and the server that it started; both are stopped when this value is dropped.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        let _ = command::read(Command::new("kill").args(["--", &format!("-{}", self.0.id())]));
        let _ = self.0.wait();
    }
}

fn cold_build() -> Result<Vec<Figure>> {
    let target = tempfile::tempdir()?;
    let before = process::children_cpu_seconds()?;
    let start = Instant::now();
    command::run(
        command::cargo()?
            .args(["xtask", "run", "--", "--help"])
            .env("CARGO_TARGET_DIR", target.path())
            .env("RUNLENS_SITE_DIR", target.path().join("site")),
    )?;
    let (took, cpu) = (start.elapsed(), process::children_cpu_seconds()? - before);
    Ok(vec![Figure {
        name: "`cargo xtask run` from an empty target folder, until it serves".to_owned(),
        goal: "< 600 s",
        value: format!("{:.0} s ({cpu:.0} s of processor time)", took.as_secs_f64()),
        met: took < COLD_GOAL,
    }])
}
