//! Response times of repeated requests, as percentiles.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::bench::Figure;
use crate::bench::client::Client;
use crate::bench::server::Server;

const WARM_UP: usize = 20;
const ROUNDS: usize = 200;

/// A goal for the 95th percentile, and its text.
#[derive(Clone, Copy)]
pub struct Goal(pub Duration, pub &'static str);

pub const LIST: Goal = Goal(Duration::from_millis(10), "p95 < 10 ms");
pub const TEXT: Goal = Goal(Duration::from_millis(50), "p95 < 50 ms");
pub const FIGURES: Goal = Goal(Duration::from_millis(200), "p95 < 200 ms");
pub const PAGE: Goal = Goal(Duration::from_millis(40), "p95 < 40 ms");

/// Times of one request, sorted.
pub struct Times {
    sorted: Vec<Duration>,
    /// Processor time of the server for a request. Unlike the times it does not depend on what else the computer does.
    cpu_ms: Option<f64>,
}

impl Times {
    pub fn of(client: &mut Client, path: &str, server: &Server) -> Result<Self> {
        let before = server.cpu_seconds()?;
        let mut rounds = 0;
        let mut times = Self::while_true(client, path, || {
            rounds += 1;
            rounds <= WARM_UP + ROUNDS
        })?;
        let cpu_ms = (server.cpu_seconds()? - before) * 1_000.0 / times.len() as f64;
        times.drain(..WARM_UP);
        Ok(Self { cpu_ms: Some(cpu_ms), ..Self::sorted(times) })
    }

    /// Repeats the request while a condition holds; at least once.
    pub fn during(client: &mut Client, path: &str, holds: impl FnMut() -> bool) -> Result<Self> {
        Ok(Self::sorted(Self::while_true(client, path, holds)?))
    }

    fn while_true(client: &mut Client, path: &str, mut holds: impl FnMut() -> bool) -> Result<Vec<Duration>> {
        let mut times = Vec::new();
        while holds() || times.is_empty() {
            let start = Instant::now();
            let response = client.get(path)?;
            ensure!(response.status == 200, "{path} answered {}: {}", response.status, response.body);
            times.push(start.elapsed());
        }
        Ok(times)
    }

    fn sorted(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self { sorted: times, cpu_ms: None }
    }

    pub fn at(&self, percent: usize) -> Duration {
        self.sorted[(self.sorted.len() * percent / 100).min(self.sorted.len() - 1)]
    }

    pub fn figure(&self, name: String, goal: Goal) -> Figure {
        let ms = |percent: usize| format!("{:.1}", self.at(percent).as_secs_f64() * 1_000.0);
        let cpu = self.cpu_ms.map_or_else(String::new, |cpu_ms| format!("; {cpu_ms:.1} ms of processor time"));
        let value = format!("p50 {}, p95 {}, p99 {} ms{cpu}", ms(50), ms(95), ms(99));
        Figure { name, goal: goal.1, value, met: self.at(95) < goal.0 }
    }
}
