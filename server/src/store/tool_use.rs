//! The use of tools by a run, from its log.

use std::collections::BTreeMap;

use protocol::Timeline;
use protocol::timeline::{NoteKind, Step, Timing};

/// The use of one tool. Skipped calls don't count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    pub calls: u64,
    pub failed: u64,
    /// The loop guard reported it.
    pub looped: bool,
    /// The share of the run's time.
    pub time_ms: u64,
    /// How long the calls took whose times are known.
    pub durations_ms: Vec<u64>,
}

/// The use of all tools of a run, and how much of its time is known.
pub(super) fn of(timeline: &Timeline, timing: Option<&Timing>) -> (u64, BTreeMap<String, ToolUse>) {
    let mut tools: BTreeMap<String, ToolUse> = BTreeMap::new();
    for call in timeline.turns.iter().flat_map(|turn| turn.made_calls()) {
        let tool = tools.entry(call.name.clone()).or_default();
        tool.calls += 1;
        tool.failed += u64::from(call.failed());
        let span = timing.and_then(|timing| timing.call(call));
        tool.durations_ms.extend(span.and_then(|span| span.duration_ms));
    }
    let looped = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::LoopDetected { tools, .. } => Some(tools),
        _ => None,
    });
    for name in looped.flatten() {
        if let Some(tool) = tools.get_mut(name.as_str()) {
            tool.looped = true;
        }
    }
    for share in timing.iter().flat_map(|timing| &timing.shares) {
        if let Step::Tool(name) | Step::Waiting(name) = &share.step
            && let Some(tool) = tools.get_mut(name)
        {
            tool.time_ms += share.ms;
        }
    }
    (timing.map_or(0, Timing::observed_ms), tools)
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::{Value, json};

    use super::*;

    fn log(events: &[(&str, Value, Option<i64>)]) -> Timeline {
        let events = events.iter().zip(1..).map(|((kind, data, second), seq)| {
            let mut event = Event::new(seq, *kind, data.clone());
            event.observed_at_ms = second.map(|second| 1_790_000_000_000 + second * 1_000);
            event
        });
        Timeline::from_events(&events.collect::<Vec<_>>())
    }

    fn call(name: &str) -> Value {
        json!({ "toolUseId": name, "name": name, "input": {} })
    }

    #[test]
    fn only_tools_that_the_loop_guard_reported_have_looped() {
        let timeline = log(&[
            ("tool_call", call("recall"), None),
            ("tool_call", call("clock"), None),
            ("loop_detected", json!({ "consecutiveCount": 3, "hardCutoff": false, "tools": ["recall"] }), None),
        ]);
        let (_, tools) = of(&timeline, None);
        let looped: Vec<_> = tools.iter().map(|(name, tool)| (name.as_str(), tool.looped)).collect();
        assert_eq!(looped, [("clock", false), ("recall", true)]);
    }

    #[test]
    fn the_known_time_has_no_unobserved_stretches() {
        let timeline = log(&[
            ("assistant_message", json!({ "text": "" }), Some(0)),
            ("tool_call", call("recall"), Some(1)),
            ("tool_result", json!({ "toolUseId": "recall", "result": "x" }), Some(3)),
            ("assistant_message", json!({ "text": "" }), None),
            ("result", json!({ "text": "" }), Some(60)),
        ]);
        let (observed_ms, tools) = of(&timeline, Timing::of(&timeline, None).as_ref());
        assert_eq!((observed_ms, tools["recall"].time_ms), (3_000, 2_000));
    }
}
