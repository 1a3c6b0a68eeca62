//! Divides the time of a run between its steps.

use std::collections::{BTreeMap, HashMap};

use super::{EventGroup, TimedGroup, Timeline, ToolCall, between};

/// A part of the run in which one step was going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub from_ms: i64,
    pub to_ms: i64,
    pub step: Step,
}

/// The time that one kind of step took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub step: Step,
    pub ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Step {
    #[default]
    Model,
    /// A tool that MANTYX runs.
    Tool(String),
    /// A tool that is answered from outside.
    Waiting(String),
    Unobserved,
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

/// Walks along the log and gives each stretch between two events to the step that was going on. Also returns the step after
/// the last event.
pub(super) fn of(timeline: &Timeline, groups: &[TimedGroup<'_>], created_at_ms: Option<i64>) -> (Vec<Stretch>, Step) {
    let mut made: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut answered: HashMap<u64, Vec<usize>> = HashMap::new();
    let calls: Vec<&ToolCall> = timeline.calls().filter(|call| !call.is_orphan_result()).collect();
    for (index, call) in calls.iter().enumerate() {
        let answered_at = call.answer.as_ref().map(|answer| answer.seq);
        // A result that is logged before its call says nothing about how long the call took.
        if answered_at.is_some_and(|seq| seq <= call.seq) {
            continue;
        }
        made.entry(call.seq).or_default().push(index);
        if let Some(seq) = answered_at {
            answered.entry(seq).or_default().push(index);
        }
    }
    let mut open = OpenCalls::default();
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut known_ms = created_at_ms;
    // The first event without a time since the last one with a time.
    let mut gap: Option<u64> = None;
    let mut written_turn = 0;
    for TimedGroup { group, first_ms, last_ms } in groups {
        if let (Some(from_ms), Some(to_ms)) = (known_ms, *first_ms) {
            push(&mut stretches, Stretch { from_ms, to_ms, step: open.step_since(gap) });
        }
        // The model goes on once it has all results: one that is not in the log was lost.
        if is_written_by_model(group) && group.turn > written_turn {
            written_turn = group.turn;
            open = OpenCalls::default();
        }
        if let (Some(from_ms), Some(to_ms)) = (*first_ms, *last_ms) {
            push(&mut stretches, Stretch { from_ms, to_ms, step: open.step() });
        }
        for index in made.get(&group.first_seq).into_iter().flatten() {
            open.add(*index, calls[*index]);
        }
        for index in answered.get(&group.first_seq).into_iter().flatten() {
            open.remove(*index);
        }
        gap = if last_ms.is_some() { None } else { gap.or(Some(group.last_seq)) };
        known_ms = last_ms.or(*first_ms).or(known_ms);
    }
    (stretches, open.step_since(gap))
}

fn is_written_by_model(group: &EventGroup) -> bool {
    matches!(group.kind.as_ref(), "assistant_delta" | "thinking_delta" | "assistant_message")
}

/// Adds a stretch. Two in a row of the same step are one, and those without a duration are left out.
pub(super) fn push(stretches: &mut Vec<Stretch>, stretch: Stretch) {
    if stretch.to_ms <= stretch.from_ms {
        return;
    }
    match stretches.last_mut() {
        Some(last) if last.step == stretch.step && last.to_ms == stretch.from_ms => last.to_ms = stretch.to_ms,
        _ => stretches.push(stretch),
    }
}

/// Adds up stretches by step, longest first.
pub(super) fn shares(stretches: &[Stretch]) -> Vec<Share> {
    let mut totals: HashMap<&Step, u64> = HashMap::new();
    for stretch in stretches {
        *totals.entry(&stretch.step).or_default() += between(stretch.from_ms, stretch.to_ms);
    }
    let mut shares: Vec<Share> = totals.into_iter().map(|(step, ms)| Share { step: step.clone(), ms }).collect();
    shares.sort_by(|one, other| other.ms.cmp(&one.ms).then_with(|| one.step.label().cmp(other.step.label())));
    shares
}

/// The calls without an answer, in the order in which they were made.
#[derive(Default)]
struct OpenCalls<'a> {
    outside: BTreeMap<usize, &'a ToolCall>,
    others: BTreeMap<usize, &'a ToolCall>,
}

impl<'a> OpenCalls<'a> {
    fn add(&mut self, index: usize, call: &'a ToolCall) {
        let calls = if call.kind.is_local() { &mut self.outside } else { &mut self.others };
        calls.insert(index, call);
    }

    fn remove(&mut self, index: usize) {
        self.outside.remove(&index);
        self.others.remove(&index);
    }

    /// The step after events without a time, of which `gap` is the first. It is known if one call waited all along.
    fn step_since(&self, gap: Option<u64>) -> Step {
        let Some(gap) = gap else { return self.step() };
        let waited = self.outside.values().next().filter(|call| call.seq < gap);
        waited.map_or(Step::Unobserved, |call| Step::Waiting(call.name.clone()))
    }

    /// Of several open calls, one that waits for an answer from outside counts first, then the one that was made first.
    fn step(&self) -> Step {
        match (self.outside.values().next(), self.others.values().next()) {
            (Some(call), _) => Step::Waiting(call.name.clone()),
            (None, Some(call)) => Step::Tool(call.name.clone()),
            (None, None) => Step::Model,
        }
    }
}
