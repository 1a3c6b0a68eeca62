//! Response times of repeated requests, as percentiles.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::bench::Figure;
use crate::bench::client::Client;

const WARM_UP: usize = 20;
const ROUNDS: usize = 200;

/// A goal for the 95th percentile, and its text.
#[derive(Clone, Copy)]
pub struct Goal(pub Duration, pub &'static str);

pub const LIST: Goal = Goal(Duration::from_millis(10), "p95 < 10 ms");
pub const TEXT: Goal = Goal(Duration::from_millis(50), "p95 < 50 ms");
pub const PAGE: Goal = Goal(Duration::from_millis(40), "p95 < 40 ms");

/// Times of one request, sorted.
pub struct Times(Vec<Duration>);

impl Times {
    pub fn of(client: &mut Client, path: &str) -> Result<Self> {
        let mut rounds = 0;
        let mut times = Self::while_true(client, path, || {
            rounds += 1;
            rounds <= WARM_UP + ROUNDS
        })?;
        times.0.drain(..WARM_UP);
        Ok(times.sorted())
    }

    /// Repeats the request while a condition holds; at least once.
    pub fn during(client: &mut Client, path: &str, holds: impl FnMut() -> bool) -> Result<Self> {
        Ok(Self::while_true(client, path, holds)?.sorted())
    }

    fn while_true(client: &mut Client, path: &str, mut holds: impl FnMut() -> bool) -> Result<Self> {
        let mut times = Vec::new();
        while holds() || times.is_empty() {
            let start = Instant::now();
            let response = client.get(path)?;
            ensure!(response.status == 200, "{path} answered {}: {}", response.status, response.body);
            times.push(start.elapsed());
        }
        Ok(Self(times))
    }

    fn sorted(mut self) -> Self {
        self.0.sort();
        self
    }

    pub fn at(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)]
    }

    pub fn figure(&self, name: String, goal: Goal) -> Figure {
        let ms = |percent: usize| format!("{:.1}", self.at(percent).as_secs_f64() * 1_000.0);
        let value = format!("p50 {}, p95 {}, p99 {} ms", ms(50), ms(95), ms(99));
        Figure { name, goal: goal.1, value, met: self.at(95) < goal.0 }
    }
}
