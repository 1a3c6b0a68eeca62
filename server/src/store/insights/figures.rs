//! Figures of many runs: counts, sums, and counts in buckets. They can be added and subtracted.

use domain::{Outcomes, Percentiles, Rates, RunFigures, Signals};

use super::buckets::{Buckets, bucket_of};
use super::facts::RunFacts;
use crate::store::varint::{read_number, read_signed, write_signed};

/// The first byte of stored figures.
const FORMAT: u8 = 1;

/// Positions in [`Figures::counts`].
const RUNS: usize = 0;
const FIRST_STATUS: usize = 1;
const FIRST_SIGNAL: usize = 6;
const OBSERVED_MS: usize = 11;
const CALLS: usize = 12;
const FAILED_CALLS: usize = 13;
const TOOL_MS: usize = 14;
/// Counts that every version has stored. Those after them are at the end, where an earlier version does not read.
const FIRST_COUNTS: usize = 15;
const LOOPS: usize = 15;
const COUNTS: usize = 16;

/// The number of signals of a run.
const SIGNALS: usize = OBSERVED_MS - FIRST_SIGNAL;

/// Positions in [`Figures::measures`].
const DURATION: usize = 0;
const TOKENS: usize = 1;
const COST: usize = 2;
const CALL_DURATION: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    counts: [i64; COUNTS],
    measures: [Measure; 4],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Measure {
    sum: i64,
    buckets: Buckets,
}

impl Figures {
    /// Adds a run, or subtracts it if `sign` is -1. `tag` is the tag that the figures are about: those of a tool also have
    /// its calls.
    pub fn add_run(&mut self, facts: &RunFacts, tag: i64, sign: i64) {
        self.counts[RUNS] += sign;
        self.counts[FIRST_STATUS + facts.status] += sign;
        for bit in (0..SIGNALS).filter(|bit| facts.signals >> bit & 1 == 1) {
            self.counts[FIRST_SIGNAL + bit] += sign;
        }
        self.count(OBSERVED_MS, facts.observed_ms, sign);
        for (place, number) in [(DURATION, facts.duration_ms), (TOKENS, facts.tokens), (COST, facts.cost_micros)] {
            if let Some(number) = number {
                let measure = &mut self.measures[place];
                measure.sum = measure.sum.wrapping_add(sign * to_i64(number));
                measure.buckets.add_one(bucket_of(number), sign);
            }
        }
        for tool in facts.tools.iter().filter(|tool| tool.tag == tag) {
            self.count(CALLS, tool.calls, sign);
            self.count(FAILED_CALLS, tool.failed, sign);
            self.count(TOOL_MS, tool.time_ms, sign);
            self.count(LOOPS, u64::from(tool.looped), sign);
            for bucket in &tool.durations {
                self.measures[CALL_DURATION].buckets.add_one(*bucket, sign);
            }
        }
    }

    fn count(&mut self, place: usize, number: u64, sign: i64) {
        self.counts[place] = self.counts[place].wrapping_add(sign * to_i64(number));
    }

    pub fn add(&mut self, other: &Self, sign: i64) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.wrapping_add(sign.wrapping_mul(more));
        }
        for (measure, more) in self.measures.iter_mut().zip(&other.measures) {
            measure.sum = measure.sum.wrapping_add(sign.wrapping_mul(more.sum));
            measure.buckets.add(&more.buckets, sign);
        }
    }

    pub fn runs(&self) -> u64 {
        to_u64(self.counts[RUNS])
    }

    pub fn calls(&self) -> u64 {
        to_u64(self.counts[CALLS])
    }

    pub fn failed_calls(&self) -> u64 {
        to_u64(self.counts[FAILED_CALLS])
    }

    /// Runs in which the tool looped.
    pub fn loops(&self) -> u64 {
        to_u64(self.counts[LOOPS])
    }

    /// How long the tool ran, of the time of the runs.
    pub fn tool_ms(&self) -> u64 {
        to_u64(self.counts[TOOL_MS])
    }

    pub fn observed_ms(&self) -> u64 {
        to_u64(self.counts[OBSERVED_MS])
    }

    pub fn call_duration(&self, percent: i64) -> Option<u64> {
        self.measures[CALL_DURATION].buckets.percentile(percent)
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        let (first, later) = self.counts.split_at(FIRST_COUNTS);
        first.iter().for_each(|count| write_signed(&mut bytes, *count));
        for measure in &self.measures {
            write_signed(&mut bytes, measure.sum);
            measure.buckets.write(&mut bytes);
        }
        later.iter().for_each(|count| write_signed(&mut bytes, *count));
        bytes
    }

    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        if read_number(bytes)? != u64::from(FORMAT) {
            return None;
        }
        let mut figures = Self::default();
        let (first, later) = figures.counts.split_at_mut(FIRST_COUNTS);
        for count in first {
            *count = read_signed(bytes)?;
        }
        for measure in &mut figures.measures {
            *measure = Measure { sum: read_signed(bytes)?, buckets: Buckets::read(bytes)? };
        }
        for count in later {
            *count = read_signed(bytes).unwrap_or(0);
        }
        Some(figures)
    }

    /// The figures as they are shown.
    pub fn shown(&self) -> RunFigures {
        let status = |position: usize| to_u64(self.counts[FIRST_STATUS + position]);
        let signal = |bit: usize| to_u64(self.counts[FIRST_SIGNAL + bit]);
        let outcomes = Outcomes {
            succeeded: status(0),
            failed: status(1),
            cancelled: status(2),
            running: status(3),
            pending: status(4),
        };
        let signals = Signals {
            failed: outcomes.failed,
            truncated: signal(0),
            looping: signal(1),
            budget: signal(2),
            unanswered: signal(3),
            tool_failed: signal(4),
        };
        let percentiles = |place: usize| {
            let Measure { sum, buckets } = &self.measures[place];
            let sum = to_u64(*sum);
            // A percentile is estimated. It is at most the sum, and of one number exactly that.
            let percentile = |percent| match buckets.count() {
                1 => Some(sum),
                _ => buckets.percentile(percent).map(|number| number.min(sum)),
            };
            Percentiles { p50: percentile(50), p95: percentile(95), sum }
        };
        let runs = self.runs();
        RunFigures {
            runs,
            outcomes,
            signals,
            rates: Rates::of(&signals, runs),
            duration_ms: percentiles(DURATION),
            tokens: to_u64(self.measures[TOKENS].sum),
            cost_micros: to_u64(self.measures[COST].sum),
            tokens_per_run: percentiles(TOKENS),
            cost_micros_per_run: percentiles(COST),
        }
    }
}

/// Numbers above this are not counted further: they are mistakes of a log, and a sum must not overflow.
const MAX_NUMBER: u64 = 1 << 50;

fn to_i64(number: u64) -> i64 {
    number.min(MAX_NUMBER) as i64
}

fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::facts::ToolFacts;
    use super::*;

    #[test]
    fn percentiles_of_one_run_are_its_number_and_of_more_at_most_their_sum() {
        let mut figures = Figures::default();
        figures.add_run(&RunFacts { duration_ms: Some(809), ..RunFacts::default() }, 0, 1);
        assert_eq!(figures.shown().duration_ms, Percentiles { p50: Some(809), p95: Some(809), sum: 809 });
        figures.add_run(&RunFacts { duration_ms: Some(0), ..RunFacts::default() }, 0, 1);
        assert_eq!(figures.shown().duration_ms, Percentiles { p50: Some(0), p95: Some(809), sum: 809 });
        assert_eq!(figures.shown().tokens_per_run, Percentiles::default());
    }

    #[test]
    fn figures_survive_a_round_trip_and_subtract_to_nothing() {
        let tool = ToolFacts { tag: 7, calls: 3, failed: 1, looped: true, time_ms: 900, durations: vec![40, 41] };
        let facts = RunFacts {
            status: 1,
            signals: 0b00011,
            duration_ms: Some(1_500),
            tokens: Some(10),
            tools: vec![tool],
            ..RunFacts::default()
        };
        let mut figures = Figures::default();
        figures.add_run(&facts, 7, 1);
        figures.add_run(&RunFacts::default(), 7, 1);
        assert_eq!(Figures::decode(&figures.encode()), Some(figures.clone()));
        let shown = figures.shown();
        assert_eq!((shown.runs, shown.outcomes.failed, shown.outcomes.succeeded), (2, 1, 1));
        assert_eq!((shown.rates.truncated, shown.rates.looping, shown.rates.budget), (0.5, 0.5, 0.0));
        assert_eq!((figures.calls(), figures.failed_calls(), figures.loops(), shown.tokens), (3, 1, 1, 10));
        let encoded = figures.encode();
        let earlier = Figures::decode(&encoded[..encoded.len() - 1]).expect("figures of an earlier version");
        assert_eq!((earlier.calls(), earlier.loops()), (3, 0));
        figures.add_run(&facts, 7, -1);
        figures.add_run(&RunFacts::default(), 7, -1);
        assert!(figures.is_zero());
        assert_eq!(Figures::decode(&[2]), None);
    }
}
