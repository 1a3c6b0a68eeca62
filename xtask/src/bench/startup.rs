//! Time until the server is ready, and its memory when idle.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use super::Figure;
use super::server::Server;

const ROUNDS: usize = 10;
const SETTLE: Duration = Duration::from_secs(3);
const READY_GOAL: Duration = Duration::from_secs(1);
const RESIDENT_GOAL_BYTES: u64 = 60_000_000;

/// Starts the server repeatedly on an existing data directory.
pub fn run() -> Result<Vec<Figure>> {
    let dir = tempfile::tempdir()?;
    let data_dir = dir.path().join("data");
    drop(Server::start(&data_dir)?);

    let mut ready = Vec::with_capacity(ROUNDS);
    let mut resident = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let server = Server::start(&data_dir)?;
        ready.push(server.ready_after);
        sleep(SETTLE);
        resident.push(server.resident_bytes()?);
    }
    let (ready_p50, ready_max) = middle_and_max(&mut ready);
    let (resident_p50, resident_max) = middle_and_max(&mut resident);
    let duration = |name: &str, value: Duration| Figure {
        name: name.to_owned(),
        goal: "< 1 s",
        value: format!("{:.0} ms", value.as_secs_f64() * 1000.0),
        met: value < READY_GOAL,
    };
    let memory = |name: &str, bytes: u64| Figure {
        name: name.to_owned(),
        goal: "< 60 MB",
        value: format!("{:.1} MB", bytes as f64 / 1e6),
        met: bytes < RESIDENT_GOAL_BYTES,
    };
    Ok(vec![
        duration("start to ready, p50", ready_p50),
        duration("start to ready, max", ready_max),
        memory("resident when idle, with the sandbox, p50", resident_p50),
        memory("resident when idle, with the sandbox, max", resident_max),
    ])
}

fn middle_and_max<T: Ord + Copy + Default>(values: &mut [T]) -> (T, T) {
    values.sort();
    let middle = values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default();
    (middle, values.last().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_lower_of_two() {
        assert_eq!(middle_and_max(&mut [4, 1, 3, 2]), (2, 4));
        assert_eq!(middle_and_max(&mut [7]), (7, 7));
    }
}
