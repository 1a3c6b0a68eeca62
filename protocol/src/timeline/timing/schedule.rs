//! The times at which a replay in the original speed shows the events.

use super::{TimedGroup, Timing, between};

/// Deltas in a row are shown in steps of this length. Only the times of the first and the last are known, so the others
/// are spread evenly between them.
const DELTA_STEP_MS: u64 = 200;

/// The seqs of one event, or of several deltas in a row, with the times of the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedSeqs {
    first_seq: u64,
    last_seq: u64,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
}

impl TimedSeqs {
    pub fn of(timed: &TimedGroup<'_>) -> Self {
        Self {
            first_seq: timed.group.first_seq,
            last_seq: timed.group.last_seq,
            first_ms: timed.first_ms,
            last_ms: timed.last_ms,
        }
    }

    fn is_timed(self) -> bool {
        self.first_ms.is_some() && self.last_ms.is_some()
    }

    /// The number of the last step; the first one is 0. Seqs and times come from the log, so this can be huge.
    fn last_step(self) -> u64 {
        let (from_ms, to_ms) = (self.first_ms.unwrap_or_default(), self.last_ms.unwrap_or_default());
        let steps = if self.is_timed() { between(from_ms, to_ms) / DELTA_STEP_MS } else { 0 };
        steps.clamp(u64::from(self.last_seq > self.first_seq), self.last_seq - self.first_seq)
    }

    /// The seq to show at a step, with its time.
    fn step(self, step: u64) -> (u64, Option<i64>) {
        let last_step = self.last_step();
        if step == 0 {
            return (self.first_seq, self.first_ms);
        }
        if step == last_step {
            return (self.last_seq, self.last_ms);
        }
        let part = |whole: u64| (u128::from(whole) * u128::from(step) / u128::from(last_step)) as u64;
        let at_ms =
            self.first_ms.zip(self.last_ms).map(|(from, to)| from.saturating_add_unsigned(part(between(from, to))));
        (self.first_seq + part(self.last_seq - self.first_seq), at_ms)
    }

    /// The number of steps that show a seq up to this one, found by bisection.
    fn steps_until(self, seq: u64) -> u64 {
        let (mut low, mut high) = (0, self.last_step() + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.step(middle).0 <= seq {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

impl Timing {
    /// Returns the next steps of a replay after an event: the seq to show, and the milliseconds after the start of the run.
    /// Events without a time are shown with the one before them. Times never go back.
    pub fn steps_after(&self, seq: u64, limit: usize) -> Vec<(u64, u64)> {
        let from = self.groups.partition_point(|group| group.last_seq <= seq);
        let mut latest_ms = self.elapsed_at(seq);
        let later = |group: &TimedSeqs| {
            let group = *group;
            (group.steps_until(seq)..=group.last_step()).map(move |step| group.step(step))
        };
        let steps = self.groups[from..].iter().flat_map(later).map(|(next, at_ms)| {
            latest_ms = at_ms.map_or(latest_ms, |at_ms| between(self.start_ms, at_ms)).max(latest_ms);
            (next, latest_ms)
        });
        steps.take(limit).collect()
    }

    /// Returns the milliseconds from the start of the run to an event, or to the last event before it that has a time.
    pub fn elapsed_at(&self, seq: u64) -> u64 {
        let until = self.groups.partition_point(|group| group.first_seq <= seq);
        let last_time = |group: &TimedSeqs| (0..group.steps_until(seq)).rev().find_map(|step| group.step(step).1);
        let at_ms = self.groups[..until].iter().rev().find_map(last_time);
        at_ms.map_or(0, |at_ms| between(self.start_ms, at_ms))
    }
}
