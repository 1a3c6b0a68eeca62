//! Counts the problems of a log: missing, repeated, late and unreadable events.

use serde::{Deserialize, Serialize};

/// More gaps are only counted, so that a hostile log cannot grow this list.
const MAX_GAPS: usize = 10_000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integrity {
    pub last_seq: u64,
    /// The number of events applied.
    pub events: u64,
    /// Missing seqs, as inclusive ranges in order.
    pub gaps: Vec<(u64, u64)>,
    /// Missing seqs of gaps beyond those listed.
    pub unlisted_missing: u64,
    pub duplicates: u64,
    pub out_of_order: u64,
    pub after_end: u64,
    pub unknown: u64,
    pub malformed: u64,
    /// Results without a call in the log.
    pub orphan_results: u64,
    /// Second results of a call.
    pub repeated_results: u64,
    /// Plans with an older revision than an earlier one.
    pub stale_plans: u64,
}

impl Integrity {
    /// Records gaps and order. Returns whether an event with this seq is new.
    pub(super) fn admit(&mut self, seq: u64) -> bool {
        let expected = if self.events == 0 { 1 } else { self.last_seq.saturating_add(1) };
        if (seq >= expected && seq > self.last_seq) || (self.events == 0 && seq == 0) {
            if seq > expected {
                self.add_gap(expected, seq - 1);
            }
            self.last_seq = seq;
        } else if self.fill_gap(seq) {
            self.out_of_order += 1;
        } else {
            self.duplicates += 1;
            return false;
        }
        self.events += 1;
        true
    }

    /// Returns the number of events missing between the first and the last.
    pub fn missing(&self) -> u64 {
        self.gaps
            .iter()
            .map(|(from, to)| (to - from).saturating_add(1))
            .fold(self.unlisted_missing, u64::saturating_add)
    }

    fn add_gap(&mut self, from: u64, to: u64) {
        if self.gaps.len() < MAX_GAPS {
            self.gaps.push((from, to));
        } else {
            self.unlisted_missing = self.unlisted_missing.saturating_add(to - from + 1);
        }
    }

    fn fill_gap(&mut self, seq: u64) -> bool {
        let Ok(i) = self.gaps.binary_search_by(|&(from, to)| {
            if to < seq {
                std::cmp::Ordering::Less
            } else if from > seq {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        }) else {
            return false;
        };
        let (from, to) = self.gaps.remove(i);
        if seq < to {
            self.gaps.insert(i, (seq + 1, to));
        }
        if from < seq {
            self.gaps.insert(i, (from, seq - 1));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_recorded_and_filled_by_late_events() {
        let mut integrity = Integrity::default();
        for seq in [1, 2, 6, 6, 4] {
            integrity.admit(seq);
        }
        assert_eq!(integrity.gaps, [(3, 3), (5, 5)]);
        assert_eq!((integrity.duplicates, integrity.out_of_order, integrity.missing()), (1, 1, 2));
        assert_eq!(integrity.last_seq, 6);
    }

    #[test]
    fn the_largest_seq_does_not_overflow() {
        let mut integrity = Integrity::default();
        assert!(integrity.admit(u64::MAX));
        assert!(!integrity.admit(u64::MAX));
        assert_eq!(integrity.missing(), u64::MAX - 1);
    }
}
