//! Many clients at once: mixed traffic of people who read, follow and launch; many idle streams; and three processes.

mod clients;
mod idle;
mod memory;
mod processes;

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::browse::sign_in;
use super::client::Client;
use super::server::Server;
use super::{Figure, Options};
use crate::command;
use crate::tools::free_port;
use clients::{Kind, Traffic};
use memory::Memory;

/// The list answers quickly although everything else goes on.
const LIST_GOAL: Duration = Duration::from_millis(100);
/// People share sign-ins, since a sign-in may have 32 streams.
const SESSIONS: usize = 40;

pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let dir = tempfile::tempdir()?;
    let data_dir = dir.path().join("data");
    let binary = super::server::binary()?;
    command::read(
        std::process::Command::new(&binary)
            .args(["seed", "--runs", &options.load_runs.to_string()])
            .env("RUNLENS_DATA_DIR", &data_dir)
            .env_remove("DATABASE_URL"),
    )?;
    let server = Server::start(&data_dir)?;
    let sessions = sessions(server.addr)?;
    let mut figures = mixed("one process", &[&server], &sessions, options)?;
    figures.extend(idle::run(&server, &sessions)?);
    drop(server);
    figures.extend(processes::run(options)?);
    Ok(figures)
}

/// Mixed traffic against one or several processes.
fn mixed(label: &str, servers: &[&Server], sessions: &[Client], options: &Options) -> Result<Vec<Figure>> {
    let addrs: Vec<_> = servers.iter().map(|server| server.addr).collect();
    let memory = Memory::watch(servers.iter().map(|server| server.process_id()).collect());
    let traffic = Traffic::run(&addrs, sessions, options.clients, Duration::from_secs(options.seconds))?;
    let memory = memory.finish();
    let name = |what: &str| format!("{label}, {} clients, {} s: {what}", options.clients, options.seconds);
    let mut figures = vec![Figure {
        name: name("errors"),
        goal: "0",
        value: match &traffic.first_error {
            None => format!("0 of {}", traffic.requests()),
            Some(first) => format!("{} of {}, the first: {first}", traffic.errors, traffic.requests()),
        },
        met: traffic.errors == 0,
    }];
    for kind in Kind::ALL {
        let (p50, p95, count) = (traffic.at(kind, 50), traffic.at(kind, 95), traffic.times(kind).len());
        let is_list = kind == Kind::List;
        figures.push(Figure {
            name: name(kind.name()),
            goal: if is_list { "p95 < 100 ms" } else { "–" },
            value: format!("p50 {:.0} ms, p95 {:.0} ms ({count})", ms(p50), ms(p95)),
            met: !is_list || p95 < LIST_GOAL,
        });
    }
    figures.push(memory.figure(name("memory over time")));
    Ok(figures)
}

/// Signs in several times.
fn sessions(addr: std::net::SocketAddr) -> Result<Vec<Client>> {
    let sign_in_once = |_| {
        let mut client = Client::new(addr);
        sign_in(&mut client).context("a sign-in of the load failed")?;
        Ok(client)
    };
    (0..SESSIONS).map(sign_in_once).collect()
}

/// A server with a sandbox at a known address.
fn start_with_sandbox(data_dir: &std::path::Path, database_url: Option<&str>) -> Result<(Server, String)> {
    let sandbox = format!("127.0.0.1:{}", free_port()?);
    let server = Server::start_with(data_dir, database_url, &[("RUNLENS_SANDBOX_ADDR", &sandbox)])?;
    ensure!(server.addr.ip().is_loopback(), "the server listens beyond loopback");
    Ok((server, format!("http://{sandbox}")))
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
