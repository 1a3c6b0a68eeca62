//! Memory of processes over time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use crate::bench::{Figure, process};

const EVERY: Duration = Duration::from_millis(500);
/// Later memory may exceed that of the second quarter, when caches are filled, by this much.
const MAX_GROWTH: f64 = 1.25;

/// Reads the memory of processes until it is finished.
pub struct Memory {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u64>>,
}

/// Bytes of all processes together, at equal intervals.
pub struct Samples(Vec<u64>);

impl Memory {
    pub fn watch(process_ids: Vec<u32>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let mut samples = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                samples.push(process_ids.iter().filter_map(|id| process::resident_bytes(*id).ok()).sum());
                sleep(EVERY);
            }
            samples
        });
        Self { stop, thread }
    }

    pub fn finish(self) -> Samples {
        self.stop.store(true, Ordering::Relaxed);
        Samples(self.thread.join().unwrap_or_default())
    }
}

impl Samples {
    /// Compares the last quarter with the second one: the first fills caches.
    pub fn figure(&self, name: String) -> Figure {
        let quarter = self.0.len() / 4;
        let average = |samples: &[u64]| samples.iter().sum::<u64>() as f64 / samples.len().max(1) as f64;
        let (early, late) = (average(&self.0[quarter..2 * quarter]), average(&self.0[3 * quarter..]));
        let peak = self.0.iter().max().copied().unwrap_or_default();
        let growth = late / early.max(1.0);
        Figure {
            name,
            goal: "last quarter ≤ 125 % of the second",
            value: format!(
                "{:.0} → {:.0} MB ({:.0} %), peak {:.0} MB",
                early / 1e6,
                late / 1e6,
                growth * 100.0,
                peak as f64 / 1e6
            ),
            met: growth <= MAX_GROWTH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_from_the_second_to_the_last_quarter() {
        let flat = Samples(vec![10_000_000, 100_000_000, 101_000_000, 102_000_000]).figure(String::new());
        assert!(flat.met && flat.value.starts_with("100 → 102 MB (102 %)"), "{}", flat.value);
        assert!(!Samples(vec![1, 100, 200, 300]).figure(String::new()).met);
        assert!(Samples(Vec::new()).figure(String::new()).met);
    }
}
