//! Random numbers from a seed (SplitMix64), so that a round's choices can be repeated.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed that differs in each run.
    pub fn fresh_seed() -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Six digits are easy to type again.
        Self(now.as_nanos() as u64 ^ u64::from(std::process::id())).below(1_000_000)
    }

    /// Numbers of their own for a thread.
    pub fn fork(&mut self) -> Self {
        Self(self.next())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, not including, a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(usize::try_from(self.below(from.len() as u64)).unwrap_or(0))
    }

    pub fn millis(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.below(to.saturating_sub(from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.below(1_000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert!(numbers(7).iter().all(|number| *number < 1_000));
        assert_eq!(Random::new(1).pick::<u8>(&[]), None);
    }
}
