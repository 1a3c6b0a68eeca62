//! Log in, facts out: the sample logs and properties of the fold.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const LOGS: [(&str, &str); 6] = [
    ("early-protocol", include_str!("../../tests/logs/early-protocol.ndjson")),
    ("guards-2026", include_str!("../../tests/logs/guards-2026.ndjson")),
    ("local-tools", include_str!("../../tests/logs/local-tools.ndjson")),
    ("loop-gave-up", include_str!("../../tests/logs/loop-gave-up.ndjson")),
    ("truncated-json", include_str!("../../tests/logs/truncated-json.ndjson")),
    ("waiting-with-gap", include_str!("../../tests/logs/waiting-with-gap.ndjson")),
];

fn events(log: &str) -> Vec<Event> {
    log.lines().map(|line| Event::parse(line).expect(line)).collect()
}

fn sample(name: &str) -> Timeline {
    let (_, log) = LOGS.iter().find(|(log, _)| *log == name).expect(name);
    Timeline::from_events(&events(log))
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
fn a_timeline_goes_on_after_it_was_sent_to_the_browser() {
    for (name, log) in LOGS {
        let events = events(log);
        for cut in 0..events.len() {
            let first = Timeline::from_events(&events[..cut]);
            let json = serde_json::to_string(&first).expect("writes");
            let mut resumed: Timeline = serde_json::from_str(&json).expect("reads");
            for event in &events {
                resumed.apply(event);
            }
            resumed.integrity.duplicates = 0;
            assert_eq!(resumed, sample(name), "{name} cut at {cut}");
        }
    }
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
        json!({ "toolUseId": "t1", "name": "x", "result": "r", "args": {} }),
        json!({ "name": "x", "files": [{}] }),
        json!({ "consecutiveCount": 3, "tools": ["x"], "tool": "x", "maxCalls": 1, "callIndex": 2, "action": "redirect" }),
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
        for event in &events[cut..] {
            parts.apply(event);
        }
        prop_assert_eq!(&parts, &whole);
        let _ = whole.banners();
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
