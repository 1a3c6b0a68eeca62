//! Computes how long the steps of a run took, from the times of its events.
//!
//! ```text
//!   events     started   delta* message   tool_call … tool_result   delta* message   result
//!   stretches  └──── model ────┘ └────── the tool ──────┘└──── model ────┘
//!   turns      └──────────── turn 1 ───────────────────┘ └── turn 2 ──┘
//! ```
//!
//! A step lasts from the event before it to its own last event. If one of the two has no time, the step has no duration: no
//! time is guessed. Steps are in the order of the log. A time before that of an earlier event counts as the earlier one,
//! so no duration is negative. Arrival times are from another clock than the log and the run's snapshot: they are not mixed.

mod schedule;
mod stretches;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeMap;

use super::{EventGroup, Timeline, ToolCall};
use crate::event::EventTime;
use schedule::TimedSeqs;
pub use stretches::{Share, Step, Stretch};
pub use turns::TurnTiming;

/// A run that was created longer than this before its first event has a wrong clock somewhere.
const MAX_DELAY_MS: i64 = 24 * 3_600_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The first and the last known time.
    pub start_ms: i64,
    pub end_ms: i64,
    /// The times are arrival times.
    pub observed: bool,
    /// By turn.
    pub turns: Vec<TurnTiming>,
    /// What was going on between start and end, in order.
    pub stretches: Vec<Stretch>,
    /// Where the time between start and end went, longest first.
    pub shares: Vec<Share>,
    /// Events whose time was before that of an earlier event.
    pub out_of_order: u64,
    /// All calls that waited for an answer from outside have times.
    knows_waits: bool,
    /// What is going on after the last event.
    current: Step,
    /// Times by seq. Of deltas in a row only the first is listed.
    times: BTreeMap<u64, i64>,
    groups: Vec<TimedSeqs>,
}

/// A start with its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start_ms: i64,
    /// None if it has not ended, or its end has no time.
    pub duration_ms: Option<u64>,
}

impl Timing {
    /// Returns `None` if fewer than two times are known. `created_at_ms` is one for a log with times of its own: when the run was
    /// created, from its snapshot. The model was asked then. A log begins with what the model wrote. In an
    /// observed log it only says where an unobserved beginning starts: no step gets its duration from two clocks.
    pub fn of(timeline: &Timeline, created_at_ms: Option<i64>) -> Option<Self> {
        let is_recorded = |time: &Option<EventTime>| time.is_some_and(|time| !time.observed);
        let observed =
            !timeline.events.iter().any(|group| is_recorded(&group.first_time) || is_recorded(&group.last_time));
        let mut clock = Clock { observed, latest_ms: None, out_of_order: 0 };
        let groups: Vec<TimedGroup<'_>> = timeline.events.iter().map(|group| clock.read(group)).collect();
        let mut known = groups.iter().flat_map(TimedGroup::times);
        let first_ms = known.next()?;
        let is_plausible = |created_at_ms: &i64| (0..MAX_DELAY_MS).contains(&first_ms.saturating_sub(*created_at_ms));
        let created_at_ms = created_at_ms.filter(|_| !observed || groups[0].first_ms.is_none()).filter(is_plausible);
        let asked_at_ms = created_at_ms.filter(|_| !observed);
        let start_ms = created_at_ms.unwrap_or(first_ms);
        let end_ms = known.last().or(asked_at_ms.map(|_| first_ms))?;
        let (stretches, current) = stretches::of(timeline, &groups, created_at_ms);
        let times = groups.iter().filter_map(|timed| Some((timed.group.first_seq, timed.first_ms?))).collect();
        Some(Self {
            start_ms,
            end_ms,
            observed,
            knows_waits: knows_waits(timeline, &times),
            turns: turns::of(timeline, &groups, asked_at_ms),
            shares: stretches::shares(&stretches),
            stretches,
            out_of_order: clock.out_of_order,
            current,
            times,
            groups: groups.iter().map(TimedSeqs::of).collect(),
        })
    }

    /// Returns the timing of this run before its first event.
    pub fn before_start(&self) -> Self {
        Self { start_ms: self.start_ms, end_ms: self.start_ms, observed: self.observed, ..Self::default() }
    }

    /// Adds the time from the last event until now, for a run in progress.
    pub fn extend_to(&mut self, now_ms: i64) {
        if now_ms > self.end_ms {
            let step = self.current.clone();
            stretches::push(&mut self.stretches, Stretch { from_ms: self.end_ms, to_ms: now_ms, step });
            self.shares = stretches::shares(&self.stretches);
            self.end_ms = now_ms;
        }
    }

    pub fn total_ms(&self) -> u64 {
        between(self.start_ms, self.end_ms)
    }

    /// Returns how long the run waited for answers from outside, unless the times of some call are unknown.
    pub fn waited_ms(&self) -> Option<u64> {
        let waiting = self.shares.iter().filter(|share| matches!(share.step, Step::Waiting(_)));
        self.knows_waits.then(|| waiting.map(|share| share.ms).sum())
    }

    /// Returns how much of the time it is known what was going on.
    pub fn observed_ms(&self) -> u64 {
        let known = self.shares.iter().filter(|share| share.step != Step::Unobserved);
        known.map(|share| share.ms).sum()
    }

    /// Returns the tool that took most of the time, of MANTYX or from outside.
    pub fn slowest_tool(&self) -> Option<&str> {
        self.shares.iter().find_map(|share| match &share.step {
            Step::Tool(name) | Step::Waiting(name) => Some(name.as_str()),
            Step::Model | Step::Unobserved => None,
        })
    }

    /// Returns the time of an event, unless it is one of several deltas in a row.
    pub fn time_of(&self, seq: u64) -> Option<i64> {
        self.times.get(&seq).copied()
    }

    /// Returns the last known time before an event and the first one after it, for an event without a time.
    pub fn around(&self, seq: u64) -> (i64, i64) {
        let before = self.times.range(..seq).next_back().map_or(self.start_ms, |(_, at_ms)| *at_ms);
        let after = self.times.range(seq..).next().map_or(self.end_ms, |(_, at_ms)| *at_ms);
        (before.min(after), after)
    }

    /// Returns how long a call took. A result that was logged before its call does not say that.
    pub fn call(&self, call: &ToolCall) -> Option<Span> {
        let start_ms = self.time_of(call.seq).filter(|_| !call.is_orphan_result())?;
        let answer = call.answer.as_ref().filter(|answer| answer.seq > call.seq);
        let end_ms = answer.and_then(|answer| self.time_of(answer.seq));
        Some(Span { start_ms, duration_ms: end_ms.map(|end_ms| between(start_ms, end_ms)) })
    }

    /// Returns how long a turn took, with its calls.
    pub fn turn(&self, index: usize) -> Option<Span> {
        let turn = self.turns.get(index)?;
        let start_ms = turn.start_ms?;
        Some(Span { start_ms, duration_ms: turn.end_ms.map(|end_ms| between(start_ms, end_ms)) })
    }
}

/// Turns the times of events into times that never go back.
struct Clock {
    observed: bool,
    latest_ms: Option<i64>,
    out_of_order: u64,
}

struct TimedGroup<'a> {
    group: &'a EventGroup,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
}

impl TimedGroup<'_> {
    /// The known times of its first and its last event.
    fn times(&self) -> impl Iterator<Item = i64> + use<> {
        self.first_ms.into_iter().chain(self.last_ms.filter(|_| self.group.count > 1))
    }
}

impl Clock {
    fn read<'a>(&mut self, group: &'a EventGroup) -> TimedGroup<'a> {
        let first_ms = self.next(group.first_time);
        let last_ms = if group.count == 1 { first_ms } else { self.next(group.last_time) };
        TimedGroup { group, first_ms, last_ms }
    }

    fn next(&mut self, time: Option<EventTime>) -> Option<i64> {
        let at_ms = time.filter(|time| time.observed == self.observed)?.at_ms;
        let latest_ms = self.latest_ms.unwrap_or(at_ms);
        self.out_of_order += u64::from(at_ms < latest_ms);
        self.latest_ms = Some(at_ms.max(latest_ms));
        self.latest_ms
    }
}

/// Returns whether it is known when each call that waited for an answer from outside began to wait, and when it was answered.
fn knows_waits(timeline: &Timeline, times: &BTreeMap<u64, i64>) -> bool {
    let mut waits = timeline.calls().filter(|call| call.made && call.kind.is_local());
    waits.all(|call| {
        let is_timed = |seq: u64| times.contains_key(&seq);
        is_timed(call.seq) && call.answer.as_ref().is_none_or(|answer| answer.seq > call.seq && is_timed(answer.seq))
    })
}

fn between(from_ms: i64, to_ms: i64) -> u64 {
    u64::try_from(to_ms.saturating_sub(from_ms)).unwrap_or(0)
}
