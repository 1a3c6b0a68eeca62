//! Timelines of sample logs, and each banner.

use serde_json::{Value, json};

use super::*;

/// Reads a log of `tests/logs`.
fn log(name: &str) -> Vec<Event> {
    let path = format!("{}/tests/logs/{name}.ndjson", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    text.lines().map(|line| Event::parse(line).expect(line)).collect()
}

pub(super) fn sample(name: &str) -> Timeline {
    Timeline::from_events(&log(name))
}

#[test]
fn calls_that_the_loop_guard_skipped_are_not_counted() {
    let timeline = sample("loop-gave-up");
    assert_eq!((timeline.totals.calls, timeline.made_calls()), (6, 2));
    let skipped: Vec<usize> = timeline.turns.iter().filter(|turn| turn.skipped).map(|turn| turn.index).collect();
    assert_eq!(skipped, [2, 3, 4, 5]);
    // A loop that nobody stopped wastes calls, and skips none.
    let unreported = sample("repetition-unreported");
    assert_eq!(unreported.made_calls(), unreported.totals.calls);
}

#[test]
fn calls_that_a_budget_or_the_turn_limit_skipped_are_not_counted() {
    let made = |name: &str, tool: &str| {
        let totals = sample(name).made_totals();
        let of_tool = totals.tools[tool];
        assert_eq!(totals.calls, sample(name).made_calls());
        (of_tool.calls, of_tool.answered, of_tool.skipped)
    };
    assert_eq!(made("budget-exceeded-recovered", "recall"), (2, 2, 1));
    assert_eq!(made("max-tool-turns", "next_page"), (2, 2, 1));
    let limited = sample("max-tool-turns");
    assert_eq!(limited.turns.iter().map(|turn| turn.skipped).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn a_call_that_was_made_before_the_turn_limit_counts() {
    let call = json!({ "toolUseId": "a", "name": "search", "input": {} });
    let failed = json!({ "error": "The turn limit was reached.", "errorClass": "max_tool_turns" });
    let timeline = Timeline::from_events(&[Event::new(1, "tool_call", call), Event::new(2, "error", failed)]);
    assert_eq!((timeline.made_calls(), timeline.skipped_calls().count()), (1, 0));
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
fn a_budget_stops_the_last_calls_of_its_tool_in_any_order_of_events() {
    let calls: Vec<Value> = [("t1", "a"), ("t2", "a"), ("t3", "b"), ("t4", "a")]
        .map(|(id, name)| json!({ "id": id, "name": name, "input": {} }))
        .to_vec();
    let message = || ("assistant_message", json!({ "text": "", "toolCalls": calls.clone() }));
    let result = |id: &str, name: &str| ("tool_result", json!({ "toolUseId": id, "name": name, "result": "x" }));
    let stopped = |index: u64| ("tool_budget_exceeded", json!({ "tool": "a", "maxCalls": 1, "callIndex": index }));
    let (first, second, other, third) = (result("t1", "a"), result("t2", "a"), result("t3", "b"), result("t4", "a"));
    let orders = [
        vec![message(), first.clone(), second.clone(), stopped(2), other.clone(), third.clone(), stopped(3)],
        vec![message(), first, second, other, third, stopped(2), stopped(3)],
    ];
    for order in orders {
        let events: Vec<Event> = (1..).zip(order).map(|(seq, (kind, data))| Event::new(seq, kind, data)).collect();
        let timeline = Timeline::from_events(&events);
        let intercepted: Vec<bool> = timeline.calls().map(|call| call.intercepted).collect();
        assert_eq!(intercepted, [false, true, false, true]);
        // A budget event of a later turn does not change earlier calls.
        let mut later = timeline.clone();
        later.apply(&Event::new(20, "assistant_message", json!({ "text": "Well." })));
        later.apply(&Event::new(21, "tool_budget_exceeded", json!({ "tool": "a", "maxCalls": 1, "callIndex": 4 })));
        assert_eq!(later.calls().filter(|call| call.intercepted).count(), 2);
    }
}

#[test]
fn the_end_of_a_run_is_unknown_if_its_file_stops_early() {
    let mut timeline = sample("waiting-with-gap");
    timeline.set_cut_off();
    let kinds: Vec<&str> = timeline.banners().iter().map(|banner| banner.kind.as_str()).collect();
    assert_eq!(kinds, ["waiting_local_tool", "log_gap", "log_incomplete"]);
    let details = timeline.banners().iter().map(|banner| banner.detail.clone()).collect::<String>();
    assert!(details.contains("This file stops at #5") && details.contains("when this log was exported"), "{details}");
    let sentences = verdict(&timeline, None).iter().map(|sentence| sentence.text.clone()).collect::<String>();
    assert!(sentences.contains("how the run ended is not known") && !sentences.contains("is over"), "{sentences}");
    // A complete log is not cut off.
    let mut whole = sample("local-tools");
    whole.set_cut_off();
    assert_eq!((whole.status(), whole.banners().len()), (RunStatus::Succeeded, sample("local-tools").banners().len()));
}

#[test]
fn a_turn_has_tokens_if_its_message_has_them() {
    let tokens = |extra: Value| {
        let mut data = json!({ "text": "a" });
        data.as_object_mut().expect("an object").extend(extra.as_object().cloned().unwrap_or_default());
        let timeline = Timeline::from_events(&[Event::new(1, "assistant_message", data)]);
        timeline.turns[0].tokens.map(|tokens| (tokens.input_tokens, tokens.output_tokens, tokens.cached_tokens))
    };
    let camel = json!({ "inputTokens": 900, "outputTokens": 60, "cachedTokens": 7 });
    assert_eq!(tokens(json!({ "usage": camel })), Some((900, 60, 7)));
    assert_eq!(tokens(json!({ "tokens": camel })), Some((900, 60, 7)));
    assert_eq!(tokens(json!({ "usage": { "input_tokens": 900, "output_tokens": 60 } })), Some((900, 60, 0)));
    assert_eq!(tokens(json!({ "usage": null, "tokens": camel })), Some((900, 60, 7)));
    for none in
        [json!({}), json!({ "usage": {} }), json!({ "usage": 7 }), json!({ "tokens": { "inputTokens": "many" } })]
    {
        assert_eq!(tokens(none.clone()), None, "{none}");
    }
}

#[test]
fn an_interrupted_turn_is_not_joined_with_the_next() {
    let timeline = sample("supervisor-mid-thinking");
    let turns: Vec<_> = timeline.turns.iter().map(|turn| (turn.aborted, turn.text.as_str())).collect();
    assert_eq!(turns, [(true, ""), (false, "It is Monday.")]);
}

/// If one of these took quadratic time, this test would take minutes.
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
fn a_clone_shares_its_turns_until_one_of_them_changes() {
    let mut timeline = Timeline::from_events(&log("loop-gave-up")[..15]);
    let copy = timeline.clone();
    timeline.apply(&Event::new(16, "assistant_delta", json!({ "text": "more" })));
    let shared = timeline.turns.iter().zip(&copy.turns).filter(|(one, other)| Arc::ptr_eq(one, other)).count();
    assert_eq!((timeline.turns.len(), shared), (7, 6));
}

/// Returns the kinds of banners of a log.
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

#[test]
fn a_limit_out_of_range_is_shown_unchanged() {
    let timeline = Timeline::from_events(&[Event::new(1, "error", json!({ "code": "max_tool_turns" }))]);
    for (limit, to) in [(32_u64, Some(64_u64)), (60, Some(100)), (100, None), (250, None), (u64::MAX, None)] {
        let banners = timeline.banners_for(&json!({ "budgets": { "maxToolTurns": limit } }));
        let change = banners[0].next_step.change.as_ref().expect("a change");
        assert_eq!((&change.from, &change.to), (&Some(limit.into()), &to.map(Into::into)), "{limit}");
    }
}
