//! A deterministic random number generator.

/// SplitMix64: small, fast, and good enough for test data.
pub struct Rng(u64);

impl Rng {
    /// A stream per index. The state is mixed, so that streams of neighbouring indices do not overlap.
    pub fn new(seed: u64, index: u64) -> Self {
        Self(mix(mix(seed) ^ index.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next_u64() % end.max(1)
    }

    pub fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[usize::try_from(self.below(items.len() as u64)).unwrap_or(0)]
    }

    /// Picks the first items often and the last ones rarely, like words in real text.
    pub fn pick_skewed<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        let (a, b) = (self.below(items.len() as u64), self.below(items.len() as u64));
        items[usize::try_from(a * b / items.len().max(1) as u64).unwrap_or(0)]
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_neighbouring_indices_do_not_overlap() {
        let stream = |index| -> Vec<u64> {
            let mut rng = Rng::new(1, index);
            (0..50).map(|_| rng.next_u64()).collect()
        };
        let all: std::collections::HashSet<u64> = (0..50).flat_map(stream).collect();
        assert_eq!(all.len(), 2_500);
        let mut counts = [0; 10];
        for index in 0..10_000 {
            counts[usize::try_from(Rng::new(1, index).below(10)).unwrap_or(0)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }
}
