//! Properties of every log, however broken.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{any_json, any_object, odd_spec};

pub(super) fn arbitrary_event() -> impl Strategy<Value = Event> {
    let kinds = prop::sample::select(vec![
        "started",
        "assistant_delta",
        "thinking_delta",
        "assistant_message",
        "tool_call",
        "tool_result",
        "tool_files",
        "local_tool_call",
        "local_tool_result_in",
        "loop_detected",
        "tool_budget_exceeded",
        "supervisor",
        "task_plan",
        "model_fallback",
        "user_message",
        "message",
        "result",
        "error",
        "cancelled",
        "later",
    ]);
    let data = prop::sample::select(vec![
        json!({ "text": "a" }),
        json!({ "text": "b", "finishReason": "tool_use", "toolCalls": [{ "id": "t1", "name": "x", "input": {} }] }),
        json!({ "text": "b", "toolCalls": [{ "name": "x", "input": {} }, { "id": "t2", "name": "y", "input": [1] }] }),
        json!({ "text": "b", "toolCalls": [{ "id": "t2", "name": "y", "input": [1] }, { "name": "x", "input": {} }] }),
        json!({ "toolUseId": "t1", "name": "x", "result": "r", "args": {} }),
        json!({ "toolUseId": "t2", "name": "y", "error": "no", "files": [{ "filename": "f", "data": "AA==" }] }),
        json!({ "name": "x", "ok": false, "summary": "s", "files": [{}] }),
        json!({ "toolUseId": "t9", "name": "x", "input": { "q": 1 }, "kind": "mcp_local", "mcpServer": "m" }),
        json!({ "consecutiveCount": 3, "tools": ["x"], "tool": "x", "maxCalls": 1, "callIndex": 2, "action": "redirect" }),
        json!({ "action": "finalize", "phase": "reasoning", "reason": "r" }),
        json!({ "planId": "p", "revision": 2, "steps": [{ "id": "s", "title": "t", "status": "done" }] }),
        json!({ "planId": "p", "revision": 1, "steps": [{ "id": "s", "title": "t", "status": "in_progress" }] }),
        json!({ "errorClass": "truncation", "partialText": "a", "subtype": "error_x", "reason": "user" }),
        json!(null),
        json!({ "toolCalls": 5, "text": 7 }),
    ]);
    let data = prop_oneof![3 => data, 1 => any_object(), 1 => any_json()];
    // Mostly close together, so that they collide; sometimes anywhere.
    let seqs = prop_oneof![12 => 0_u64..40, 1 => any::<u64>(), 1 => u64::MAX - 2..=u64::MAX];
    let times = prop::option::of(1_790_000_000_000_i64..1_790_000_100_000);
    (seqs, kinds, data, times).prop_map(|(seq, kind, data, observed_at_ms)| {
        let mut event = Event::new(seq, kind, data);
        event.observed_at_ms = observed_at_ms;
        event
    })
}

proptest! {
    #[test]
    fn any_log_can_be_applied_and_a_prefix_then_the_rest_equals_all(
        events in prop::collection::vec(arbitrary_event(), 0..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = Timeline::from_events(&events);
        let cut = cut.index(events.len() + 1);
        let mut parts = Timeline::from_events(&events[..cut]);
        // A timeline continues after serialization.
        let json = serde_json::to_string(&parts).expect("writes");
        let mut resumed: Timeline = serde_json::from_str(&json).expect("reads");
        prop_assert_eq!(&resumed, &parts);
        for event in &events[cut..] {
            parts.apply(event);
            resumed.apply(event);
        }
        prop_assert_eq!(&parts, &whole);
        prop_assert_eq!(&resumed, &whole);
    }

    #[test]
    fn every_log_and_spec_have_a_verdict(
        events in prop::collection::vec(arbitrary_event(), 0..40),
        others in prop::collection::vec(arbitrary_event(), 0..40),
        spec in prop_oneof![odd_spec(), any_object(), any_json()],
        status in prop::sample::select(RunStatus::ALL.to_vec()),
    ) {
        let (mut timeline, other) = (Timeline::from_events(&events), Timeline::from_events(&others));
        for _ in 0..2 {
            let banners = [timeline.banners(), timeline.banners_for(&spec)].concat();
            prop_assert!(banners.iter().all(|banner| !banner.title.is_empty() && !banner.next_step.text.is_empty()));
            for sentences in [verdict(&timeline, None), verdict(&timeline, Some(&spec))] {
                prop_assert!(!sentences.is_empty());
            }
            timeline.set_known_end(status);
        }
        prop_assert!(minimap(&timeline, 7).len() <= 7);
        let alignment = align(&timeline, &other);
        prop_assert!(alignment.turns.iter().filter_map(|pair| pair.left).eq(0..timeline.turns.len()));
        prop_assert!(alignment.turns.iter().filter_map(|pair| pair.right).eq(0..other.turns.len()));
        prop_assert_eq!(align(&timeline, &timeline).divergence, None);
        for (one, two) in timeline.turns.iter().zip(&other.turns) {
            batch_changes(one, two);
        }
        prop_assert_eq!(changes(&spec, &spec), []);
    }

    #[test]
    fn repeated_events_change_only_their_count(
        events in prop::collection::vec(arbitrary_event(), 0..40),
    ) {
        let once = Timeline::from_events(&events);
        let mut twice = once.clone();
        for event in &events {
            prop_assert!(!twice.apply(event));
        }
        twice.integrity.duplicates = once.integrity.duplicates;
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn totals_match_the_turns(events in prop::collection::vec(arbitrary_event(), 0..60)) {
        let timeline = Timeline::from_events(&events);
        let chars = |text: fn(&Turn) -> &str| {
            timeline.turns.iter().map(|turn| text(turn).chars().count() as u64).sum::<u64>()
        };
        let count = |fits: fn(&ToolCall) -> bool| timeline.calls().filter(|call| fits(call)).count() as u64;
        let totals = &timeline.totals;
        prop_assert_eq!(totals.text_chars, chars(|turn| &turn.text));
        prop_assert_eq!(totals.thinking_chars, chars(|turn| &turn.thinking));
        prop_assert_eq!(totals.turns, timeline.turns.iter().filter(|turn| turn.has_begun()).count() as u64);
        prop_assert_eq!(totals.calls, count(|_| true));
        prop_assert_eq!(totals.answered, count(|call| call.answer.is_some()));
        prop_assert_eq!(totals.failed, count(ToolCall::failed));
        prop_assert_eq!(totals.tools.values().map(|tool| tool.calls).sum::<u64>(), totals.calls);
        prop_assert_eq!(timeline.events.iter().map(|run| run.count).sum::<u64>(), timeline.integrity.events);
    }
}
