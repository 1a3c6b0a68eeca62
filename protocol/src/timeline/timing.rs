//! Computes how long the steps of a run took, from the times of its events.
//!
//! ```text
//!   events   started   delta* message   tool_call … tool_result   delta* message   result
//!   steps    └──── model ────┘ └────── the tool ──────┘└──── model ────┘
//!            └──────────── turn 1 ───────────────────┘ └── turn 2 ──┘
//! ```
//!
//! A step lasts from the event before it to its own last event. If one of the two has no time, the step has no duration: no
//! time is guessed. Steps are in the order of the log. A time before that of an earlier event counts as the earlier one,
//! so no duration is negative. A log that has times of its own is not mixed with arrival times, which are from another clock.

use std::collections::HashMap;

use super::{EventGroup, Timeline, ToolCall};
use crate::event::EventTime;

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
    /// Where the time between start and end went, longest first.
    pub shares: Vec<Share>,
    /// Stretches without known times, from and to.
    pub unobserved: Vec<(i64, i64)>,
    /// Events whose time was before that of an earlier event.
    pub out_of_order: u64,
    /// Times by seq. Of deltas in a row only the first is listed.
    times: HashMap<u64, i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTiming {
    /// When the model was asked.
    pub start_ms: Option<i64>,
    pub first_token_ms: Option<i64>,
    /// When the turn's message was complete.
    pub message_ms: Option<i64>,
    /// When its last call was answered, or the message was complete.
    pub end_ms: Option<i64>,
}

/// The time that one kind of step took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub step: Step,
    pub ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Model,
    /// A tool that MANTYX runs.
    Tool(String),
    /// A tool that is answered from outside.
    Waiting(String),
    Unobserved,
}

/// A start with its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start_ms: i64,
    /// None if it has not ended, or its end has no time.
    pub duration_ms: Option<u64>,
}

impl Timing {
    /// Returns `None` if fewer than two times are known. `created_at_ms` is when the run was created, from its snapshot: the
    /// model was asked then. A log begins with what the model wrote.
    pub fn of(timeline: &Timeline, created_at_ms: Option<i64>) -> Option<Self> {
        let is_recorded = |time: &Option<EventTime>| time.is_some_and(|time| !time.observed);
        let observed =
            !timeline.events.iter().any(|group| is_recorded(&group.first_time) || is_recorded(&group.last_time));
        let mut clock = Clock { observed, latest_ms: None, out_of_order: 0 };
        let groups: Vec<TimedGroup<'_>> = timeline.events.iter().map(|group| clock.read(group)).collect();
        let mut known = groups.iter().flat_map(|timed| [timed.first_ms, timed.last_ms]).flatten();
        let first_ms = known.next()?;
        let end_ms = known.last().filter(|end_ms| *end_ms > first_ms || groups.len() > 1)?;
        let is_plausible = |created_at_ms: &i64| (0..MAX_DELAY_MS).contains(&first_ms.saturating_sub(*created_at_ms));
        let created_at_ms = created_at_ms.filter(is_plausible);
        let start_ms = created_at_ms.unwrap_or(first_ms);
        let times = groups.iter().filter_map(|timed| Some((timed.group.first_seq, timed.first_ms?))).collect();
        let (shares, unobserved) = shares(timeline, &groups, created_at_ms);
        let turns = turns(timeline, &groups, created_at_ms);
        Some(Self { start_ms, end_ms, observed, turns, shares, unobserved, out_of_order: clock.out_of_order, times })
    }

    pub fn total_ms(&self) -> u64 {
        between(self.start_ms, self.end_ms)
    }

    /// Returns the time of an event, unless it is one of several deltas in a row.
    pub fn time_of(&self, seq: u64) -> Option<i64> {
        self.times.get(&seq).copied()
    }

    /// Returns how long a call took.
    pub fn call(&self, call: &ToolCall) -> Option<Span> {
        let start_ms = self.time_of(call.seq).filter(|_| !call.is_orphan_result())?;
        let end_ms = call.answer.as_ref().and_then(|answer| self.time_of(answer.seq));
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

fn turns(timeline: &Timeline, groups: &[TimedGroup<'_>], created_at_ms: Option<i64>) -> Vec<TurnTiming> {
    let mut turns = vec![TurnTiming::default(); timeline.turns.len()];
    let mut has_begun = vec![false; turns.len()];
    let mut before_ms = created_at_ms;
    for TimedGroup { group, first_ms, last_ms } in groups {
        // What comes before the first turn is listed with it.
        let is_preamble = group.kind == "started";
        if let Some(turn) = turns.get_mut(group.turn).filter(|_| !is_preamble) {
            if !std::mem::replace(&mut has_begun[group.turn], true) {
                turn.start_ms = before_ms.or(*first_ms);
            }
            match group.kind.as_ref() {
                "assistant_delta" | "thinking_delta" => turn.first_token_ms = turn.first_token_ms.or(*first_ms),
                "assistant_message" => turn.message_ms = *last_ms,
                _ => {}
            }
            if !matches!(group.kind.as_ref(), "result" | "error" | "cancelled") {
                turn.end_ms = *last_ms;
            }
        }
        before_ms = *last_ms;
    }
    turns
}

/// Walks along the log and gives each stretch between two events to the step that was going on.
fn shares(timeline: &Timeline, groups: &[TimedGroup<'_>], created_at_ms: Option<i64>) -> (Vec<Share>, Vec<(i64, i64)>) {
    let mut made: HashMap<u64, Vec<&ToolCall>> = HashMap::new();
    let mut answered: HashMap<u64, Vec<&ToolCall>> = HashMap::new();
    for call in timeline.calls().filter(|call| !call.is_orphan_result()) {
        made.entry(call.seq).or_default().push(call);
        if let Some(answer) = &call.answer {
            answered.entry(answer.seq).or_default().push(call);
        }
    }
    let mut open: Vec<&ToolCall> = Vec::new();
    let mut totals: HashMap<Step, u64> = HashMap::new();
    let mut unobserved: Vec<(i64, i64)> = Vec::new();
    let mut known_ms = created_at_ms;
    let mut is_adjacent = true;
    let mut add = |step: Step, from_ms: i64, to_ms: i64| *totals.entry(step).or_default() += between(from_ms, to_ms);
    for TimedGroup { group, first_ms, last_ms } in groups {
        match (known_ms, *first_ms) {
            (Some(from_ms), Some(to_ms)) if is_adjacent => add(current_step(&open), from_ms, to_ms),
            (Some(from_ms), Some(to_ms)) if to_ms > from_ms => {
                add(Step::Unobserved, from_ms, to_ms);
                unobserved.push((from_ms, to_ms));
            }
            _ => {}
        }
        if let (Some(first_ms), Some(last_ms)) = (*first_ms, *last_ms) {
            add(current_step(&open), first_ms, last_ms);
        }
        open.extend(made.get(&group.first_seq).into_iter().flatten());
        for call in answered.get(&group.first_seq).into_iter().flatten() {
            open.retain(|other| !std::ptr::eq(*other, *call));
        }
        is_adjacent = last_ms.is_some();
        known_ms = last_ms.or(*first_ms).or(known_ms);
    }
    let mut shares: Vec<Share> =
        totals.into_iter().filter(|(_, ms)| *ms > 0).map(|(step, ms)| Share { step, ms }).collect();
    shares.sort_by(|one, other| other.ms.cmp(&one.ms).then_with(|| one.step.label().cmp(other.step.label())));
    (shares, unobserved)
}

/// Of several open calls, a call that waits for an answer from outside counts first, then the one that was made first.
fn current_step(open: &[&ToolCall]) -> Step {
    let outside = open.iter().find(|call| call.kind.is_local());
    match outside.or(open.first()) {
        Some(call) if call.kind.is_local() => Step::Waiting(call.name.clone()),
        Some(call) => Step::Tool(call.name.clone()),
        None => Step::Model,
    }
}

impl Step {
    /// Returns the name of the tool, or what it is.
    pub fn label(&self) -> &str {
        match self {
            Self::Model => "model",
            Self::Tool(name) | Self::Waiting(name) => name,
            Self::Unobserved => "unobserved",
        }
    }
}

fn between(from_ms: i64, to_ms: i64) -> u64 {
    u64::try_from(to_ms.saturating_sub(from_ms)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::Event;
    use crate::timeline::properties::arbitrary_event;

    const START_MS: i64 = 1_790_000_000_000;

    /// Events with their seconds after the start.
    fn log(events: &[(&str, Value, Option<i64>)]) -> Timeline {
        let events = events.iter().zip(1..).map(|((kind, data, second), seq)| {
            let mut event = Event::new(seq, *kind, data.clone());
            event.observed_at_ms = second.map(|second| START_MS + second * 1_000);
            event
        });
        Timeline::from_events(&events.collect::<Vec<_>>())
    }

    fn call(id: &str, name: &str) -> Value {
        json!({ "toolUseId": id, "name": name, "args": {}, "input": {} })
    }

    fn describe(timing: &Timing) -> String {
        let shares = timing.shares.iter().map(|share| format!("{:?} {}", share.step, share.ms / 1_000));
        shares.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn time_is_divided_between_model_tools_and_waiting() {
        let timeline = log(&[
            ("started", json!({}), Some(0)),
            ("assistant_delta", json!({ "text": "a" }), Some(2)),
            ("assistant_message", json!({ "text": "a" }), Some(3)),
            ("tool_call", call("t1", "recall"), Some(3)),
            ("tool_result", json!({ "toolUseId": "t1", "result": "r" }), Some(7)),
            ("assistant_message", json!({ "text": "b" }), Some(8)),
            ("local_tool_call", call("t2", "approve"), Some(8)),
            ("local_tool_result_in", json!({ "toolUseId": "t2", "result": "yes" }), Some(49)),
            ("assistant_message", json!({ "text": "c" }), Some(50)),
            ("result", json!({ "text": "c" }), Some(50)),
        ]);
        let timing = Timing::of(&timeline, None).expect("times");
        assert_eq!(describe(&timing), r#"Waiting("approve") 41, Model 5, Tool("recall") 4"#);
        assert_eq!((timing.total_ms(), timing.observed, timing.out_of_order), (50_000, true, 0));
        let turns: Vec<_> =
            (0..3).map(|turn| timing.turn(turn).map(|span| (span.start_ms - START_MS, span.duration_ms))).collect();
        assert_eq!(turns, [Some((0, Some(7_000))), Some((7_000, Some(42_000))), Some((49_000, Some(1_000)))]);
        assert_eq!(timing.turns[0].first_token_ms, Some(START_MS + 2_000));
        let calls: Vec<_> = timeline.calls().map(|call| timing.call(call).and_then(|span| span.duration_ms)).collect();
        assert_eq!(calls, [Some(4_000), Some(41_000)]);
    }

    #[test]
    fn the_first_turn_begins_when_the_run_was_created() {
        let timeline = log(&[("assistant_message", json!({ "text": "a" }), Some(3)), ("result", json!({}), Some(3))]);
        let timing = Timing::of(&timeline, Some(START_MS)).expect("times");
        assert_eq!((describe(&timing).as_str(), timing.total_ms()), ("Model 3", 3_000));
        assert_eq!(timing.turn(0).and_then(|span| span.duration_ms), Some(3_000));
        // An imported run is created after its log, and a clock may be wrong.
        for created_at_ms in [START_MS + 60_000, START_MS - 10 * MAX_DELAY_MS] {
            assert_eq!(Timing::of(&timeline, Some(created_at_ms)).expect("times").total_ms(), 0);
        }
    }

    #[test]
    fn unknown_times_are_unobserved_and_never_guessed() {
        let timeline = log(&[
            ("started", json!({}), Some(0)),
            ("assistant_message", json!({ "text": "a" }), Some(3)),
            ("tool_call", call("t1", "recall"), None),
            ("tool_result", json!({ "toolUseId": "t1", "result": "r" }), Some(9)),
            ("assistant_message", json!({ "text": "b" }), Some(10)),
            ("result", json!({ "text": "b" }), None),
        ]);
        let timing = Timing::of(&timeline, None).expect("times");
        assert_eq!(describe(&timing), "Unobserved 6, Model 4");
        assert_eq!(timing.unobserved, [(START_MS + 3_000, START_MS + 9_000)]);
        assert_eq!(timeline.calls().map(|call| timing.call(call)).collect::<Vec<_>>(), [None]);
        assert_eq!(Timing::of(&log(&[("started", json!({}), None), ("result", json!({}), None)]), None), None);
        assert_eq!(Timing::of(&Timeline::default(), None), None);
    }

    #[test]
    fn a_clock_that_goes_back_stands_still_and_is_counted() {
        let timeline = log(&[
            ("started", json!({}), Some(10)),
            ("assistant_message", json!({ "text": "a" }), Some(4)),
            ("result", json!({ "text": "a" }), Some(12)),
        ]);
        let timing = Timing::of(&timeline, None).expect("times");
        assert_eq!((timing.total_ms(), timing.out_of_order), (2_000, 1));
        assert_eq!(timing.turn(0).and_then(|span| span.duration_ms), Some(0));
    }

    #[test]
    fn recorded_times_are_not_mixed_with_arrival_times() {
        let mut first = Event::new(1, "started", json!({}));
        first.extra.insert("at".to_owned(), START_MS.into());
        let mut second = Event::new(2, "assistant_message", json!({ "text": "a" }));
        second.observed_at_ms = Some(START_MS + 900_000);
        let mut third = Event::new(3, "result", json!({ "text": "a" }));
        third.extra.insert("at".to_owned(), (START_MS + 5_000).into());
        let timing = Timing::of(&Timeline::from_events(&[first, second, third]), None).expect("times");
        assert_eq!((describe(&timing).as_str(), timing.observed), ("Unobserved 5", false));
    }

    proptest! {
        #[test]
        fn shares_never_exceed_the_whole_and_nothing_is_negative(
            events in prop::collection::vec((arbitrary_event(), prop::option::of(START_MS..START_MS + 100_000)), 0..40),
        ) {
            let events: Vec<Event> = events.into_iter().map(|(mut event, at_ms)| {
                event.observed_at_ms = at_ms;
                event
            }).collect();
            let timeline = Timeline::from_events(&events);
            if let Some(timing) = Timing::of(&timeline, Some(START_MS - 5)) {
                let sum: u64 = timing.shares.iter().map(|share| share.ms).sum();
                prop_assert!(sum <= timing.total_ms(), "{} of {}", sum, timing.total_ms());
                prop_assert!(timing.turns.iter().all(|turn| turn.end_ms.zip(turn.start_ms).is_none_or(|(end, start)| end >= start)));
                for call in timeline.calls() {
                    let span = timing.call(call);
                    prop_assert!(span.is_none_or(|span| (timing.start_ms..=timing.end_ms).contains(&span.start_ms)));
                }
            }
        }
    }
}
