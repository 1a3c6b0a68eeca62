//! Clients with mixed traffic. Each does one thing, pauses as a person does, and does the next.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::bench::client::Client;
use crate::launch_form::{self, LaunchForm};
use crate::torture::Random;

/// Between two requests of one client.
const PAUSE_MS: (u64, u64) = (1_000, 3_000);
/// For how long a client follows a run.
const FOLLOWS_FOR: Duration = Duration::from_secs(3);
const QUERIES: [&str; 5] = ["", "status:failed", "customer:customer-07", "is:truncated", "refund"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    List,
    Run,
    Api,
    /// Until the first byte of a stream.
    Follow,
    Launch,
}

impl Kind {
    pub const ALL: [Self; 5] = [Self::List, Self::Run, Self::Api, Self::Follow, Self::Launch];

    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list of runs",
            Self::Run => "run page",
            Self::Api => "list in the API",
            Self::Follow => "live stream, first byte",
            Self::Launch => "launch",
        }
    }

    /// Of a hundred actions, 45 are lists, 30 runs, 10 API, 10 streams and 5 launches.
    fn choose(random: &mut Random) -> Self {
        match random.below(100) {
            0..45 => Self::List,
            45..75 => Self::Run,
            75..85 => Self::Api,
            85..95 => Self::Follow,
            _ => Self::Launch,
        }
    }
}

#[derive(Default)]
pub struct Traffic {
    times: BTreeMap<Kind, Vec<Duration>>,
    pub errors: usize,
    pub first_error: Option<String>,
}

impl Traffic {
    pub fn run(addrs: &[SocketAddr], sessions: &[Client], clients: usize, duration: Duration) -> Result<Self> {
        let form = LaunchForm::open(&mut sessions.first().context("no session")?.another())?;
        let runs = Arc::new(some_runs(&mut sessions[0].another())?);
        let shared = Arc::new(Mutex::new(Self::default()));
        let start = Arc::new(Barrier::new(clients + 1));
        let mut random = Random::new(1);
        let mut threads = Vec::with_capacity(clients);
        for number in 0..clients {
            let addr = addrs[number % addrs.len()];
            let mut person = Person {
                client: sessions[number % sessions.len()].another_at(addr),
                addr,
                form: form.clone(),
                runs: runs.clone(),
                random: random.fork(),
                number,
            };
            let (shared, start) = (shared.clone(), start.clone());
            threads.push(thread::Builder::new().stack_size(256 * 1024).spawn(move || {
                start.wait();
                // Not all at the same moment.
                sleep(person.random.millis(0, PAUSE_MS.1));
                let begin = Instant::now();
                while begin.elapsed() < duration {
                    person.act(&shared);
                    sleep(person.random.millis(PAUSE_MS.0, PAUSE_MS.1));
                }
            })?);
        }
        start.wait();
        for thread in threads {
            let _ = thread.join();
        }
        let mut all = std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner));
        all.times.values_mut().for_each(|times| times.sort());
        Ok(all)
    }

    pub fn requests(&self) -> usize {
        self.times.values().map(Vec::len).sum::<usize>() + self.errors
    }

    pub fn times(&self, kind: Kind) -> &[Duration] {
        self.times.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// A percentile.
    pub fn at(&self, kind: Kind, percent: usize) -> Duration {
        let times = self.times(kind);
        times.get((times.len() * percent / 100).min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    }

    fn add(&mut self, kind: Kind, result: Result<Duration>) {
        match result {
            Ok(time) => self.times.entry(kind).or_default().push(time),
            Err(error) => {
                self.errors += 1;
                self.first_error.get_or_insert_with(|| format!("{}: {error:#}", kind.name()));
            }
        }
    }
}

struct Person {
    client: Client,
    addr: SocketAddr,
    form: LaunchForm,
    runs: Arc<Vec<String>>,
    random: Random,
    number: usize,
}

impl Person {
    fn act(&mut self, traffic: &Mutex<Traffic>) {
        let kind = Kind::choose(&mut self.random);
        let run = self.random.pick(&self.runs).cloned().unwrap_or_default();
        let query = self.random.pick(&QUERIES).copied().unwrap_or_default();
        let result = match kind {
            Kind::List => self.get(&format!("/runs?q={query}")),
            Kind::Run => self.get(&format!("/runs/{run}")),
            Kind::Api => self.get(&format!("/api/runs?limit=50&q={query}")),
            Kind::Follow => self.follow(&run),
            Kind::Launch => self.launch(),
        };
        traffic.lock().unwrap_or_else(PoisonError::into_inner).add(kind, result);
    }

    fn get(&mut self, path: &str) -> Result<Duration> {
        let start = Instant::now();
        let answer = self.client.get(path)?;
        ensure!(answer.status == 200, "{} from {path}", answer.status);
        Ok(start.elapsed())
    }

    fn launch(&mut self) -> Result<Duration> {
        let key = format!("load-{}-{:016x}", self.number, self.random.next());
        let spec = json!({
            "name": "load", "systemPrompt": "You help.", "modelId": "sandbox/script",
            "prompt": "/say One.\n/sleep 500\n/say Two.", "metadata": { "from": "load" },
        });
        let form = self.form.launch(&key, spec, json!({}));
        let start = Instant::now();
        let answer = launch_form::send(&mut self.client, &form)?;
        ensure!(launch_form::launched_run(&answer).is_some(), "{} from the launch", answer.status);
        Ok(start.elapsed())
    }

    /// Returns the time until the first byte, and reads on for a while.
    fn follow(&mut self, run: &str) -> Result<Duration> {
        let start = Instant::now();
        let mut stream = open_stream(self.addr, &self.client, run)?;
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer)?;
        let first = start.elapsed();
        ensure!(buffer[..read].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&buffer[..read.min(80)]));
        stream.set_read_timeout(Some(FOLLOWS_FOR))?;
        while start.elapsed() < FOLLOWS_FOR && matches!(stream.read(&mut buffer), Ok(1..)) {}
        Ok(first)
    }
}

/// Asks for the live stream of a run.
pub fn open_stream(addr: SocketAddr, client: &Client, run: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&addr, Duration::from_secs(30))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let cookies = client.cookie_header();
    stream.write_all(format!("GET /runs/{run}/live?after=0 HTTP/1.1\r\nHost: {addr}\r\n{cookies}\r\n").as_bytes())?;
    Ok(stream)
}

fn some_runs(client: &mut Client) -> Result<Vec<String>> {
    let list: Value = serde_json::from_str(&client.get("/api/runs?limit=200")?.body)?;
    let runs = list["runs"].as_array().context("no runs")?;
    Ok(runs.iter().filter_map(|run| run["id"].as_str().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_errors_are_counted() {
        let mut traffic = Traffic::default();
        for number in 1..=100 {
            traffic.add(Kind::List, Ok(Duration::from_millis(number)));
        }
        traffic.add(Kind::Run, Err(anyhow::anyhow!("503")));
        assert_eq!(
            (traffic.at(Kind::List, 50), traffic.at(Kind::List, 95)),
            (Duration::from_millis(51), Duration::from_millis(96))
        );
        assert_eq!((traffic.errors, traffic.requests(), traffic.at(Kind::Run, 95)), (1, 101, Duration::ZERO));
        assert_eq!(traffic.first_error.as_deref(), Some("run page: 503"));
    }
}
