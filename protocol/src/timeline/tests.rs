//! Log in, facts out: the sample logs and properties of the fold.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The log of this name in `tests/logs`.
fn log(name: &str) -> Vec<Event> {
    let path = format!("{}/tests/logs/{name}.ndjson", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    text.lines().map(|line| Event::parse(line).expect(line)).collect()
}

pub(super) fn sample(name: &str) -> Timeline {
    Timeline::from_events(&log(name))
}

#[test]
fn results_without_an_id_are_paired_by_name_and_order() {
    let timeline = Timeline::from_events(&[
        Event::new(1, "tool_call", json!({ "name": "a", "input": 1 })),
        Event::new(2, "tool_call", json!({ "name": "a", "input": 2 })),
        Event::new(3, "tool_result", json!({ "name": "a", "result": "first" })),
        Event::new(4, "tool_result", json!({ "name": "b", "result": "stray" })),
    ]);
    let answers: Vec<_> = timeline.calls().map(|call| call.answer.as_ref().map(CallAnswer::text)).collect();
    assert_eq!(answers, [Some("first".to_owned()), None, Some("stray".to_owned())]);
    assert_eq!(timeline.integrity.orphan_results, 1);
}

#[test]
fn a_turn_that_is_thought_over_again_is_not_joined_with_the_next() {
    let timeline = sample("supervisor-mid-thinking");
    let turns: Vec<_> = timeline.turns.iter().map(|turn| (turn.aborted, turn.text.as_str())).collect();
    assert_eq!(turns, [(true, ""), (false, "It is Monday.")]);
}

/// None of these may take time in proportion to their square: then this test would not end within minutes.
#[test]
fn a_turn_of_twenty_thousand_open_calls_is_paired() {
    const CALLS: u64 = 10_000;
    let announced = |id: bool| {
        (0..CALLS).map(move |i| {
            let call = json!({ "name": "x", "input": { "i": i } });
            if id { json!({ "id": format!("t{i}"), "name": "x", "input": { "i": i } }) } else { call }
        })
    };
    let calls: Vec<Value> = announced(true).chain(announced(false)).collect();
    let mut seq = 0;
    let mut timeline = Timeline::default();
    let mut apply = |kind: &str, data: Value| {
        seq += 1;
        timeline.apply(&Event::new(seq, kind, data));
    };
    apply("assistant_message", json!({ "text": "", "toolCalls": calls }));
    for i in (0..CALLS).rev() {
        apply("tool_call", json!({ "toolUseId": format!("t{i}"), "name": "x" }));
        apply("tool_files", json!({ "name": "x", "files": [{ "filename": "f" }] }));
        apply("tool_result", json!({ "toolUseId": format!("t{i}"), "name": "x", "result": i }));
        apply("loop_detected", json!({ "consecutiveCount": 3 }));
    }
    for _ in 0..CALLS {
        apply("tool_result", json!({ "name": "x", "result": "r" }));
    }
    apply("assistant_message", json!({ "text": "", "toolCalls": calls }));
    assert_eq!((timeline.totals.unanswered(), timeline.totals.files), (2 * CALLS, CALLS));
    assert!(timeline.turns[0].calls().take(CALLS as usize).all(|call| call.files.len() == 1 && call.made));
    assert_eq!(timeline.turns[1].repeats, 1);
}

#[test]
fn a_copy_shares_its_turns_until_one_of_them_changes() {
    let mut timeline = Timeline::from_events(&log("loop-gave-up")[..15]);
    let copy = timeline.clone();
    timeline.apply(&Event::new(16, "assistant_delta", json!({ "text": "more" })));
    let shared = timeline.turns.iter().zip(&copy.turns).filter(|(one, other)| Arc::ptr_eq(one, other)).count();
    assert_eq!((timeline.turns.len(), shared), (7, 6));
}

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
    (0u64..40, kinds, data).prop_map(|(seq, kind, data)| Event::new(seq, kind, data))
}

proptest! {
    #[test]
    fn any_sequence_of_events_is_folded_and_a_prefix_then_the_rest_equals_all(
        events in prop::collection::vec(arbitrary_event(), 0..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = Timeline::from_events(&events);
        let cut = cut.index(events.len() + 1);
        let mut parts = Timeline::from_events(&events[..cut]);
        // As when it is sent to the browser, which goes on with it.
        let json = serde_json::to_string(&parts).expect("writes");
        let mut resumed: Timeline = serde_json::from_str(&json).expect("reads");
        prop_assert_eq!(&resumed, &parts);
        for event in &events[cut..] {
            parts.apply(event);
            resumed.apply(event);
        }
        prop_assert_eq!(&parts, &whole);
        prop_assert_eq!(&resumed, &whole);
        let _ = (whole.banners(), verdict(&whole, None), verdict(&whole, Some(&json!({ "prompt": "p" }))));
    }

    #[test]
    fn events_that_come_again_change_nothing_but_their_count(
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
    fn totals_are_what_the_turns_hold(events in prop::collection::vec(arbitrary_event(), 0..60)) {
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

/// The kinds of banners of a log that ends with `terminal`.
fn banner_kinds(events: &[(&str, Value)]) -> Vec<&'static str> {
    let events: Vec<Event> =
        events.iter().zip(1..).map(|((kind, data), seq)| Event::new(seq, *kind, data.clone())).collect();
    Timeline::from_events(&events).banners().iter().map(|banner| banner.kind.as_str()).collect()
}

#[test]
fn each_intervention_has_its_banner() {
    let schema = |enforced: bool| json!({ "schemaRequested": true, "schemaEnforced": enforced });
    let cases = [
        (vec![("result", json!({ "subtype": "success", "text": "ok" }))], vec![]),
        (vec![("result", json!({ "text": "{}", "structuredOutput": schema(true) }))], vec![]),
        (vec![("result", json!({ "text": "{}", "structuredOutput": schema(false) }))], vec!["schema_not_enforced"]),
        (vec![("error", json!({ "errorClass": "structured_output_not_supported" }))], vec!["schema_not_enforced"]),
        (vec![("error", json!({ "errorClass": "context_window" }))], vec!["context_window"]),
        (vec![("error", json!({ "code": "local_timeout" }))], vec!["local_tool_timeout"]),
        (vec![("result", json!({ "subtype": "error_local_tool_timeout" }))], vec!["local_tool_timeout"]),
        (vec![("cancelled", json!({}))], vec!["cancelled"]),
        (vec![("supervisor", json!({ "action": "on_track" }))], vec![]),
        (vec![("supervisor", json!({ "action": "redirect", "reason": "r" }))], vec!["supervisor_redirect"]),
        (vec![("supervisor", json!({ "action": "finalize", "reason": "r" }))], vec!["supervisor_finalize"]),
        (vec![("model_fallback", json!({ "primaryModelId": "a", "fallbackModelId": "b" }))], vec!["model_fallback"]),
        (
            vec![
                ("tool_call", json!({ "toolUseId": "t", "name": "x", "input": {} })),
                (
                    "tool_result",
                    json!({ "toolUseId": "t", "name": "x", "result": "{\"error\":\"tool_input_invalid\"}" }),
                ),
            ],
            vec!["tool_input_invalid"],
        ),
        (
            vec![("assistant_message", json!({ "text": "", "finishReason": "refusal" })), ("error", json!({}))],
            vec!["refused"],
        ),
        (
            vec![("cancelled", json!({})), ("assistant_delta", json!({ "text": "late" }))],
            vec!["log_incomplete", "cancelled"],
        ),
    ];
    for (events, expected) in cases {
        assert_eq!(banner_kinds(&events), expected, "{events:?}");
    }
}
