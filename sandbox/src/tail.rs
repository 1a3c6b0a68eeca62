//! The newest committed events of a run in flight, in memory, so that most reads skip the database.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use domain::LockExt;

use crate::store::StoredEvent;

/// Limits per run, because many runs may be in flight.
const MAX_EVENTS: usize = 256;
const MAX_BYTES: usize = 32 * 1024;

#[derive(Clone, Default)]
pub struct Tail(Arc<Mutex<Newest>>);

#[derive(Default)]
struct Newest {
    /// Consecutive, without gaps.
    events: VecDeque<Arc<StoredEvent>>,
    bytes: usize,
}

impl Tail {
    /// Adds a committed event and drops the oldest ones past the limits.
    pub fn push(&self, event: StoredEvent) {
        let mut newest = self.0.locked();
        newest.bytes += event.data.len();
        newest.events.push_back(Arc::new(event));
        while newest.events.len() > MAX_EVENTS || (newest.bytes > MAX_BYTES && newest.events.len() > 1) {
            if let Some(oldest) = newest.events.pop_front() {
                newest.bytes -= oldest.data.len();
            }
        }
    }

    /// Returns the events after `seq`. `None` if there are none, or if some of them were dropped.
    pub fn after(&self, seq: u64) -> Option<Vec<Arc<StoredEvent>>> {
        let newest = self.0.locked();
        let first = newest.events.front()?.seq as u64;
        let skipped = seq.checked_add(1)?.checked_sub(first)?;
        let found: Vec<_> = newest.events.iter().skip(usize::try_from(skipped).ok()?).cloned().collect();
        (!found.is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(events: i64, bytes: usize) -> Tail {
        let tail = Tail::default();
        for seq in 1..=events {
            tail.push(StoredEvent { seq, kind: "assistant_delta".into(), data: "x".repeat(bytes), at_ms: None });
        }
        tail
    }

    fn seqs(tail: &Tail, after: u64) -> Option<Vec<i64>> {
        tail.after(after).map(|events| events.iter().map(|event| event.seq).collect())
    }

    #[test]
    fn an_up_to_date_reader_gets_new_events() {
        let tail = tail_of(5, 1);
        assert_eq!(seqs(&tail, 0), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!(seqs(&tail, 3), Some(vec![4, 5]));
        assert_eq!(seqs(&tail, 5), None);
        assert_eq!(seqs(&tail, 9), None);
        assert_eq!(seqs(&tail, u64::MAX), None);
        assert_eq!(seqs(&Tail::default(), 0), None);
    }

    #[test]
    fn a_reader_that_is_behind_gets_nothing_and_memory_is_limited() {
        let tail = tail_of(1_000, 1);
        assert_eq!(seqs(&tail, 0), None);
        assert_eq!(seqs(&tail, 744).map(|seqs| seqs.len()), Some(MAX_EVENTS));
        let large = tail_of(10, MAX_BYTES);
        assert_eq!((seqs(&large, 8), seqs(&large, 9)), (None, Some(vec![10])));
    }
}
